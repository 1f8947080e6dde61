"""Detected faults as a verdict tells them: the sentences of its rationale, and its evidence."""

from collections.abc import Iterator, Mapping, Sequence

from ..domain.conversation import ConversationLog
from ..domain.verdict import DetectedFault, Evidence
from ..faults import FaultCatalogue
from ..faults.ladder import expected_cost
from ..text.patterns import Lexicon
from ..text.words import quotation

_TEXTS = Lexicon(__package__, "detected")

MOST_NAMED = 3
"""Faults that a rationale names one by one."""
MOST_SHOWN = 20
"""Faults that the evidence of a verdict shows."""


def fault_sentences(log: ConversationLog, faults: Sequence[DetectedFault], catalogue: FaultCatalogue) -> str:
    """Return one sentence for each of the first faults, with its quotes, and the number of the others."""
    sentences = [_sentence(log, one, catalogue) for one in faults[:MOST_NAMED]]
    if (rest := len(faults) - len(sentences)) > 0:
        sentences.append(_TEXTS.tables["more"].format(rest=rest))
    return " ".join(sentences)


def fault_evidence(
    log: ConversationLog,
    faults: Sequence[DetectedFault],
    factor: str,
    catalogue: FaultCatalogue,
    points: float,
) -> tuple[Evidence, ...]:
    """Return the first faults with the quotes that occur in the log. Together they move the score by `points`, each by its
    expected cost on the factor."""
    faults = faults[:MOST_SHOWN]
    costs = [expected_cost(one, factor, catalogue) for one in faults]
    total = sum(costs) or 1.0
    return tuple(
        place
        for one, cost in zip(faults, costs, strict=True)
        for place in _places(log, one, points * cost / total)
    )


def no_fault(replies: int) -> str:
    """Return the sentence of a verdict without faults."""
    text: str = _TEXTS.tables["none-one" if replies == 1 else "none"]
    return text.format(replies=replies)


def _sentence(log: ConversationLog, one: DetectedFault, catalogue: FaultCatalogue) -> str:
    texts: Mapping[str, str] = _TEXTS.tables
    content = log.messages[one.message].content if one.message is not None else ""
    quotes = [f"“{quotation(quote, content)}”" for quote in one.quotes]
    shown = texts["quotes"].format(quotes=texts["against"].join(quotes)) if quotes else ""
    wording = catalogue[one.fault].wording
    return texts["fault"].format(message=one.message, wording=wording, quotes=shown)


def _places(log: ConversationLog, one: DetectedFault, effect: float) -> Iterator[Evidence]:
    """Yield the fault's own message with its effect, then the other place that proves it."""
    messages = log.messages
    quoted: dict[int, str] = {}
    for quote in one.quotes:
        plain = quote.rstrip("…")
        own = [] if one.message is None else [one.message]
        at = next(
            (
                at
                for at in (*own, *range(len(messages) - 1, -1, -1))
                if plain and plain in messages[at].content
            ),
            None,
        )
        if at is not None:
            quoted.setdefault(at, plain)
    if one.message is not None:
        yield Evidence(one.message, quoted.pop(one.message, None), round(effect, 3), messages[one.message].id)
    yield from (Evidence(at, plain, 0.0, messages[at].id) for at, plain in quoted.items())
