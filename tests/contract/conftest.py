"""Asserts of the shared suite explain themselves like those of a test module."""

import pytest

pytest.register_assert_rewrite("contract.source_contract")
