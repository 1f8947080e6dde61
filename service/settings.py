"""Settings of an operator, from environment variables that begin with `CRS_EVAL_`.

A name that nothing reads is an error, not a silent default: a misspelt setting must not start."""

import ipaddress
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    model_validator,
)

from .domain.caller import ApiKey, RateLimit
from .domain.idle import Idle, Sampling, parse_span
from .domain.modes import Judging
from .domain.nearest import nearest
from .domain.verdict import JudgeName
from .errors import ConfigurationError

PREFIX = "CRS_EVAL_"
CLIENT_VARIABLES = ("CRS_EVAL_URL", "CRS_EVAL_API_KEY")
"""Variables that the command line reads and the service would refuse as unknown settings."""
# Kubernetes injects these for a Service called crs-eval.
_INJECTED = re.compile(
    r"CRS_EVAL_(SERVICE_(HOST|PORT(_\w+)?)|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)"
)
FAMILY_NAMES = {
    "judge_by_role": "ROLE_JUDGE_<ROLE>",
    "judge_by_factor": "JUDGE_<SLUG>",
    "judging_by_factor": "JUDGING_<SLUG>",
    "upstream_keys": "UPSTREAM_<NAME>_API_KEY",
    "upstreams": "UPSTREAM_<NAME>",
    "concurrency": "CONCURRENCY_<UPSTREAM>",
    "calls_per_minute": "CALLS_PER_MINUTE_<UPSTREAM>",
    "tokens_per_minute": "TOKENS_PER_MINUTE_<UPSTREAM>",
}
"""Settings whose names hold something of the operator's; a name is read as the first that it fits."""
_FAMILIES = [
    (re.compile(re.sub("<[A-Z]+>", r"(\\w{1,200})", name)), field) for field, name in FAMILY_NAMES.items()
]
OTLP = "OTEL_EXPORTER_OTLP_ENDPOINT"
"""The name of OpenTelemetry's own SDK for the setting `otlp_endpoint`."""
NEEDS: Mapping[str, str] = {
    "redis_password": "redis_url",
    "live_redis_password": "live_redis_url",
    "live_sample": "live_model",
    "live_model_budget": "live_model",
    "live_webhook_secret": "live_webhooks",
}
"""Settings that say nothing without another one."""


def _read_by(parse: Callable[[str], object]) -> BeforeValidator:
    """Marks a setting whose text `parse` reads."""
    return BeforeValidator(lambda value: parse(value) if isinstance(value, str) else value)


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _keys(text: str) -> tuple[ApiKey, ...]:
    keys = tuple(map(ApiKey.parse, _parts(text)))
    if len({key.name for key in keys}) < len(keys):
        raise ValueError("two keys have one name; give each its own")
    return keys


def _some(text: str) -> tuple[str, ...]:
    parts = _parts(text)
    if not parts:
        raise ValueError("should name one at least, several separated by commas")
    return parts


def web_address(value: str) -> str:
    """Return an address of the web as it is. Raises ValueError for anything else."""
    try:
        port = urlsplit(value).port
    except ValueError:
        port = 0
    if port == 0 or not re.fullmatch(r"https?://[^\s/?#]\S*", value):
        raise ValueError("should be an http:// or https:// address")
    return value


def _base_address(value: str) -> str:
    return web_address(value).rstrip("/")


def _model_address(value: str) -> str:
    """The base of a server of models: its SDK adds the path of each call."""
    address = _base_address(value)
    parts = urlsplit(address)
    if re.search(r"[?#\s]", address):
        raise ValueError("should end with the path, without ?, # and blanks: each call adds its own path")
    if parts.username is not None:
        raise ValueError("should be without user name and password: send a key in the setting for it")
    for path in ("/chat/completions", "/v1/messages", "/messages"):
        if address.endswith(path):
            raise ValueError(f"should end before {path}, which each call adds")
    return address


