"""Ways in: what is sent where, and what never prints."""

import ssl
from pathlib import Path

import pytest

from superbizagent.datasources._http import HttpAccess
from superbizagent.errors import ConfigError, UsageError

HUSHED = "ops-hushed-word"


def test_an_address_prints_without_credentials_query_and_fragment() -> None:
    access = HttpAccess(f"https://ops:{HUSHED}@metrics.example.com/prom/?token={HUSHED}#x")
    assert access.address == "https://metrics.example.com/prom"


@pytest.mark.parametrize(
    "access",
    [
        HttpAccess(f"https://ops:{HUSHED}@metrics.example.com"),
        HttpAccess("https://metrics.example.com", username="ops", password=HUSHED),
        HttpAccess("https://metrics.example.com", bearer_token=HUSHED),
        HttpAccess("https://metrics.example.com", headers={"Authorization": f"Bearer {HUSHED}"}),
        HttpAccess("https://metrics.example.com", headers={"X-Api-Key": HUSHED}),
    ],
    ids=["address", "password", "token", "authorization", "header"],
)
def test_secrets_are_masked_in_texts_and_never_in_the_representation(access: HttpAccess) -> None:
    echoed = access.masked(f"the server says: who is {HUSHED}?", access.request_headers())
    assert HUSHED not in echoed
    assert "who is ***?" in echoed
    if "@" not in access.url:
        assert HUSHED not in repr(access)


def test_a_tenant_is_no_secret() -> None:
    access = HttpAccess("https://metrics.example.com", headers={"X-Scope-OrgID": "shop"})
    assert access.masked("tenant shop", access.request_headers()) == "tenant shop"


def test_the_token_file_is_read_anew_each_time(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("first\n", encoding="utf-8")
    access = HttpAccess("https://metrics.example.com", bearer_token_file=token)
    assert access.request_headers()["Authorization"] == "Bearer first"
    token.write_text("second\n", encoding="utf-8")
    assert access.request_headers()["Authorization"] == "Bearer second"


def test_a_missing_token_file_is_one_line_that_names_the_setting(tmp_path: Path) -> None:
    access = HttpAccess("https://metrics.example.com", bearer_token_file=tmp_path / "no")
    with pytest.raises(ConfigError, match="bearer_token_file"):
        access.request_headers()


@pytest.mark.parametrize("content", [None, "no certificate"])
def test_a_ca_file_that_is_none_is_one_line(tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "ca.pem"
    if content is not None:
        file.write_text(content, encoding="utf-8")
    access = HttpAccess("https://metrics.example.com", ca_file=file)
    with pytest.raises(ConfigError, match="ca_file"):
        _ = access.tls


def test_a_client_certificate_that_is_none_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "client.pem"
    file.write_text("no certificate", encoding="utf-8")
    access = HttpAccess("https://metrics.example.com", client_cert_file=file)
    with pytest.raises(ConfigError, match="client_cert_file"):
        _ = access.tls


def test_certificates_are_always_checked() -> None:
    tls = HttpAccess("https://metrics.example.com").tls
    assert isinstance(tls, ssl.SSLContext)
    assert tls.verify_mode is ssl.CERT_REQUIRED
    assert tls.check_hostname


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ("https://metrics.example.com/other/prefix", True),
        ("https://ops:pw@metrics.example.com", True),
        ("http://metrics.example.com", False),
        ("https://metrics.example.com:9090", False),
        ("https://metrics.example.com.evil.example.org", False),
    ],
)
def test_the_same_host_is_scheme_host_and_port(other: str, same: bool) -> None:  # noqa: FBT001 - a table's column
    mine = HttpAccess("https://metrics.example.com/prom")
    assert mine.is_same_host(HttpAccess(other)) is same


@pytest.mark.parametrize("url", ["", "metrics:9090", "ftp://metrics", "http://", "file:///etc"])
def test_what_is_no_address_is_refused_at_once(url: str) -> None:
    with pytest.raises(UsageError, match="address"):
        HttpAccess(url)
