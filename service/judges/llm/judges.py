"""All LLM judges of a process, over one stack of providers."""

from collections.abc import Mapping

from ...domain.verdict import JudgeName
from ...errors import InvalidRequest
from ...llm.stack import Stack, Upstream
from ...store.contract import Store
from .judge import RATIONALE_TOKENS, LLMJudge


class LLMJudges:
    """Judges named `upstream:model`, made when they are first asked for. `upstreams` maps the names
    that the operator configured; `store` keeps their answers, and is closed by whoever made it.

    `stack` is the provider that debaters and simulators share with the judges."""

    def __init__(
        self,
        upstreams: Mapping[str, Upstream],
        store: Store,
        max_concurrency: int = 100,
        rationale_tokens: int = RATIONALE_TOKENS,
    ) -> None:
        self.stack = Stack(upstreams, store, max_concurrency)
        self._tokens = rationale_tokens

    def get(self, name: JudgeName) -> LLMJudge:
        """The judge of this name. Raises InvalidRequest for an upstream that is not configured, or a
        name without a model."""
        return LLMJudge(self.stack, name, self.base_url(name), self._tokens)

    def base_url(self, name: JudgeName) -> str:
        """Where the judge's model is had. Raises InvalidRequest as `get` does."""
        upstream = self.stack.upstreams.get(name.name)
        if upstream is None or name.model is None:
            known = ", ".join(f"{known}:<model>" for known in sorted(self.stack.upstreams)) or "none"
            fix = f"judges of this deployment that are language models: {known}"
            raise InvalidRequest.at("/judge", f"{name} is no judge here", fix)
        return upstream.base_url

    def stats(self) -> Mapping[str, int]:
        """Counters for telemetry: calls in flight and queued, retries, shared flights, cache and store."""
        return self.stack.stats()

    async def aclose(self) -> None:
        """Cancel what is asked and close all sockets but the store's."""
        await self.stack.aclose()
