"""The only reader of environment variables and configuration files.

Precedence: command-line flags (handed in), ``SUPERBIZ_…`` variables, ``superbiz.toml`` in the
working directory, ``superbiz.toml`` in the user's configuration folder, the defaults below.
"""

import os
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from superbizagent.domain.gathering import Caps
from superbizagent.errors import ConfigError

__all__ = [
    "AiopsGateSettings",
    "HttpSourceSettings",
    "KubernetesSettings",
    "Settings",
    "SourcesSettings",
    "load_settings",
    "unknown_variables",
    "user_config_folder",
]

CONFIG_NAME = "superbiz.toml"


def user_config_folder() -> Path:
    """The folder of the user's own configuration and playbooks."""
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"  # noqa: TID251 - this is the home
    return Path(base) / "superbizagent"


def _default_data_dir() -> Path:
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"  # noqa: TID251 - this is the home
    return Path(base) / "superbizagent"


class AiopsGateSettings(BaseModel):
    """How strict the AIOps rule gate is."""

    fail_off_target: bool = False
    """A report about another alert is FAIL instead of WARN."""


class HttpSourceSettings(BaseModel):
    """Where a live system is and how it lets us in; secrets never print."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: str = ""
    """Base address, with its path prefix and without `/api/v1`; empty: there is none."""
    headers: dict[str, SecretStr] = {}
    """Sent with each request, such as `X-Scope-OrgID`; in the environment a JSON object."""
    username: str = ""
    """For basic authentication."""
    password: SecretStr | None = None
    """For basic authentication; better in the environment than in a file."""
    bearer_token: SecretStr | None = None
    """Sent as `Authorization: Bearer`; better in the environment than in a file."""
    bearer_token_file: Path | None = None
    """File that holds the bearer token; read anew for each question."""
    ca_file: Path | None = None
    """PEM file of the authority behind the server's certificate; empty: those of this machine."""
    client_cert_file: Path | None = None
    """PEM file of our own certificate, where the server asks for one."""
    client_key_file: Path | None = None
    """PEM file of its key, when the certificate's file does not hold it."""
    proxy: str = ""
    """Proxy to go through, `http://host:port`; variables such as `HTTPS_PROXY` are not read."""
    timeout_seconds: float = Field(default=25.0, gt=0)
    """Of one question: two that time out fit into a diagnosis."""

    @model_validator(mode="after")
    def _one_way_in(self) -> Self:
        ways = (self.username or self.password, self.bearer_token, self.bearer_token_file)
        if sum(map(bool, ways)) > 1:
            raise ValueError("give one of username, bearer_token and bearer_token_file")
        return self


class KubernetesSettings(HttpSourceSettings):
    """Where the API of a cluster is, and what of it is looked at."""

    kubeconfig: Path | None = None
    """File of `kubectl` whose current context is used, in place of an address."""
    namespaces: tuple[str, ...] = ()
    """To look at; empty: all that may be seen. In the environment a JSON list."""


