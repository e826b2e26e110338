"""The only reader of environment variables and configuration files.

Precedence: command-line flags (handed in), ``SUPERBIZ_…`` variables, ``superbiz.toml`` in the
working directory, ``superbiz.toml`` in the user's configuration folder, the defaults below.
"""

import os
import re
import tomllib
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    model_validator,
)
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from superbizagent.api.config import ServiceConfig
from superbizagent.domain.gathering import Caps
from superbizagent.domain.intake import IntakeConfig, StormConfig
from superbizagent.errors import ConfigError
from superbizagent.notifications.config import NotifyConfig
from superbizagent.workers.config import WorkerConfig

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

__all__ = [
    "AiopsGateSettings",
    "HttpSourceSettings",
    "KubernetesSettings",
    "Settings",
    "SourcesSettings",
    "config_files",
    "load_settings",
    "secret_of",
    "setting_errors",
    "unknown_variables",
    "user_config_folder",
    "variables",
]

CONFIG_NAME = "superbiz.toml"
_OFFSET = re.compile(r"[+-](?:0\d|1[0-4]):?[0-5]\d")


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

    name: str = ""
    """Name in reports; each of several servers of a kind needs one."""
    match: dict[str, str] = {}
    """Labels of the alerts this server is for, such as `cluster`; what it gives is of them."""
    url: str = ""
    """Base address, with its path prefix and without the path of its API; empty: there is none."""
    headers: dict[str, SecretStr] = {}
    """Sent with each request, such as `X-Scope-OrgID`; in the environment a JSON object."""
    username: str = ""
    """For basic authentication."""
    password: SecretStr | None = None
    """For basic authentication; better in the environment than in a file."""
    password_env: str = ""
    """Name of the environment variable that holds the password."""
    bearer_token: SecretStr | None = None
    """Sent as `Authorization: Bearer`; better in the environment than in a file."""
    bearer_token_env: str = ""
    """Name of the environment variable that holds the bearer token."""
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
        basic = (self.username or self.password or self.password_env,)
        token = (self.bearer_token, self.bearer_token_env, self.bearer_token_file)
        if sum(map(bool, basic + token)) > 1 or (self.password and self.password_env):
            raise ValueError("give one of username, bearer_token and bearer_token_file")
        return self

    def secret(self, kind: Literal["password", "bearer_token"]) -> str:
        """Return one of its secrets: see `secret_of`."""
        return secret_of(getattr(self, kind), getattr(self, f"{kind}_env"), kind)


def secret_of(given: SecretStr | None, variable: str, name: str) -> str:
    """Return a secret as it is given, or as the variable that is named for it holds it.

    Raises:
        ConfigError: when that variable is not set.
    """
    if given is not None:
        return given.get_secret_value()
    if variable and variable not in os.environ:  # noqa: TID251 - this is the home
        raise ConfigError(f"{name}_env names {variable}, which is not set; export {variable}")
    return os.environ.get(variable, "") if variable else ""  # noqa: TID251 - this is the home


SettingError = tuple[tuple[str, ...], "ErrorDetails"]
"""A key and what is wrong with it."""

OneOrMore = HttpSourceSettings | tuple[HttpSourceSettings, ...]
"""One server, written as a table, or several, written as an array of tables."""

RECORDED = frozenset({"bundle", "logs", "payload", "reported_changes"})
"""What recordings, log files and the alerts of an incident are called in reports."""


class KubernetesSettings(HttpSourceSettings):
    """Where the API of a cluster is, and what of it is looked at."""

    kubeconfig: Path | None = None
    """File of `kubectl` whose current context is used, in place of an address."""
    namespaces: tuple[str, ...] = ()
    """To look at; empty: all that may be seen. In the environment a JSON list."""


