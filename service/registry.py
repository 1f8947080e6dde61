"""Everything that can be had by name: judges, debaters and models, each imported at its first use (an SDK
costs up to a second and 40 MB)."""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from typing import Protocol

from .alignment.llm import LLMLabeller
from .comparison.model import ModelComparer
from .debates.statement import Debater
from .domain.completion import Call, LLMRequest
from .domain.verdict import JudgeName
from .errors import InvalidRequest
from .judges.evaluation import CountVerdict, Judge, ObservedJudge
from .llm.capability import Capability
from .llm.failures import Answer
from .llm.known_models import Prices
from .llm.providers import providers
from .llm.stack import Upstream
from .simulators.asker import LLMAsker

BUILTIN = "builtin"


class Models(Protocol):
    """The provider behind all judges, and the upstreams that it reaches."""

    @property
    def upstreams(self) -> Mapping[str, Upstream]: ...

    async def complete(self, requests: Sequence[LLMRequest], call: Call) -> list[Answer]: ...

    def capability(self, request: LLMRequest) -> Capability: ...

    async def aclose(self) -> None: ...


class Registry:
    """Judges, debaters and askers of one process, over one provider. `count` is called with every verdict."""

    def __init__(
        self,
        models: Models,
        *,
        rationale_tokens: int,
        prices: Prices | None = None,
        count: CountVerdict | None = None,
    ) -> None:
        self._models = models
        self._count = count
        self._prices = prices
        self._tokens = rationale_tokens
        self._judges = cache(self._make_judge)
        self._debaters = cache(self._make_debater)

    def judge(self, name: JudgeName) -> Judge:
        """The judge of that name. Raises InvalidRequest for an upstream that is not configured."""
        return self._judges(name)

    def debater(self, name: JudgeName) -> Debater:
        """Return who speaks for a role under that name. Raises as `judge` does."""
        return self._debaters(name)

    def asker(self, name: JudgeName, seed: int | None = None, temperature: float | None = None) -> LLMAsker:
        """The model that plays a user under that name, with the caller's seed and temperature. Raises as `judge` does."""
        return LLMAsker(self._models, name, self._base_url(name), seed, temperature)

    def capability(self, name: JudgeName) -> Capability:
        """Return what is known by now that the model of that name takes."""
        return self._models.capability(LLMRequest(name.name, self._base_url(name), name.model or "", ()))

    def labeller(self, name: JudgeName) -> LLMLabeller:
        """The model that labels strategies under that name. Raises as `judge` does."""
        return LLMLabeller(self._models, name, self._base_url(name))

    def comparer(self, name: JudgeName) -> ModelComparer:
        """The model that prefers one of two conversations under that name. Raises as `judge` does."""
        return ModelComparer(self._models, name, self._base_url(name), self._tokens)

    def priced(self, name: JudgeName) -> bool:
        """Return whether the price of a judge is known; the embedded judge is free."""
        return name.name == BUILTIN or (self._prices is not None and self._prices.of(str(name)) is not None)

    async def aclose(self) -> None:
        """Cancel what is asked and close every socket."""
        await self._models.aclose()

    def _make_judge(self, name: JudgeName) -> Judge:
        judge: Judge
        if name == JudgeName(BUILTIN):
            from .judges.embedded import EmbeddedJudge

            judge = EmbeddedJudge()
        else:
            from .judges.llm import LLMJudge

            judge = LLMJudge(self._models, name, self._base_url(name), self._tokens)
        return judge if self._count is None else ObservedJudge(judge, self._count)

    def _make_debater(self, name: JudgeName) -> Debater:
        if name == JudgeName(BUILTIN):
            from .debates.embedded import EmbeddedDebater

            return EmbeddedDebater()
        from .debates.llm import LLMDebater
        from .debates.prompt import DebatePrompts

        return LLMDebater(self._models, name, self._base_url(name), DebatePrompts(self._tokens))

    def _base_url(self, name: JudgeName) -> str:
        upstream = self._models.upstreams.get(name.name)
        if upstream is None or name.model is None:
            known = [BUILTIN, *(f"{known}:<model>" for known in sorted(self._models.upstreams))]
            fix = f"{_missing_setting(name)}name one of: {', '.join(known)}"
            raise InvalidRequest.at("/judge", f"{name} is no judge here", fix)
        if (sdk := _missing_sdk(upstream.protocol)) is not None:
            fix = f"pip install 'crs-eval[{sdk}]'"
            raise InvalidRequest.at("/judge", f"{name} needs the package {sdk}, which is not installed", fix)
        return upstream.base_url


@cache
def _missing_sdk(protocol: str) -> str | None:
    """Return the package that calls servers of a protocol, if it is not installed; the extra has its name."""
    sdk = next(one.sdk for one in providers().values() if one.protocol == protocol)
    return sdk if find_spec(sdk) is None else None


def _missing_setting(name: JudgeName) -> str:
    """Return which variable would make a model askable, as the beginning of an advice; empty for a name that is no model's."""
    declared = providers().get(name.name)
    if name.model is None:
        return ""
    if declared is not None:
        return f"set {declared.key}, or "
    return f"set CRS_EVAL_UPSTREAM_{name.name.upper().replace('-', '_')} to the address of its server, or "
