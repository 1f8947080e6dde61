"""Everything that use cases work with, built from the settings."""

import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pydantic import SecretStr

from ..catalogue.catalogue import load_catalogues
from ..debates.roles import load_roles
from ..errors import ConfigurationError, InvalidRequest
from ..exams.trust import examined
from ..factors import load_factors
from ..judges.evaluation import CountVerdict
from ..llm.cache import Signer
from ..llm.known_models import Stated, load_prices, load_stated
from ..llm.limits import Budget
from ..llm.providers import providers
from ..llm.stack import Stack, Upstream
from ..registry import Models, Registry
from ..settings import PREFIX, Settings, naming
from ..simulators.recommender import Recommender, ReplyMemory
from ..store.memory import MemoryStore
from ..store.protocol import Store
from ..store.watch import watched
from .deployment import Deployment, Judges, JudgingModes
from .exam import stored_trusts
from .parsing import Limits
from .plans.calibration import load_calibrations
from .plans.scoring import checked_modes
from .recommenders.functions import Function, FunctionRecommender

if TYPE_CHECKING:
    import httpx2

    from ..telemetry.recorder import Recorder

_T = TypeVar("_T")


@contextlib.asynccontextmanager
async def deployed(
    settings: Settings, functions: Mapping[str, Function] | None = None
) -> AsyncIterator[Deployment]:
    """Yield a deployment for callers in this process, and close everything at the end. `functions` are recommenders beside those
    of the settings. Raises ConfigurationError for settings that do not work."""
    stack = build_stack(settings)
    registry = build_registry(settings, stack)
    web, recommenders = recommenders_of(settings)
    own = {name: FunctionRecommender(function) for name, function in (functions or {}).items()}
    memory = ReplyMemory(stack.store) if settings.cache_file else None
    deployment = build_deployment(settings, registry, {**recommenders, **own}, memory)
    async with contextlib.AsyncExitStack() as closing:
        for one in (web, stack, registry, memory):
            if one is not None:
                closing.push_async_callback(one.aclose)
        await closing.enter_async_context(watched(stack.store))
        yield deployment


def build_stack(settings: Settings, recorder: "Recorder | None" = None) -> Stack:
    """The provider of all models that the settings name."""
    upstreams = upstreams_of(settings)
    _check_members("CONCURRENCY", settings.concurrency, upstreams)
    return Stack(
        upstreams,
        _store(settings),
        settings.max_concurrency,
        _load(settings, "prices", load_prices, None),
        recorder,
        budgets=budgets_of(settings, upstreams),
        concurrency=settings.concurrency,
        signer=signer_of(settings),
        finishes=settings.cache_file is not None,
        stated=stated_of(settings),
        batch=settings.provider_batch,
    )


def stated_of(settings: Settings) -> Mapping[str, Stated]:
    """The operator's statements on models. Raises ConfigurationError where the file is wrong."""
    return _load(settings, "models", load_stated, {})


def _load(settings: Settings, field: str, read: Callable[[Path], _T], unset: _T) -> _T:
    """Read what a setting leads to. Raises ConfigurationError that names its variable."""
    path = getattr(settings, field)
    if path is None:
        return unset
    with naming(field):
        return read(path)


def signer_of(settings: Settings) -> Signer:
    """Return what signs kept answers."""
    return Signer([key.get_secret_value().encode() for key in settings.cache_key])


def build_registry(settings: Settings, models: Models, count: CountVerdict | None = None) -> Registry:
    """Judges and debaters as the settings name them, over `models`."""
    return Registry(
        models,
        rationale_tokens=settings.rationale_tokens,
        prices=_load(settings, "prices", load_prices, None),
        count=count,
    )


def budgets_of(settings: Settings, upstreams: Mapping[str, Upstream]) -> Mapping[str, Budget]:
    """The budgets of calls and tokens a minute. Raises ConfigurationError for an upstream that there is not."""
    _check_members("CALLS_PER_MINUTE", settings.calls_per_minute, upstreams)
    _check_members("TOKENS_PER_MINUTE", settings.tokens_per_minute, upstreams)
    return {
        name: Budget(settings.calls_per_minute.get(name), settings.tokens_per_minute.get(name))
        for name in {**settings.calls_per_minute, **settings.tokens_per_minute}
    }


def upstreams_of(settings: Settings) -> Mapping[str, Upstream]:
    """The servers of models by the name that judges begin with: the providers where there is a
    key or an address for them, and every compatible server."""
    found: dict[str, Upstream] = {}
    for name, access in settings.providers.items():
        provider = providers()[name]
        found[name] = Upstream(access.base_url or provider.base_url, provider.protocol, _text(access.api_key))
    for name, address in settings.upstreams.items():
        found[name] = Upstream(address, api_key=_text(settings.upstream_keys.get(name)))
    return found


