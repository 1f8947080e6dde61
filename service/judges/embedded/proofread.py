"""Errors that a checker of spelling and grammar finds beside the judge's own."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...domain.verdict import DetectedFault, Flag
from ...text.words import Span, excerpt
from ..computed.wording import names_in
from ..proofreading import Proofreader
from .findings import say
from .reading import Reading

REPLY_LIMIT, LOG_LIMIT = 4_000, 20_000
"""Characters that a checker reads of one reply, and of a log."""
PROBABILITY = 0.8


async def with_proofread(proofreader: Proofreader, reading: Reading) -> tuple[Reading, str, Flag]:
    """Return the reading with the checker's errors as faults, who the checker was, and a flag that says so."""
    texts, left = [], LOG_LIMIT
    for at in reading.log.replies:
        texts.append(reading.plain.messages[at].content[: min(left, REPLY_LIMIT)])
        left -= len(texts[-1])
    found = await proofreader.read(texts)
    told = say("judge.proofreader", checker=found.checker)
    cut = sum(map(len, texts)) < sum(len(reading.plain.messages[at].content) for at in reading.log.replies)
    told += say("judge.proofread-in-part", characters=sum(map(len, texts))) if cut else ""
    faults = tuple(_faults(reading, texts, found.errors))
    more = replace(reading, computed=(*reading.computed, *faults))
    return more, found.checker, Flag("grammar_checker", told)


def _faults(
    reading: Reading, texts: Sequence[str], errors: Sequence[Sequence[Span]]
) -> Iterator[DetectedFault]:
    """Yield the errors outside of names that no rule knows, each wrong stretch once."""
    known = {
        quote.casefold() for one in reading.computed if one.fault == "broken-grammar" for quote in one.quotes
    }
    for at, text, spans in zip(reading.log.replies, texts, errors, strict=True):
        names = names_in(text, reading.case.grounding.sources.titles) if spans else ()
        for span in spans:
            quote = excerpt(span.of(text))
            if quote.casefold() not in known and not any(span.overlaps(name) for name in names):
                known.add(quote.casefold())
                yield DetectedFault("broken-grammar", at, PROBABILITY, quotes=(quote,))
