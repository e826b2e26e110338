"""How to get in: address, credentials, certificates. What is secret never prints."""

import ssl
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import httpx2

from superbizagent.errors import ConfigError, UsageError

__all__ = ["HttpAccess"]

_SHORTEST_SECRET = 4
"""Shorter values are words like ``dev``; masking those would garble messages and hide nothing."""

_PLAIN_HEADERS = frozenset(
    {
        "accept",
        "user-agent",
        "x-grafana-org-id",
        "x-loki-response-encoding-flags",
        "x-scope-orgid",
    }
)
"""Headers whose values are names, not secrets."""


@dataclass(frozen=True)
class HttpAccess:
    """Where a server is and how it lets us in.

    Raises:
        UsageError: when ``url`` is no HTTP address.
    """

    url: str
    """Base address, with a path prefix when there is one; credentials in it are basic ones."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    username: str = ""
    password: str = field(default="", repr=False)
    bearer_token: str = field(default="", repr=False)
    bearer_token_file: Path | None = None
    """Read anew for each connection: such files are rotated."""
    ca_file: Path | None = None
    ca_pem: str = field(default="", repr=False)
    """Certificates of the authority themselves, where no file holds them."""
    client_cert_file: Path | None = None
    client_key_file: Path | None = None
    client_pem: str = field(default="", repr=False)
    """Our certificate and its key themselves, where no file holds them."""
    proxy: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        """Refuse what is no address before anything is asked."""
        _ = self._parsed

    @cached_property
    def address(self) -> str:
        """The address as messages print it: without credentials, query and fragment."""
        bare = self._parsed.copy_with(userinfo=b"", query=None, fragment=None)
        return str(bare).rstrip("/")

    @cached_property
    def _parsed(self) -> httpx2.URL:
        try:
            parsed = httpx2.URL(self.url.strip().rstrip("/"))
        except httpx2.InvalidURL as error:
            raise UsageError(f"{self.url!r} is no address: {error}") from error
        if parsed.scheme not in {"http", "https"} or not parsed.host:
            raise UsageError(
                f"{self.url!r} is no HTTP address; give it as http://host:9090 or"
                " https://host/prefix"
            )
        return parsed

    def is_same_host(self, other: "HttpAccess") -> bool:
        """Tell whether both are the same server, whatever the path: scheme, host and port."""
        return self.origin == other.origin

    @cached_property
    def origin(self) -> tuple[str, str, int | None]:
        """Scheme, host and port."""
        return self._parsed.scheme, self._parsed.host, self._parsed.port

    @property
    def user(self) -> str:
        """The user name of basic authentication, empty when there is none."""
        return self.username or self._parsed.username

    @staticmethod
    def is_plain(header: str) -> bool:
        """Tell whether a header's value is a name, such as a tenant's, and no secret."""
        return header.lower() in _PLAIN_HEADERS

    @property
    def auth(self) -> httpx2.Auth | None:
        """Basic authentication, from the settings or from the address."""
        if self.username or self.password:
            return httpx2.BasicAuth(self.username, self.password)
        parsed = self._parsed
        return httpx2.BasicAuth(parsed.username, parsed.password) if parsed.userinfo else None

    def request_headers(self) -> dict[str, str]:
        """Return the headers of every request, the token of a file among them.

        Raises:
            ConfigError: when the token's file cannot be read.
        """
        headers = dict(self.headers)
        if token := self._token():
            headers["Authorization"] = f"Bearer {token}"
        return headers

    def _token(self) -> str:
        if self.bearer_token_file is None:
            return self.bearer_token
        try:
            return self.bearer_token_file.read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(
                f"the token file {str(self.bearer_token_file)!r} cannot be read"
                f" ({type(error).__name__}); correct bearer_token_file"
            ) from None

    @cached_property
    def tls(self) -> ssl.SSLContext | bool:
        """What certificates are checked with: the machine's, or the given authority's.

        Raises:
            ConfigError: when a certificate file cannot be used.
        """
        if self._parsed.scheme != "https":
            return False
        try:
            context = ssl.create_default_context(cafile=self.ca_file, cadata=self.ca_pem or None)
        except (OSError, ssl.SSLError) as error:
            raise ConfigError(
                f"the CA file {str(self.ca_file)!r} cannot be used ({_reason(error)});"
                " give ca_file a PEM file of certificates"
            ) from None
        if self.client_cert_file is not None or self.client_pem:
            try:
                self._load_client(context)
            except (OSError, ssl.SSLError) as error:
                raise ConfigError(
                    f"the client certificate {str(self.client_cert_file)!r} cannot be used"
                    f" ({_reason(error)}); give PEM files as client_cert_file and client_key_file"
                ) from None
        return context

    def _load_client(self, context: ssl.SSLContext) -> None:
        if self.client_cert_file is not None:
            context.load_cert_chain(self.client_cert_file, self.client_key_file)
            return
        # The library takes files alone; this one nobody else may read, and it goes at once.
        with tempfile.NamedTemporaryFile("w", encoding="ascii", suffix=".pem") as file:
            file.write(self.client_pem)
            file.flush()
            context.load_cert_chain(file.name)

    def masked(self, text: str, headers: Mapping[str, str]) -> str:
        """Return ``text`` without any of our secrets; ``headers`` are those that were sent."""
        for secret in self._secrets(headers):
            text = text.replace(secret, "***")
        return text

    def _secrets(self, headers: Mapping[str, str]) -> list[str]:
        parsed = self._parsed
        known = [self.password, parsed.password if parsed.userinfo else ""]
        for name, value in headers.items():
            if not self.is_plain(name):
                known += [value, value.partition(" ")[2]]
        if self.proxy:
            known.append(self.proxy)
        return sorted({s for s in known if len(s) >= _SHORTEST_SECRET}, key=len, reverse=True)


def _reason(error: OSError) -> str:
    return error.strerror or getattr(error, "reason", "") or type(error).__name__