def build_deployment(
    settings: Settings,
    registry: Registry,
    recommenders: Mapping[str, Recommender],
    memory: ReplyMemory | None = None,
) -> Deployment:
    """Return what the routes work with; `memory` keeps what recommenders reply. Raises ConfigurationError where a file or a setting is wrong."""
    with naming("factors"):
        known = load_factors(own=settings.factors)
    roles = load_roles(known)
    _check_members("JUDGE", settings.judge_by_factor, known)
    _check_members("JUDGING", settings.judging_by_factor, known)
    _check_members("ROLE_JUDGE", settings.judge_by_role, roles)
    named = {"JUDGE": settings.judge}
    named |= {f"JUDGE_{slug}": name for slug, name in settings.judge_by_factor.items()}
    named |= {f"ROLE_JUDGE_{role}": name for role, name in settings.judge_by_role.items()}
    for setting, name in named.items():
        try:
            registry.judge(name)
        except InvalidRequest as error:
            fix = error.errors[0].fix
            raise ConfigurationError(f"{_variable(setting)}: {name}: no such judge; {fix}") from None
    return Deployment(
        factors=known,
        judges=Judges(
            settings.judge,
            settings.judge_by_factor,
            settings.judges or ["builtin", *map(str, named.values()), *filter(None, [settings.live_model])],
            examined(registry.judge, _load(settings, "exams", stored_trusts, {})),
        ),
        catalogues=_load(settings, "catalogs", load_catalogues, {}),
        calibrations=_load(settings, "calibrations", load_calibrations, {}),
        limits=Limits(
            body=settings.max_body,
            messages=settings.max_messages,
            depth=settings.max_depth,
            list_cutoff=settings.list_cutoff,
            seconds=settings.request_timeout,
        ),
        registry=registry,
        roles=roles,
        judge_by_role=settings.judge_by_role,
        recommenders=recommenders,
        memory=memory,
        modes=checked_modes(JudgingModes(settings.judging, settings.judging_by_factor), known),
        namespaces=settings.cache_namespaces,
    )


def recommenders_of(settings: Settings) -> tuple["httpx2.AsyncClient | None", Mapping[str, Recommender]]:
    """The recommenders that can be simulated with, and what reaches them; where there are none, a start does not take
    longer for it."""
    if not settings.crs_endpoints:
        return None, {}
    import httpx2

    from .recommenders.http import HTTPRecommender

    web = httpx2.AsyncClient(follow_redirects=False, timeout=settings.request_timeout)
    return web, {
        name: HTTPRecommender(name, address, web) for name, address in settings.crs_endpoints.items()
    }


_KINDS = {"JUDGE": "factor", "ROLE_JUDGE": "role"}


def _check_members(family: str, given: Mapping[str, object], known: Mapping[str, object]) -> None:
    for name in sorted(set(given) - set(known)):
        kind = _KINDS.get(family, "upstream")
        variable = _variable(f"{family}_{name}")
        raise ConfigurationError(f"{variable}: no such {kind}; there are {', '.join(known) or 'none'}")


def _variable(setting: str) -> str:
    return f"{PREFIX}{setting.upper().replace('-', '_')}"


def _store(settings: Settings) -> Store:
    if settings.redis_url is None:
        if settings.cache_file is None:
            return MemoryStore(settings.cache_bytes, settings.cache_ttl)
        from ..store.file import FileStore

        with naming("cache_file"):
            return FileStore(settings.cache_file, settings.cache_bytes, settings.cache_ttl)
    if settings.cache_file is not None:
        raise ConfigurationError("CRS_EVAL_CACHE_FILE: REDIS_URL keeps the answers; unset one of the two")
    if find_spec("redis") is None:
        raise ConfigurationError(
            "CRS_EVAL_REDIS_URL: needs the package redis: pip install 'crs-eval[service]'"
        )
    from ..store.redis import RedisStore

    try:
        return RedisStore(
            settings.redis_url.get_secret_value(),
            settings.cache_ttl,
            timeout=settings.redis_timeout,
            password=_text(settings.redis_password),
            ca=settings.redis_ca,
        )
    except ValueError:  # its text may quote the password
        raise ConfigurationError(
            "CRS_EVAL_REDIS_URL: should be redis://host:port/0, or rediss://host:port/0 for TLS"
        ) from None


def _text(secret: SecretStr | None) -> str | None:
    return secret.get_secret_value() if secret else None
