"""Calls upstream as spans and metrics: the wrapper next to the adapters, so that every attempt shows."""

import time
from collections.abc import Sequence
from urllib.parse import urlsplit

from opentelemetry.trace import Span, SpanKind, Status, StatusCode, use_span
from opentelemetry.util.types import AttributeValue

from ..domain.completion import Call, Completion, LLMRequest
from ..telemetry import names
from ..telemetry.recorder import Recorder
from .failures import Answer, ProviderError
from .pricing import Prices
from .provider import Provider, each


class Observed:
    """Records each call: how long it took, what it used and cost, how it failed. Spans carry
    parameters and counts, never what was said."""

    def __init__(self, inner: Provider, recorder: Recorder, prices: Prices) -> None:
        self._inner = inner
        self._recorder = recorder
        self._prices = prices

    async def complete(self, requests: Sequence[LLMRequest], call: Call) -> list[Answer]:
        ask = self._traced if self._recorder.tracer else self._measured
        return await each(requests, lambda request: ask(request, call))

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def _measured(self, request: LLMRequest, call: Call) -> Answer:
        started = time.perf_counter()
        [answer] = await self._inner.complete([request], call)
        price = self._prices.of(f"{request.upstream}:{request.model}")
        self._recorder.call(
            request.upstream,
            request.model,
            time.perf_counter() - started,
            usage=answer.usage,
            cost=None if price is None else price.of(answer.usage),
            error=answer.code if isinstance(answer, ProviderError) else None,
        )
        return answer

    async def _traced(self, request: LLMRequest, call: Call) -> Answer:
        assert self._recorder.tracer is not None
        span = self._recorder.tracer.start_span(
            f"{names.CHAT} {request.model}", kind=SpanKind.CLIENT, attributes=_asked(request)
        )
        # An exception here is a defect or a caller that left; its text is not ours to send.
        with use_span(span, end_on_exit=True, record_exception=False, set_status_on_exception=False):
            answer = await self._measured(request, call)
            _tell(span, answer)
        return answer


def _asked(request: LLMRequest) -> dict[str, AttributeValue]:
    address = urlsplit(request.base_url)
    told: dict[str, AttributeValue | None] = {
        names.OPERATION: names.CHAT,
        names.PROVIDER: request.upstream,
        names.REQUEST_MODEL: request.model,
        names.REQUEST_TEMPERATURE: request.temperature,
        names.REQUEST_MAX_TOKENS: request.max_tokens,
        names.REQUEST_SEED: request.seed,
        names.SERVER_ADDRESS: address.hostname,
        names.SERVER_PORT: address.port,
    }
    return {name: value for name, value in told.items() if value is not None}


def _tell(span: Span, answer: Answer) -> None:
    span.set_attribute(names.INPUT_TOKENS, answer.usage.input_tokens)
    span.set_attribute(names.OUTPUT_TOKENS, answer.usage.output_tokens)
    span.set_attribute(names.CACHED_TOKENS, answer.usage.cached_input_tokens)
    if isinstance(answer, Completion):
        span.set_attribute(names.RESPONSE_MODEL, answer.model)
        span.set_attribute(names.FINISH_REASONS, (answer.finish_reason,))
    else:
        span.set_attribute(names.ERROR_TYPE, answer.code)
        span.set_status(Status(StatusCode.ERROR))
