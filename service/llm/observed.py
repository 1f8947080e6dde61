"""Calls of models as measurements and spans."""

import time
from urllib.parse import urlsplit

from opentelemetry.trace import Span, SpanKind, Status, StatusCode, use_span
from opentelemetry.util.types import AttributeValue

from ..domain.completion import Call, Completion, LLMRequest
from ..telemetry import names
from ..telemetry.recorder import Recorder
from .failures import Answer, ProviderError
from .known_models import Prices
from .provider import Provider, Wrapper


class Observed(Wrapper):
    """Records each call: how long it took, what it used and cost, how it failed. It stands next to the adapters, so that every
    attempt shows. Spans carry parameters and counts, never what was said."""

    def __init__(self, inner: Provider, recorder: Recorder, prices: Prices) -> None:
        super().__init__(inner)
        self._recorder = recorder
        self._prices = prices

    async def ask(self, request: LLMRequest, call: Call) -> Answer:
        tracer = self._recorder.tracer
        if tracer is None:
            return await self._measured(request, call)
        span = tracer.start_span(
            f"{names.CHAT} {request.model}", kind=SpanKind.CLIENT, attributes=_request_attributes(request)
        )
        # An exception here is a defect or a caller that left; its text is not ours to send.
        with use_span(span, end_on_exit=True, record_exception=False, set_status_on_exception=False):
            answer = await self._measured(request, call)
            _set_answer_attributes(span, answer)
        return answer

    async def _measured(self, request: LLMRequest, call: Call) -> Answer:
        started = time.perf_counter()
        answer = await super().ask(request, call)
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


def _request_attributes(request: LLMRequest) -> dict[str, AttributeValue]:
    address = urlsplit(request.base_url)
    attributes: dict[str, AttributeValue | None] = {
        names.OPERATION: names.CHAT,
        names.PROVIDER: request.upstream,
        names.REQUEST_MODEL: request.model,
        names.REQUEST_TEMPERATURE: request.temperature,
        names.REQUEST_MAX_TOKENS: request.max_tokens,
        names.REQUEST_SEED: request.seed,
        names.SERVER_ADDRESS: address.hostname,
        names.SERVER_PORT: address.port,
    }
    return {name: value for name, value in attributes.items() if value is not None}


def _set_answer_attributes(span: Span, answer: Answer) -> None:
    span.set_attribute(names.INPUT_TOKENS, answer.usage.input_tokens)
    span.set_attribute(names.OUTPUT_TOKENS, answer.usage.output_tokens)
    span.set_attribute(names.CACHED_TOKENS, answer.usage.cached_input_tokens)
    if isinstance(answer, Completion):
        span.set_attribute(names.RESPONSE_MODEL, answer.model)
        span.set_attribute(names.FINISH_REASONS, (answer.finish_reason,))
    else:
        span.set_attribute(names.ERROR_TYPE, answer.code)
        span.set_status(Status(StatusCode.ERROR))
