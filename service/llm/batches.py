"""Prompts for providers' batch APIs, at half the price: noted while logs are judged, then sent; answers go to
the cache.

    noted ──▶ sent ──▶ ended: an answer in the cache, or a failure in the book
"""

import asyncio
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from ..domain.completion import NO_USAGE, CacheMode, Call, Completion, LLMRequest
from ..errors import ConfigurationError
from ..store.file import FileStore
from . import failures
from .cache import CompletionCache, cache_key
from .failures import Answer, BatchFailed, CacheMiss, ProviderError
from .known_models import Prices
from .provider import Provider, SentBatch

if TYPE_CHECKING:
    from .stack import Adapters

MOST_PROMPTS = 10_000
MOST_CHARACTERS = 50_000_000
"""Of one batch: providers take 50,000 prompts and 200 MB, and a batch is read into memory as a whole."""
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 60.0
DISCOUNT = 0.5
"""The part of the price that providers ask for a batch."""

Report = Callable[[str], None]


_REQUEST = TypeAdapter(LLMRequest)
_BATCH = TypeAdapter(SentBatch)
_FAILURE = TypeAdapter(tuple[str, dict[str, Any]])
_FAILURES: dict[str, TypeAdapter[ProviderError]] = {
    one.code: TypeAdapter(one)
    for one in vars(failures).values()
    if isinstance(one, type) and issubclass(one, ProviderError)
}


class Batched(Provider):
    """Note prompts that the cache does not know, and send what was noted. `path` is the record of one run,
    in which a killed run finds its pending prompts and sends nothing twice."""

    def __init__(self, path: Path, cache: CompletionCache, adapters: "Adapters", prices: Prices) -> None:
        try:
            self._book = FileStore(path, 1 << 40)
        except (OSError, ValueError) as error:
            raise ConfigurationError(f"CRS_EVAL_PROVIDER_BATCH: {error}") from error
        self._cache = cache
        self._adapters = adapters
        self._prices = prices

    async def aclose(self) -> None:
        await self._adapters.aclose()
        await self._book.aclose()

    async def ask(self, request: LLMRequest, call: Call) -> Answer:
        [kept] = await self._cache.read([request], replace(call, cache=CacheMode.USE))
        if kept is not None:
            return kept
        key = cache_key(request)
        noted, failure = await self._book.get_many([f"prompt:{key}", f"failure:{key}"])
        if failure is not None:
            code, fields = _FAILURE.validate_json(failure)
            return _FAILURES[code].validate_python(fields)
        if noted is None:
            await self._book.put(f"prompt:{key}", _REQUEST.dump_json(request))
        return CacheMiss("the answer comes with the provider's batch")

    async def answer_noted(self, report: Report) -> bool:
        """Send the prompts that were noted, wait for all batches, and keep the answers. Returns False where nothing was to be
        done. Raises BatchError where a provider takes no batch."""
        prompts = {
            key.removeprefix("prompt:"): _REQUEST.validate_json(value)
            for key, value in self._book.items("prompt:")
        }
        known = [_BATCH.validate_json(value) for _, value in self._book.items("batch:")]
        sent = {key for batch in known for key in batch.keys}
        new = _portions({key: one for key, one in prompts.items() if key not in sent})
        waiting = [*(batch for batch in known if not batch.ended), *new]
        taken = {batch.id for batch in known}
        running = []
        for batch in waiting:
            running.append(batch if batch.id else await self._send(batch, batch in known, prompts, taken))
            report(f"{batch.upstream}: {len(batch.keys)} prompts are in batch {running[-1].id}.")
        pause = FIRST_PAUSE
        while running := [batch for batch in running if not await self._collect(batch, prompts, report)]:
            await asyncio.sleep(pause)
            pause = min(LONGEST_PAUSE, pause * 1.5)
        return bool(waiting)

    async def _send(
        self, batch: SentBatch, again: bool, prompts: Mapping[str, LLMRequest], taken: set[str | None]
    ) -> SentBatch:
        """Send a batch. After a run killed while sending (`again`), look for it first: it may have
        arrived."""
        provider = await self._adapters.of(batch.upstream)
        found = await provider.find(batch, taken) if again else None
        if found is None:
            # Written before it goes out: a run that is killed now must look for it.
            await self._write(batch)
            found = await provider.submit(batch.token, {key: prompts[key] for key in batch.keys})
        batch = replace(batch, id=found)
        await self._write(batch)
        taken.add(found)
        return batch

    async def _collect(self, batch: SentBatch, prompts: Mapping[str, LLMRequest], report: Report) -> bool:
        """Keep the answers of a batch. Returns False while it runs."""
        requests = {key: prompts[key] for key in batch.keys}
        answers = await (await self._adapters.of(batch.upstream)).collect(str(batch.id), requests)
        if answers is None:
            return False
        spent, failed = NO_USAGE, 0
        for key, request in requests.items():
            answer = answers[key]
            spent += answer.usage
            if isinstance(answer, Completion):
                await self._cache.write(request, answer, Call())
            else:
                failed += 1
                await self._book.put(f"failure:{key}", _FAILURE.dump_json(_failure(answer)))
        await self._write(replace(batch, ended=True))
        price = self._prices.of(f"{batch.upstream}:{requests[batch.keys[0]].model}")
        cost = "" if price is None else f", cost {price.of(spent) * DISCOUNT:.4g}"
        report(
            f"{batch.upstream}: batch {batch.id} has ended: {len(requests) - failed} answers, {failed} failures, "
            f"{spent.input_tokens} input and {spent.output_tokens} output tokens{cost}."
        )
        return True

    async def _write(self, batch: SentBatch) -> None:
        await self._book.put(f"batch:{batch.token}", _BATCH.dump_json(batch))


def _failure(answer: ProviderError) -> tuple[str, dict[str, Any]]:
    """A failure as it is kept. What may pass is a failure of the batch: nobody asks again before the next command."""
    if answer.retryable and answer.code in failures.UPSTREAM_CODES:
        answer = BatchFailed(answer.detail, usage=answer.usage)
    return answer.code, asdict(answer)


def _portions(prompts: Mapping[str, LLMRequest]) -> Iterator[SentBatch]:
    """Batches for these prompts, each for one model, and none too large."""
    portions: dict[tuple[str, str], list[list[str]]] = {}
    sizes: dict[tuple[str, str], int] = {}
    for key, request in prompts.items():
        model = (request.upstream, request.model)
        length = sum(len(message.content) for message in request.messages)
        own = portions.setdefault(model, [[]])
        sizes[model] = sizes.get(model, 0) + length
        if own[-1] and (len(own[-1]) == MOST_PROMPTS or sizes[model] > MOST_CHARACTERS):
            own.append([])
            sizes[model] = length
        own[-1].append(key)
    for (upstream, _), parts in portions.items():
        for keys in parts:
            yield SentBatch(uuid.uuid4().hex, upstream, tuple(keys), time.time())
