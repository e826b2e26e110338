"""Settings of the HTTP service. Light: it is read by every command."""

from ipaddress import ip_address

from pydantic import BaseModel, ConfigDict, Field, SecretStr

__all__ = ["SenderSecrets", "ServiceConfig", "is_loopback"]


class SenderSecrets(BaseModel):
    """What senders sign their webhooks with; without one a sender shows a token instead."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    grafana: SecretStr | None = None
    """Of the HMAC that Grafana's contact point adds."""
    grafana_header: str = "X-Grafana-Alerting-Signature"
    """Where Grafana puts it."""
    grafana_timestamp_header: str = ""
    """Where Grafana puts the signed time, if its contact point is told to."""
    pagerduty: SecretStr | None = None
    """Of the webhook subscription."""
    tolerance_seconds: float = Field(default=300.0, gt=0)
    """How old a signed time may be: older bodies are replays."""


class ServiceConfig(BaseModel):
    """How the service listens, and what one caller may ask of it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    host: str = "127.0.0.1"
    """Beyond the loopback address only with a token (`superbiz token create`)."""
    port: int = Field(default=9900, ge=0, le=65535)
    """0 takes a free one."""
    public_url: str = ""
    """Address under which people reach it, for links in notifications."""
    allowed_hosts: tuple[str, ...] = ()
    """Further names in `Host` headers that are answered; a page elsewhere must not reach us by a
    name of its own that resolves to this machine."""
    max_body_bytes: int = Field(default=10 * 1024 * 1024, gt=0)
    """Alertmanager's largest groups stay below one megabyte."""
    requests_per_minute: int = Field(default=1200, gt=0)
    """Of one caller; webhooks do not count, they are bounded by their queue."""
    logins_per_minute: int = Field(default=10, gt=0)
    """Of one address, right or wrong."""
    max_connections: int = Field(default=4000, gt=0)
    """Open at a time, idle ones included; more are answered with 503."""
    trusted_proxies: tuple[str, ...] = ()
    """Addresses or networks whose `X-Forwarded-For` and `-Proto` are believed."""
    max_streams: int = Field(default=2000, gt=0)
    """Open event streams of all callers together."""
    login_days: float = Field(default=7.0, gt=0)
    """How long a login of the page lasts."""
    senders: SenderSecrets = SenderSecrets()
    """What senders sign with."""


def is_loopback(host: str) -> bool:
    """Tell whether an address to listen on is reached from this machine alone."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
