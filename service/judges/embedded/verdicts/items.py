"""Recommended items: novelty, diversity. Computed, not guessed."""

from collections.abc import Sequence
from dataclasses import dataclass

from ....domain.conversation import Item
from ....domain.rubric import Factor
from ....domain.verdict import Evidence, Flag
from ..observations.reading import Reading
from ..observations.similarity import LITTLE_KNOWN, MOST_UNKNOWN, characteristics
from ..rules.findings import TOLD, Finding, Gap, count, of, pair, say


def rate_novelty(reading: Reading, factor: Factor) -> Finding | Gap:
    """Return how many, and which share, of the recommended items are little known."""
    listed = listed_items(reading)
    if not listed:
        return no_items(reading)
    known = [
        (each, each.item.popularity) for each in listed if each.item and each.item.popularity is not None
    ]
    if not known or too_few(known, listed):
        return Gap("missing_popularity", say('items.no-popularity', unknown=len(listed) - len(known), total=len(listed)),
                   ("items.popularity",), flags_of(reading, listed, len(known)))  # fmt: skip
    little = [each for each, popularity in known if popularity < LITTLE_KNOWN]
    level = max(
        factor.ladders["share"].level(len(little) / len(known)), factor.ladders["count"].level(len(little))
    )
    rationale = of(len(little), len(known), pair("items.known"), pair("items.little-known"))
    named = ", ".join(f"“{each.reference}”" for each in little[:TOLD])
    rationale += f" ({named}{', ...' if len(little) > TOLD else ''})." if little else "."
    return Finding(
        score=level,
        rationale=rationale,
        confidence=_sure(reading, known, listed),
        evidence=tuple(place(reading, each.reference, round(level / len(little), 3)) for each in little[:5]),
        flags=flags_of(reading, listed, len(known)),
    )


def rate_diversity(reading: Reading, factor: Factor) -> Finding | Gap:
    """Return how many distinct characteristics the recommended items have, in the two widest dimensions."""
    listed = listed_items(reading)
    if not listed:
        return no_items(reading)
    known = [
        found for each in listed if each.item and (found := characteristics(each.item, reading.log.domain))
    ]
    if not known or too_few(known, listed):
        return Gap("missing_metadata", say('items.no-attributes', unknown=len(listed) - len(known), total=len(listed)),
                   ("items",), flags_of(reading, listed, len(known)))  # fmt: skip
    widths = {name: len(frozenset().union(*(found.get(name, frozenset()) for found in known)))
              for name in sorted({name for found in known for name in found})}  # fmt: skip
    ranked = sorted(widths.values(), reverse=True)
    level = factor.ladders["widest"].level(ranked[0])
    if len(ranked) > 1:
        level = max(level, factor.ladders["second-widest"].level(ranked[1]))
    told = ", ".join(
        say("items.by", width=width, name=name)
        for name, width in sorted(widths.items(), key=lambda width: -width[1])
    )
    return Finding(
        score=level,
        rationale=say("items.distinct", count=count(len(known), *pair("nouns.items")), told=told),
        confidence=_sure(reading, known, listed),
        flags=flags_of(reading, listed, len(known)),
    )


#: Confidence of a verdict computed from lists and data, and of one whose items were found in the text.
COMPUTED, FROM_TEXT = 0.95, 0.6


@dataclass(frozen=True, slots=True)
class Listed:
    """An item of the session list, with what is known of it."""

    reference: str
    item: Item | None


def listed_items(reading: Reading) -> list[Listed]:
    """The items of the session list."""
    return [Listed(reference, reading.item(reference)) for reference in reading.session_list]


def flags_of(reading: Reading, listed: list[Listed], known: int) -> tuple[Flag, ...]:
    """Return what a reader must know of a verdict on the list, of which so many items are known."""
    flags = []
    if reading.reads_text_lists:
        flags.append(Flag("list_from_text", say("recommended-items.list-from-text")))
    if known < len(listed):
        flags.append(
            Flag(
                "items_without_metadata",
                say("recommended-items.left-out", unknown=len(listed) - known, total=len(listed)),
            )
        )
    return tuple(flags)


def too_few(known: Sequence[object], listed: Sequence[Listed]) -> bool:
    """Return whether too little is known of the listed items."""
    return len(listed) - len(known) > MOST_UNKNOWN * len(listed)


def _sure(reading: Reading, known: Sequence[object], listed: Sequence[Listed]) -> float:
    """The confidence in what is computed of the items that are known."""
    return round((FROM_TEXT if reading.reads_text_lists else COMPUTED) * len(known) / len(listed), 2)


def no_items(reading: Reading) -> Gap:
    """Return the reason why nothing can be said of a session without items."""
    if reading.reads_text_lists and not reading.log.has_lists:
        return Gap("no_recommendation_made", say('recommended-items.no-list-no-title'),
                   ("recommendations",))  # fmt: skip
    return Gap("missing_recommendations", say("recommended-items.none"), ("recommendations",))


def place(reading: Reading, reference: str, effect: float | None) -> Evidence:
    """Return where an item was shown: in the list or the text of the first message that holds it."""
    for read in reading.replies:
        if reference in (read.message.recommendations or ()):
            return Evidence(read.index, None, effect, read.message.id)
        for named in read.named:
            if reference in (named.surface, named.item.title if named.item else None):
                return Evidence(read.index, named.surface, effect, read.message.id)
    return Evidence(None, None, effect)
