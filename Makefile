# Everything a user or contributor runs. Needs python3 (3.11 or newer) and make; the targets bring
# the rest into .venv, from lock files whose hashes are checked (tools/bootstrap.sh).

PYTHON ?=
export PYTHON
# superbiz, pytest and the tools must see this checkout's environment, not the caller's.
unexport PYTHONPATH PYTHONHOME
# Debian keeps mariadbd where the path of an ordinary user does not look.
export PATH := $(PATH):/usr/sbin:/sbin
export PYRIGHT_PYTHON_IGNORE_WARNINGS = 1
export UV_SYSTEM_CERTS = 1
# The builder announces its successor at every run; the choice is made when a release needs it.
export NO_MKDOCS_2_WARNING = 1

BIN := .venv/bin
BOOTSTRAP := @sh tools/bootstrap.sh
# Two workers because two cores are what CI has; more only compete with the servers of the lab.
# A file stays on one worker, so that what its fixtures start is started once.
PYTEST := $(BIN)/python -m pytest -q -n 2 --dist loadfile
# Outside CI the suite leaves out what starts real services: `make lab-test` runs that.
NOT_IN_CI := $(if $(CI),,-m 'not lab')
LOCK := $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url \
	--python-version 3.11 --custom-compile-command 'make lock' $(if $(UPGRADE),--upgrade)

.DEFAULT_GOAL := help
# Two set-ups of one environment at a time would spoil it.
.NOTPARALLEL:
.PHONY: help demo test test-fast check format lab lab-test break bench evaluation docs reference golden lock build clean clean-all env env-core

help: ## Show this list
	@printf 'superbizagent: make TARGET\n\n'
	@awk -F ':.* ## ' '/^[a-z-]+:.* ## / { printf "  %-10s %s\n", $$1, $$2 }' Makefile
	@printf '\nStart with `make demo`. PYTHON=/path/to/python3.12 picks the Python.\n'

env-core:
	$(BOOTSTRAP) core

env:
	$(BOOTSTRAP) core dev

demo: env-core ## Diagnose the recorded incident that ships with the product
	@$(BIN)/superbiz demo

test: env ## Run the test suite (in CI with the real services of the lab)
	@$(PYTEST) $(NOT_IN_CI)

test-fast: env ## Run the tests that take moments
	@$(PYTEST) -m 'not lab and not slow'

check: env ## Format, lint, types, layers, sizes, docs: what a change must pass beside the tests
	@$(BIN)/ruff format --check --quiet . || { echo 'check: run make format'; exit 1; }
	@$(BIN)/ruff check --quiet .
	@$(BIN)/pyright --level warning >.venv/pyright.log || { cat .venv/pyright.log; exit 1; }
	@$(BIN)/lint-imports --no-logo >.venv/contracts.log || { cat .venv/contracts.log; exit 1; }
	@$(PYTEST) tests/test_size.py tests/docs

format: env ## Let ruff rewrite what it can
	@$(BIN)/ruff check --quiet --fix-only .
	@$(BIN)/ruff format --quiet .

lab: env ## Start real services, break them, diagnose; then ten healthy periods (ARGS=… for one)
ifdef ARGS
	@$(BIN)/python -m lab $(ARGS)
else
	@$(BIN)/python -m lab run
	@$(BIN)/python -m lab healthy
endif

lab-test: env ## Run the tests that start real services
	@$(BIN)/python -m pytest -q -m lab

break: env ## Break each requirement's code in turn and see its test go red
	@$(BIN)/python -m tools.break_requirements

bench: env ## Measure start-up, the demo, the size of an install and the speed of the core
	@$(BIN)/python -m benchmarks.cli
	@$(BIN)/python -m benchmarks.install
	@$(BIN)/python -m benchmarks.core_speed

evaluation: env ## Write the figures of docs/evaluation.md anew (RCA=, ALERTS=, LOGS=, ANOMALY=DIR: labelled data)
	@POLARS_MAX_THREADS=1 $(BIN)/python -m tools.write_evaluation $(if $(RCA),--rca $(RCA)) $(if $(ALERTS),--alerts $(ALERTS)) \
		$(if $(LOGS),--logs $(LOGS)) $(if $(ANOMALY),--anomaly $(ANOMALY))

docs: env-core ## Build the documentation into build/site
	$(BOOTSTRAP) docs
	@$(BIN)/mkdocs build --strict >.venv/docs.log 2>&1 || { cat .venv/docs.log; exit 1; }
	@printf 'open build/site/index.html\n'

reference: env ## Write the generated pages of docs/reference anew
	@$(BIN)/python -m tools.write_reference

golden: env ## Write the stored session that the replay tests compare with anew
	@$(BIN)/python tools/make_golden.py

lock: env ## Write the lock files anew (UPGRADE=1 takes newer releases)
	@$(LOCK) pyproject.toml -o requirements.lock
	@$(LOCK) --group build -o requirements-build.lock
	@$(LOCK) pyproject.toml --all-extras --group dev -c requirements.lock -c requirements-build.lock -o requirements-dev.lock
	@$(LOCK) --group docs -c requirements-dev.lock -o requirements-docs.lock

build: env ## Build the wheel and the source archive into dist
	@rm -rf dist
	@$(BIN)/python -m hatchling build >/dev/null
	@ls dist

clean: ## Remove what builds and tests left
	@rm -rf build dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache .coverage htmlcov
	@find src tests lab tools benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

clean-all: clean ## Remove the environment too
	@rm -rf .venv