def _sent_in_header(value: object) -> object:
    """A key as a header can carry it: a file or a secret often ends with a line break. An empty value is no key, as of a
    variable that compose passes on."""
    text = value.strip() if isinstance(value, str) else value
    if value and isinstance(text, str) and not (text and text.isascii() and text.isprintable()):
        raise ValueError("should be printable letters, digits and signs of ASCII: no header carries others")
    return text


def _host_name(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9._-]+|\[?[0-9A-Fa-f:.]+\]?", value):
        raise ValueError("should be names or addresses without scheme and port, such as crs-eval.example")
    return value


def _network(value: str) -> str:
    try:
        return str(ipaddress.ip_network(value))
    except ValueError:
        raise ValueError("should be addresses or networks, such as 10.0.0.7 or 10.0.0.0/8") from None


def _origin(value: str) -> str:
    if value != "*" and not re.fullmatch(r"[a-z][a-z0-9+.-]{0,30}://[^\s/?#]+", value):
        raise ValueError("should be origins without a path, such as https://dash.example")
    return value


def _pairs(text: str) -> dict[str, str]:
    pairs = [part.partition("=") for part in _parts(text)]
    if any(not name or not equals for name, equals, _ in pairs):
        raise ValueError("should be name=URL, several separated by commas")
    if len({name for name, _, _ in pairs}) < len(pairs):
        raise ValueError("a name is there twice; keep one of them")
    return {name.strip(): address.strip() for name, _, address in pairs}


def _secret(text: str) -> str:
    if len(text) < 32:
        raise ValueError("should have at least 32 characters, for example `openssl rand -hex 32`")
    return text


Judge = Annotated[JudgeName, _read_by(JudgeName.parse)]
SPAN = _read_by(parse_span)
"""Marks a setting in seconds that is written as a span of time, such as `30m`."""
Span = Annotated[float, Field(gt=0, le=10 * 365 * 86_400), SPAN]
Names = Annotated[tuple[str, ...], _read_by(_parts)]
CacheKeys = Annotated[tuple[SecretStr, ...], _read_by(lambda text: tuple(map(_secret, _parts(text))))]
Address = Annotated[str, AfterValidator(web_address)]
BaseAddress = Annotated[str, AfterValidator(_base_address)]
ModelAddress = Annotated[str, AfterValidator(_model_address)]
HeaderKey = Annotated[SecretStr, BeforeValidator(_sent_in_header)]
Count = Annotated[int, Field(ge=1)]
HostNames = Annotated[tuple[Annotated[str, AfterValidator(_host_name)], ...], _read_by(_parts)]
Networks = Annotated[tuple[Annotated[str, AfterValidator(_network)], ...], _read_by(_parts)]
OriginNames = Annotated[tuple[Annotated[str, AfterValidator(_origin)], ...], _read_by(_parts)]
Addresses = Annotated[tuple[Address, ...], _read_by(_parts)]
Pairs = Annotated[Mapping[str, Address], _read_by(_pairs)]