class SourcesSettings(BaseModel):
    """The live systems that evidence is read from."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    prometheus: OneOrMore = HttpSourceSettings()
    alertmanager: OneOrMore = HttpSourceSettings()
    loki: OneOrMore = HttpSourceSettings()
    jaeger: OneOrMore = HttpSourceSettings()
    kubernetes: KubernetesSettings = KubernetesSettings()

    def servers(self, kind: str) -> dict[str, HttpSourceSettings]:
        """Return the servers of a kind by their names; one without a name is called as its kind."""
        return {one.name or kind: one for one in self.given(kind) if one.url}

    def given(self, kind: str) -> tuple[HttpSourceSettings, ...]:
        """Return what is said of a kind, also where no address is."""
        return _several(getattr(self, kind))

    @model_validator(mode="after")
    def _names(self) -> Self:
        kinds = type(self).model_fields
        seen = set(RECORDED)
        for kind in kinds:
            for one in _several(getattr(self, kind)):
                name = one.name or kind
                if one.url and (name in seen or (name in kinds and name != kind)):
                    raise ValueError(f"{name!r} is taken; give each server a name of its own")
                seen |= {name} if one.url else set()
        return self


def _several(given: Any) -> tuple[HttpSourceSettings, ...]:
    some = cast("tuple[Any, ...]", given) if isinstance(given, tuple) else (given,)
    return tuple(one for one in some if isinstance(one, HttpSourceSettings))


def _zone_name(name: str) -> str:
    try:
        return name if not name or _OFFSET.fullmatch(name) else ZoneInfo(name).key
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(f"{name!r} is no time zone such as Asia/Shanghai or +08:00") from None


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
    timezone: Annotated[str, AfterValidator(_zone_name)] = ""
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
        "application",
        "app_kubernetes_io_name",
        "job",
        "container",
        "host",
    )
    """Labels whose value names an entity, first match wins; ``host`` names a machine."""
    skills_dirs: tuple[Path, ...] = ()
    """Further folders with playbooks, read after the packaged and the user's own."""
    skills_off: tuple[str, ...] = ()
    """Names of playbooks that are not used."""
    caps: Caps = Caps()
    """How much a diagnosis may ask of somebody's production."""
    sources: SourcesSettings = SourcesSettings()
    aiops_gate: AiopsGateSettings = AiopsGateSettings()
    service: ServiceConfig = ServiceConfig()
    worker: WorkerConfig = WorkerConfig()
    intake: IntakeConfig = IntakeConfig()
    storm: StormConfig = StormConfig()
    notify: NotifyConfig = NotifyConfig()
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
        toml = TomlConfigSettingsSource(settings_cls, list(config_files()), deep_merge=True)
        return init_settings, env_settings, toml


def config_files() -> tuple[Path, Path]:
    """The user's file and the project's; the second wins."""
    return user_config_folder() / CONFIG_NAME, Path(CONFIG_NAME)


def load_settings(**flags: Any) -> Settings:
    """Read the settings.

    Args:
        flags: values from the command line; None means "not given".

    Raises:
        ConfigError: when a file cannot be read or a value is wrong; names the setting.
    """
    given = {k: v for k, v in flags.items() if v is not None}
    try:
        _refuse_mixed()
        return Settings(**given)
    except ValidationError as error:
        path, first = setting_errors(error)[0]
        name = ".".join(path)
        said = first["msg"].removeprefix("Value error, ")
        hint = (
            "remove it or see `superbiz config check`"
            if first["type"] == "extra_forbidden"
            else "correct it"
        )
        raise ConfigError(f"setting {name!r}: {said}; {hint}") from None
    except ValueError as error:  # tomllib.TOMLDecodeError among them
        raise ConfigError(f"{CONFIG_NAME} cannot be read: {error}; correct the file") from error
    except OSError as error:
        raise ConfigError(
            f"{str(error.filename)!r} cannot be read: {error.strerror}; correct its permissions"
        ) from error


def setting_errors(error: ValidationError) -> list["SettingError"]:
    """Return each error with the key it is about.

    A server may be written as a table or as an array of tables; what is wrong with the form that
    it was not written in is no news.
    """
    found = [(_key(e["loc"]), e) for e in error.errors()]
    told = [pair for pair in found if pair[1]["type"] not in {"model_type", "tuple_type"}]
    return told or found


def _key(place: Sequence[int | str]) -> tuple[str, ...]:
    return tuple(str(part) for part in place if "HttpSourceSettings" not in str(part))


def _refuse_mixed() -> None:
    """Refuse a variable for one server where a file names several: it would replace them all.

    Raises:
        ConfigError: when there is one.
    """
    for path in config_files():
        if not path.is_file():
            continue
        sources: Any = tomllib.loads(path.read_text("utf-8")).get("sources")
        given = cast("dict[str, Any]", sources) if isinstance(sources, dict) else {}
        for kind in (kind for kind, value in given.items() if isinstance(value, list)):
            prefix = f"SUPERBIZ_SOURCES__{kind.upper()}__"
            if named := [name for name in variables() if name.startswith(prefix)]:
                raise ConfigError(
                    f"{named[0]} is for one server, and [[sources.{kind}]] in {str(path)!r} names"
                    " several; write bearer_token_env or password_env there instead"
                )


def variables() -> dict[str, str]:
    """The variables of this program that are set, with their values."""
    return {k: v for k, v in sorted(os.environ.items()) if k.startswith("SUPERBIZ_")}  # noqa: TID251 - this is the home


def unknown_variables() -> tuple[str, ...]:
    """Names in the environment that begin like a setting and are none, sorted."""
    known = {f"SUPERBIZ_{name.upper()}" for name in Settings.model_fields}
    return tuple(name for name in variables() if name.split("__")[0] not in known)


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