class SourcesSettings(BaseModel):
    """The live systems that evidence is read from."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    prometheus: HttpSourceSettings = HttpSourceSettings()
    alertmanager: HttpSourceSettings = HttpSourceSettings()
    kubernetes: KubernetesSettings = KubernetesSettings()


class Settings(BaseSettings):
    """Every setting, with its unit in the name and the reason for the default beside it."""

    model_config = SettingsConfigDict(
        env_prefix="SUPERBIZ_", env_nested_delimiter="__", extra="forbid", frozen=True
    )

    data_dir: Path = Field(default_factory=_default_data_dir)
    """Where the embedded database and the installation key live."""
    database_url: str = ""
    """SQLAlchemy URL, ``sqlite+aiosqlite://`` in this version; empty: SQLite in ``data_dir``."""
    integrity_key_file: Path | None = None
    """File whose bytes key the journal's hash chain. Keep it away from the database: whoever can
    read both can forge; without it the chain shows corruption, not a rewrite."""
    lang: Literal["auto", "en", "zh"] = "auto"
    """Language of reports; ``auto`` follows the question, else ``LANG``."""
    timezone: str = ""
    """Zone that reports show times in; empty: this machine's zone."""
    log_tz: str = ""
    """Zone of log lines that carry none; empty: inferred and stated."""
    log_level: Literal["debug", "info", "warning", "error"] = "warning"
    """Our own log lines on stderr."""
    log_json: bool = False
    """Our own log lines as one JSON object each."""
    deadline_seconds: float = 60.0
    """After this a diagnosis reports what is in; on call, a late answer is no answer."""
    entity_labels: tuple[str, ...] = (
        "service_name",
        "service",
        "app",
        "app_kubernetes_io_name",
        "job",
        "container",
        "host",
    )
    """Labels whose value names an entity, first match wins; ``host`` names a machine."""
    skills_dirs: tuple[Path, ...] = ()
    """Further folders with playbooks, read after the packaged and the user's own."""
    caps: Caps = Caps()
    """How much a diagnosis may ask of somebody's production."""
    sources: SourcesSettings = SourcesSettings()
    aiops_gate: AiopsGateSettings = AiopsGateSettings()
    max_rounds: int = 2
    """Evidence rounds of one session: the sweep, and one follow-up on what it found."""

    @property
    def url(self) -> str:
        """The database URL in force."""
        return self.database_url or f"sqlite+aiosqlite:///{self.data_dir / 'superbiz.db'}"

    @property
    def deadline(self) -> timedelta:
        """How long one diagnosis may take."""
        return timedelta(seconds=self.deadline_seconds)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the signature is pydantic's
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - likewise
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Flags, environment, project file, user file."""
        files = [user_config_folder() / CONFIG_NAME, Path(CONFIG_NAME)]
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, files)


def load_settings(**flags: Any) -> Settings:
    """Read the settings.

    Args:
        flags: values from the command line; None means "not given".

    Raises:
        ConfigError: when a file cannot be read or a value is wrong; names the setting.
    """
    given = {k: v for k, v in flags.items() if v is not None}
    try:
        return Settings(**given)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        hint = (
            "remove it or see the settings reference"
            if first["type"] == "extra_forbidden"
            else "correct it"
        )
        raise ConfigError(f"setting {name!r}: {first['msg']}; {hint}") from None
    except ValueError as error:  # tomllib.TOMLDecodeError among them
        raise ConfigError(f"{CONFIG_NAME} cannot be read: {error}; correct the file") from error


def unknown_variables() -> tuple[str, ...]:
    """Names in the environment that begin like a setting and are none, sorted."""
    known = {f"SUPERBIZ_{name.upper()}" for name in Settings.model_fields}
    return tuple(
        name
        for name in sorted(os.environ)  # noqa: TID251 - this is the home
        if name.startswith("SUPERBIZ_") and name.split("__")[0] not in known
    )


def locale_language() -> str:
    """Two letters of the user's locale, ``en`` when there is none."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(name, "")  # noqa: TID251 - this is the home
        if value:
            return value[:2].lower()
    return "en"


def cluster_address() -> str:
    """Address of the API of the cluster that this process runs in; empty outside of one."""
    host = os.environ.get("KUBERNETES_SERVICE_HOST", "")  # noqa: TID251 - this is the home
    port = os.environ.get("KUBERNETES_SERVICE_PORT", "443")  # noqa: TID251 - this is the home
    return f"https://{f'[{host}]' if ':' in host else host}:{port}" if host else ""


def no_color() -> bool:
    """Whether the user asked for plain output (https://no-color.org)."""
    return bool(os.environ.get("NO_COLOR"))  # noqa: TID251 - this is the home


def local_timezone() -> str:
    """The machine's zone as an IANA name when it tells one, else ``UTC``."""
    name = os.environ.get("TZ", "")  # noqa: TID251 - this is the home
    if name:
        return name.removeprefix(":")
    link = Path("/etc/localtime")
    if link.is_symlink():
        target = str(link.resolve())
        if "/zoneinfo/" in target:
            return target.split("/zoneinfo/", 1)[1]
    return "UTC"