class ProviderAccess(BaseModel):
    """An operator's settings for one provider of models: None where nothing is."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    base_url: ModelAddress | None = None
    api_key: HeaderKey | None = None


class Settings(BaseModel):
    """One field a setting; `docs/settings.md` is generated from these descriptions."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        arbitrary_types_allowed=True,
        allow_inf_nan=False,
        use_attribute_docstrings=True,
    )

    judge: Judge = JudgeName("builtin")
    """Judge for requests that name none: `builtin` or `provider:model`."""
    judge_by_factor: Mapping[str, Judge] = {}
    """Judge for one factor, with underscores for hyphens (`JUDGE_SEMANTIC_RELEVANCE`)."""
    judge_by_role: Mapping[str, Judge] = {}
    """Judge that speaks for one role of a debate (`ROLE_JUDGE_DOMAIN_EXPERT`)."""
    judging: Judging = Judging.RATING
    """Way of asking models, unless the request sets it: `rating`, `itemised` for factors with a ladder, or
    `faults` for the factors of CoRE."""
    judging_by_factor: Mapping[str, Judging] = {}
    """Way of asking models about one factor (`JUDGING_GROUNDNESS=itemised`)."""
    judges: Names = ()
    """Judges that callers may name, comma-separated; `openai:*` allows every model of a provider. Unset:
    `builtin` and the judges in other settings."""
    providers: Mapping[str, ProviderAccess] = {}
    """Base URL and key of each provider's judges."""
    upstreams: Mapping[str, ModelAddress] = {}
    """Base URL of an OpenAI-compatible server; judges on it are named `<name>:<model>`."""
    upstream_keys: Mapping[str, HeaderKey] = {}
    """Key of that server, if it requires one."""
    models: Path | None = None
    """TOML file with the parameters that models accept, where the built-in rules do not fit
    (docs/language-models.md)."""
    prices: Path | None = None
    """TOML file with prices per model, to report costs and to set budgets in cost."""
    redis_url: SecretStr | None = None
    """Redis for the answers, leases and counters of all replicas. Unset: the memory of this process."""
    redis_password: SecretStr | None = None
    """Password of that Redis, if the address has none."""
    redis_ca: Path | None = None
    """PEM file with the certificate authorities for a Redis at `rediss://`. Unset: those of the system."""
    redis_timeout: float = Field(0.25, ge=0.01, le=60)
    """Timeout in seconds for Redis; after it, the service continues without Redis. The lease of a killed
    replica expires after 2.8 times as long."""
    cache_ttl: float = Field(30 * 86400, gt=0)
    """Seconds that a model's answer stays in the cache. Answers contain conversation text."""
    cache_bytes: int = Field(256 * 1024 * 1024, ge=0)
    """Size of the in-process cache in bytes, if there is no Redis."""
    cache_file: Path | None = None
    """File that stores the answers of models and recommenders, so that a stopped process can continue. It
    contains conversation text. Not with `REDIS_URL`."""
    provider_batch: Path | None = None
    """File that collects prompts for a provider's batch API instead of sending them. `crs-eval score
    --provider-batch` sets it."""
    cache_key: CacheKeys = ()
    """Secrets of at least 32 characters, comma-separated, that sign cached answers. The first signs and all
    verify, so you can rotate them. Answers without a valid signature are ignored. Unset: nothing is
    signed."""
    cache_namespaces: bool = False
    """True to give each key of `API_KEYS` a separate cache: callers cannot learn what others asked, and share
    no answers."""
    max_concurrency: int = Field(
        100, ge=1, le=10_000, description="Concurrent calls to all upstreams, per process."
    )
    concurrency: Mapping[str, Count] = {}
    """Concurrent calls to one upstream, per process (`CONCURRENCY_LLAMA=1`). Set it to the number that the
    server handles in parallel, so that the first verdicts come before the deadline. Unset: only
    `MAX_CONCURRENCY` applies."""
    calls_per_minute: Mapping[str, Count] = {}
    """Calls to one upstream in each minute of the clock, from all replicas that share the Redis
    (`CALLS_PER_MINUTE_OPENAI`). Unset: unlimited."""
    tokens_per_minute: Mapping[str, Count] = {}
    """Tokens to and from one upstream in each minute, input and output together. Unset: unlimited."""
    rationale_tokens: int = Field(120, ge=50, le=4000)
    """Maximum tokens of a model's rationale or statement."""
    crs_endpoints: Pairs = {}
    """Recommenders that `/simulate` can talk to: `name=URL`, comma-separated. A URL that ends in
    `/chat/completions` uses that protocol; any other is a webhook."""
    catalogs: Path | None = None
    """Folder of catalogues that requests can name, one `<name>.jsonl` each."""
    calibrations: Path | None = None
    """Folder of calibrations that requests can name: answers of `/calibrate`, one `<name>.json` each."""
    exams: Path | None = None
    """Folder of exam reports (answers of `/exam`, `*.json`). The confidence of a verdict is then how often
    the judge saw the faults of the factor, given at least 20 pairs."""
    api_keys: Annotated[tuple[ApiKey, ...], _read_by(_keys)] = ()
    """Keys that callers can send as `Authorization: Bearer <key>`, comma-separated, each as
    `name:scopes:sha256`. Scopes are `score`, `simulate`, `refresh` (replace shared answers) and `admin`,
    joined by `+`. The last part is the SHA-256 of the key in hex. Unset: no key is required."""
    rate_limit: Annotated[RateLimit, _read_by(RateLimit.parse)] | None = None
    """Requests per key (without keys: per address), such as `600/minute`. Each line of a batch counts as
    one."""
    cors_origins: OriginNames = ()
    """Origins whose pages may call the service, comma-separated. Unset: none."""
    hosts: HostNames = ()
    """Host names that the service accepts besides loopback and the address it listens on, comma-separated,
    without ports. Any other `Host` is a 421. If keys are set and this is not, any name is accepted. Does not
    apply to probes and `/metrics`."""
    trusted_proxies: Networks = ()
    """Addresses or networks of proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` headers are trusted,
    comma-separated. Unset: none."""
    env: Literal["development", "production"] = "development"
    """With `production`, the service does not start without `API_KEYS`."""
    open: bool = False
    """True to start in a Kubernetes cluster without a key on an address that other pods reach."""
    max_requests: int = Field(256, ge=1, le=100_000)
    """Requests processed at once, per process; further ones get a 503."""
    workers: int = Field(2, ge=0, le=64)
    """Processes that compute answers, each one request at a time. A process that exceeds a deadline is
    killed. 0: everything runs in one process, where no deadline can stop a computation."""
    request_cpu: float = Field(20, gt=0, le=3600)
    """Seconds of CPU for one request; above that it gets a 413. Requires `WORKERS`."""
    list_cutoff: int = Field(10, ge=1, le=1000)
    """Number of items from each reply's list that go into the session list."""
    request_timeout: float = Field(120, gt=0, le=3600, description="Seconds for a whole answer.")
    max_body: int = Field(10 * 1024 * 1024, ge=1024, description="Maximum bytes of a request's body.")
    factors: Path | None = None
    """Folder of your own factor files (`<slug>.toml`, protocol `custom`), judged by models."""
    header_timeout: float = Field(10, gt=0, le=600)
    """Seconds for the headers of a request to arrive; after that, a 408."""
    max_connections: int = Field(2000, ge=10, le=100_000)
    """Open connections, per process. At the limit, the oldest connection without a request in progress is
    closed for a new one; if there is none, the new one gets a 503."""
    max_messages: int = Field(
        2000, ge=1, le=100_000, description="Maximum messages in a log, including its history."
    )
    max_depth: int = Field(32, ge=8, le=128, description="Maximum nesting of a request's JSON.")
    otlp_endpoint: BaseAddress | None = None
    """Base URL of an OTLP receiver (protobuf over HTTP) for traces, metrics and evaluation events. Read from
    `OTEL_EXPORTER_OTLP_ENDPOINT`, OpenTelemetry's own name. Unset: nothing is sent."""
    metric_systems: int = Field(50, ge=0, le=1000)
    """Number of systems with separate metrics; further ones count as `other`."""
    live_redis_url: SecretStr | None = None
    """Redis for `crs-eval live`, separate and persistent (`appendonly yes`, `appendfsync always`,
    `maxmemory-policy noeviction`). Unset: a single process keeps open conversations in the file
    `LIVE_STATE`."""
    live_redis_password: SecretStr | None = None
    """Password of that Redis, if the address has none."""
    live_redis_unchecked: bool = False
    """True to start even if that Redis does not allow `CONFIG GET`."""
    live_state: Path = Path("crs-eval-live.db")
    """File for open conversations, if there is no Redis."""
    live_idle: Annotated[Idle, _read_by(Idle.parse)] = Idle()
    """Time without a message after which a conversation counts as finished: `30m`, or per system
    `30m,shop=10m`."""
    live_settle: Span = 2.0
    """Time to wait for late messages after a conversation was declared complete (`2s`)."""
    live_longest: Span = 86_400.0
    """Interval at which a conversation that does not end is judged as one in progress (`24h`)."""
    live_reopen: Span = 86_400.0
    """Time to keep the text after a judgement, in case the user comes back (`24h`). Repeated messages are
    recognised for the same time."""
    live_lease: Span = 60.0
    """Maximum time that a worker can take for a conversation or a batch of messages before another worker
    takes over (`60s`)."""
    live_factors: Annotated[tuple[str, ...], _read_by(_some)] = ("core",)
    """Factors to judge in every conversation: slugs or protocols, comma-separated."""
    live_model: str | None = None
    """Second judge besides the embedded one (`openai:gpt-4o-mini`). It judges a sample of the finished
    conversations, and those with a low score, a flag, a complaint or a failed tool."""
    live_sample: Annotated[Sampling, _read_by(Sampling.parse)] = Sampling()
    """Share of conversations in the sample for this judge: `0.1`, or per system `0.1,shop=1`. The hash of the
    id decides."""
    live_model_budget: Count | None = None
    """Maximum number of conversations per hour for this judge, over all workers."""
    live_calibration: str | None = None
    """Calibration from `CALIBRATIONS` whose maps convert the scores of both judges to people's scale."""
    live_keep_text: bool = False
    """True to include the conversation, rationales and quotations in results."""
    live_user_key: Annotated[SecretStr, _read_by(_secret)] | None = None
    """Secret of at least 32 characters for hashing the `user.id` of posts. Unset: posts with a `user.id` are
    refused. If you change the key, users' earlier conversations are no longer found."""
    live_lines: Path | None = None
    """File to which `crs-eval live` appends its results, one line of JSON each."""
    live_database: SecretStr | None = None
    """Database for the results of `crs-eval live`: `postgresql://user@host/name` or `sqlite:///file.db`.
    Requires the extra `crs-eval[live]`."""
    live_baseline: Span = 14 * 86_400.0
    """Time to collect a system's scores before the drift test starts (`14d`), with at least 500
    conversations. With whole weeks, the baseline also learns days and hours."""
    live_retention: Span | None = None
    """Time to keep results (`90d`): in the database, lines, dead letters and the page. Unset: until you
    delete them."""
    live_webhooks: Addresses = ()
    """URLs that receive every event of `crs-eval live` as a signed webhook (Standard Webhooks),
    comma-separated."""
    live_webhook_secret: SecretStr | None = None
    """Secret that signs webhooks: `whsec_` and at least 24 bytes in base64."""
    live_alerts: Pairs = {}
    """Receivers of the drift alarms of `crs-eval live`, each in its own format:
    `slack=URL,alertmanager=URL`."""
    log_format: Literal["auto", "json", "console"] = "auto"
    """`console` for people, `json` for machines, `auto` to choose `console` on a terminal."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """Minimum severity to log."""

    @model_validator(mode="after")
    def _upstreams_fit(self) -> Self:
        if "builtin" in self.upstreams:
            raise ValueError("UPSTREAM_BUILTIN: this name is taken; choose another")
        address = self.redis_url.get_secret_value() if self.redis_url else ""
        live = self.live_redis_url.get_secret_value() if self.live_redis_url else ""
        if self.redis_ca and not any(one.startswith("rediss://") for one in (address, live)):
            raise ValueError(
                "REDIS_CA is set, but neither CRS_EVAL_REDIS_URL nor CRS_EVAL_LIVE_REDIS_URL begins with rediss://"
            )
        if self.redis_ca and not self.redis_ca.is_file():
            raise ValueError(f"REDIS_CA: no such file: {self.redis_ca}")
        for name, needed in NEEDS.items():
            if name in self.model_fields_set and getattr(self, name) and not getattr(self, needed):
                raise ValueError(
                    f"{name.upper()} is set, but CRS_EVAL_{needed.upper()} is not: set both, or neither"
                )
        if lost := sorted(set(self.upstream_keys) - set(self.upstreams)):
            raise ValueError(
                f"UPSTREAM_{lost[0].upper()}_API_KEY is set, but CRS_EVAL_UPSTREAM_{lost[0].upper()} is not"
            )
        return self

    @classmethod
    def from_environment(
        cls, environment: Mapping[str, str], providers: Mapping[str, str] = MappingProxyType({})
    ) -> Self:
        """Read the settings. `providers` maps the name of each provider to the variable of its key. Raises ConfigurationError
        that names every wrong variable. An empty variable counts as unset."""
        values: dict[str, object] = {"otlp_endpoint": environment.get(OTLP, "")}
        access: dict[str, dict[str, str]] = {
            name: {"api_key": environment[key]} for name, key in providers.items() if environment.get(key)
        }
        addresses = {address_variable(name): name for name in providers}
        taken = {f"{PREFIX}UPSTREAM_{name.upper().replace('-', '_')}" for name in providers}
        wrong: list[str] = []
        for variable, text in sorted(environment.items()):
            name = variable.removeprefix(PREFIX)
            if not variable.startswith(PREFIX) or _INJECTED.fullmatch(variable):
                continue
            if variable in addresses:
                access.setdefault(addresses[variable], {})["base_url"] = text
            elif variable in taken:
                wrong.append(f"{variable}: this name is taken; choose another")
            elif name.lower() in cls.plain_names():
                values[name.lower()] = text
            elif not _add_to_family(name, text, values):
                wrong.append(
                    f"{variable}: no such setting{_nearest(variable, [*cls.variables(), *addresses])}"
                )
        try:
            settings = cls.model_validate(_without_empty({**values, "providers": access}))
        except ValidationError as error:
            wrong += [_fault_text(fault["loc"], fault["msg"], providers) for fault in error.errors()]
        if wrong:
            raise ConfigurationError("; ".join(wrong))
        return settings

    @classmethod
    def plain_names(cls) -> list[str]:
        """The settings that have one variable each with our prefix."""
        apart = {*FAMILY_NAMES, "otlp_endpoint", "providers"}
        return [name for name in cls.model_fields if name not in apart]

    @classmethod
    def variables(cls) -> list[str]:
        return [variable_of(name) for name in cls.plain_names()]


def variable_of(field: str) -> str:
    """The environment variable that a field of `Settings` is read from."""
    return OTLP if field == "otlp_endpoint" else PREFIX + FAMILY_NAMES.get(field, field.upper())


@contextmanager
def naming(field: str) -> Iterator[None]:
    """Name the variable of a field of `Settings` in the errors of reading what it leads to."""
    try:
        yield
    except (ConfigurationError, OSError, ValueError) as error:
        raise ConfigurationError(f"{variable_of(field)}: {error}") from error


def address_variable(provider: str) -> str:
    """The environment variable of a provider's address."""
    return f"{PREFIX}{provider.upper().replace('-', '_')}_BASE_URL"


