"""Faults in a log, and acts of its messages, from the trained detector."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...domain.conversation import ConversationLog
from ...domain.verdict import DetectedFault
from ...encoder.detector import ReplyFaults, detector, rendered
from ...grounding.grounding import Grounding
from ...text.words import excerpt

LEAST, MOST = 0.003, 0.999
"""Lower probabilities are dropped, as they move no score. Higher ones are capped: only code proves a
fault."""
DOUBT = 0.05
"""Probability under which an unreported fault hardly counts: the noise of 29 faults would hide what the detector does see."""
FOREIGN = "off-topic"
"""The fault that the detector orders best, however improbable: a reply that belongs to another conversation."""
FOREIGN_ODDS, MOST_FOREIGN = 20.0, 0.5
"""Factor of its odds while it is not reported, and the highest probability that it then gets."""
MESSAGES = 300
"""Messages that are read, the last ones of a longer log."""
HISTORY = 20
"""Messages before the log's own that are read with them."""


@dataclass(frozen=True, slots=True)
class Learned:
    """Faults, however improbable. By the index of a message: `acts` has the probabilities of what it does
    (`detector.ACTS`), `sound` the probability, at even odds, that a reply has no fault."""

    faults: tuple[DetectedFault, ...] = ()
    acts: Mapping[int, Mapping[str, float]] = field(default_factory=dict)
    sound: Mapping[int, float] = field(default_factory=dict)


def read_learned(log: ConversationLog, grounding: Grounding) -> Learned:
    """Read the last messages of a log with the detector. Takes some 0.3 ms of CPU for each word piece."""
    history = log.history[-HISTORY:]
    first = max(0, len(log.messages) - MESSAGES)
    texts = [(each.role.value, rendered(each.content)) for each in history]
    for at, message in enumerate(log.messages[first:], first):
        titles = [grounding.title_of(card, at) for card in message.cards]
        texts.append((message.role.value, rendered(message.content, titles)))
    shift = first - len(history)
    faults: list[DetectedFault] = []
    acts: dict[int, Mapping[str, float]] = {}
    sound: dict[int, float] = {}
    for found in detector().predict(texts):
        at = found.message + shift
        if at < first:
            continue
        acts[at] = found.acts
        if isinstance(found, ReplyFaults):
            sound[at] = 1 - found.any_fault
            quotes = (excerpt(log.messages[at].content),)
            counted = {
                slug: min(chance, MOST) if slug in found.reported else unreported(slug, chance)
                for slug, chance in found.probabilities.items()
            }
            faults += [
                DetectedFault(slug, at, chance, quotes=quotes, reported=slug in found.reported)
                for slug, chance in counted.items()
                if chance >= LEAST
            ]
    return Learned(tuple(faults), acts, sound)


def unreported(slug: str, chance: float) -> float:
    """Return the probability with which an unreported fault counts. It rises with the detector's, and stays under that of
    a report."""
    if slug == FOREIGN:
        raised = FOREIGN_ODDS * chance / (1 - chance + FOREIGN_ODDS * chance)
        return max(chance, min(raised, MOST_FOREIGN))
    return chance**2 / (chance + DOUBT)