def _without_empty(values: Mapping[str, object]) -> dict[str, object]:
    """Return values, at whatever depth, without empty ones: compose and .env files pass on variables that hold nothing."""
    found = {
        name: _without_empty(value) if isinstance(value, dict) else value for name, value in values.items()
    }
    return {name: value for name, value in found.items() if value not in ("", {})}


def _add_to_family(name: str, text: str, values: dict[str, object]) -> bool:
    for form, field in _FAMILIES:
        if found := form.fullmatch(name):
            members = values.setdefault(field, {})
            assert isinstance(members, dict)
            members[found[1].lower().replace("_", "-")] = text
            return True
    return False


def _fault_text(place: tuple[str | int, ...], message: str, providers: Mapping[str, str]) -> str:
    message = message.removeprefix("Value error, ")
    if not place:
        return PREFIX + message
    field, *member = map(str, place)
    if field == "providers":
        named = providers[member[0]] if member[-1] == "api_key" else address_variable(member[0])
        return f"{named}: {message}"
    suffix = "_".join(member).upper().replace("-", "_")
    name = variable_of(field)
    return f"{re.sub('<[A-Z]+>', lambda _: suffix, name)}: {message}"


def _nearest(variable: str, known: Sequence[str]) -> str:
    found = nearest(variable.removeprefix(PREFIX), [name.removeprefix(PREFIX) for name in known])
    return f"; did you mean {PREFIX}{found}?" if found else ""
