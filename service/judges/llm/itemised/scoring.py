"""From a list to a level: what is counted, and the ladder that it climbs (`protocols.md`, section 10)."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ....domain.conversation import ConversationLog
from ....domain.rubric import Factor, Form, Itemised, Kind
from ....domain.verdict import Evidence, Flag, TurnScore
from ....text.words import quotation, split_year, title_key
from ...evaluation import JudgeInput
from ..answer import Failure, Finder, Place, RatedAnswer
from .entries import SIMILARITIES, Entries, Entry, by_title
from .outline import Outline

MOST_LINES = 20
LONGEST_QUOTE = 160
_WORD = re.compile(r"\w+")


Placed = tuple[Entry, Place | None]
"""An entry with the place of its words in the log."""


@dataclass(frozen=True)
class ItemisedResult:
    """The result of a list. `decided` are the entries that decide the level; `summary` is the sentence that states it. `level` None:
    the question does not arise. `lost` and `found` count the entries whose words do not occur in the log, and those whose words
    do (None: all others)."""

    level: int | None
    summary: str
    counts: Mapping[str, float]
    decided: Sequence[Placed] = ()
    turns: Mapping[int, int] = field(default_factory=dict)
    lost: int = 0
    found: int | None = None
    occasion: bool = True


@dataclass(frozen=True)
class _Listed:
    """A list with all that its entries are held against."""

    entries: Entries
    factor: Factor
    asked: Itemised
    judge_input: JudgeInput
    outline: Outline

    @property
    def log(self) -> ConversationLog:
        return self.judge_input.log

    def around(self, message: int) -> Sequence[int]:
        """The message, and the others of its reply."""
        turn = self.outline.turn_of.get(message)
        others = self.outline.turns[turn] if turn is not None else ()
        return [message, *(other for other in others if other != message)]

    def placed(self, words: Callable[[Entry], str] = lambda entry: entry.quote) -> list[tuple[Entry, Place]]:
        """Return the entries whose words occur in their message, or in another one of its reply."""
        finder = Finder(self.log)
        places = (
            (entry, finder.find(words(entry), self.around(entry.message or 0))) for entry in self.entries
        )
        return [(entry, place) for entry, place in places if place is not None]

    def turn_levels(self, level: Callable[[Sequence[int]], int]) -> dict[int, int]:
        """The level of each turn, by its first message."""
        return {messages[0]: level(messages) for messages in self.outline.turns}


def score_items(
    entries: Entries, factor: Factor, judge_input: JudgeInput, outline: Outline
) -> RatedAnswer | Failure:
    """Find the level of a list, with its evidence; a failure where over half of its quotations do not occur in the log."""
    assert factor.itemised is not None
    result = _FORMS[factor.itemised.form](_Listed(entries, factor, factor.itemised, judge_input, outline))
    lost, found = result.lost, len(entries) - result.lost if result.found is None else result.found
    if lost > found:
        detail = f"{lost} of {lost + found} quotations do not occur in the interaction"
        return Failure("quotes_not_found", detail)
    return RatedAnswer(
        score=result.level,
        rationale="\n".join((result.summary, *_lines(result.decided))),
        assessable=result.level is not None and result.occasion,
        quotes=(),
        evidence=tuple(_evidence(result.decided, judge_input.log)),
        turns=tuple(TurnScore(message, score) for message, score in sorted(result.turns.items())) or None,
        counts={**result.counts, "quotes_found": found, "quotes_not_found": lost},
        flags=tuple(_flags(lost)),
        confidence=found / (lost + found) if lost + found else None,
    )


def levels(factor: Factor, values: Mapping[str, float]) -> int:
    """Return the level of counts and shares on the ladders of the same names: the lowest if they count
    faults, else the highest."""
    found = [factor.ladders[name].level(value) for name, value in values.items()]
    falling = any(factor.ladders[name].falling for name in values)
    return min(found) if falling else max(found)


def _met(listed: _Listed, unit_of: Mapping[int, int]) -> ItemisedResult:
    """Count the replies, or notes, that meet the standard, of those that it applies to."""
    factor, quoted = listed.factor, listed.asked.quoted
    finder = Finder(listed.log)
    units: dict[int, list[Placed]] = {}
    lost = found = 0
    for entry in listed.entries:
        if not entry.applies or entry.message is None:
            continue
        place = None
        # A fault of omission has no words to quote.
        if quoted is not None and entry.holds is quoted and (entry.quote or quoted):
            place = finder.find(entry.quote, listed.around(entry.message))
            lost, found = lost + (place is None), found + (place is not None)
            if place is None:
                continue
        units.setdefault(unit_of[entry.message], []).append((entry, place))
    met = {unit: all(entry.holds for entry, _ in pairs) for unit, pairs in units.items()}
    held, total = sum(met.values()), len(met)
    counts = {"counted": total, "met": held}
    replies = "replies " if listed.asked.form is Form.REPLIES else ""
    if not total:
        nothing = f"No reply is one that the question applies to: {listed.asked.wording}."
        return ItemisedResult(None, nothing, counts, lost=lost, found=found)
    value = {"count": total - held} if "count" in factor.ladders else {"share": held / total}
    best, worst = factor.scale.max, factor.scale.min
    return ItemisedResult(
        level=levels(factor, value),
        summary=f"{held} of {total} {replies}{listed.asked.wording}.",
        counts=counts,
        decided=[pair for pairs in units.values() for pair in pairs if pair[1] or not pair[0].holds],
        turns={
            min(e.message or 0 for e, _ in pairs): best if met[unit] else worst
            for unit, pairs in units.items()
        },
        lost=lost,
        found=found,
    )


def _faults(listed: _Listed) -> ItemisedResult:
    kinds = listed.asked.kinds_in(listed.outline.domain) or {"": Kind("count")}
    found, placed = listed.placed(), dict[Place, Entry]()
    for entry, place in found:
        placed[place] = _graver(placed.get(place), entry, kinds, listed.factor)
    counts = {kind: sum(entry.kind == kind for entry in placed.values()) for kind in kinds if kind}
    faults = sum(kinds[entry.kind].weight > 0 for entry in placed.values())

    apart = ", ".join(f"{kind}: {number:g}" for kind, number in counts.items())

    def level(messages: Sequence[int]) -> int:
        own = [entry for place, entry in placed.items() if place.message in messages]
        return levels(listed.factor, _weights(own, kinds))

    return ItemisedResult(
        level=level(listed.log.replies),
        summary=f"{faults} {listed.asked.wording}.{f' ({apart})' if counts else ''}",
        counts={"faults": faults, **counts},
        decided=[(entry, place) for place, entry in placed.items()],
        turns=listed.turn_levels(level),
        lost=len(listed.entries) - len(found),
    )


def _graver(known: Entry | None, entry: Entry, kinds: Mapping[str, Kind], factor: Factor) -> Entry:
    """Of two faults found in the same words the one that costs more."""
    if known is None:
        return entry
    costs = [levels(factor, _weights([one], kinds)) for one in (known, entry)]
    return entry if costs[1] < costs[0] else known


def _weights(entries: Sequence[Entry], kinds: Mapping[str, Kind]) -> dict[str, float]:
    """Return the faults' total on each ladder."""
    sums = {kind.ladder: 0.0 for kind in kinds.values()}
    for entry in entries:
        sums[kinds[entry.kind].ladder] += kinds[entry.kind].weight
    return sums


def _stretches(listed: _Listed) -> ItemisedResult:
    found = listed.placed()
    placed = {place: entry for entry, place in found}
    odd = {message: _odd_words(listed.log, message, placed) for message in listed.log.replies}
    words = {
        message: len(_WORD.findall(listed.log.messages[message].content)) for message in listed.log.replies
    }

    def share(messages: Sequence[int]) -> float:
        own = sum(words[message] for message in messages)
        return (own - sum(odd[message] for message in messages)) / own if own else 1.0

    total, unnatural, natural = sum(words.values()), sum(odd.values()), share(listed.log.replies)
    return ItemisedResult(
        level=levels(listed.factor, {"share": natural}),
        summary=f"{natural:.0%} {listed.asked.wording}: {unnatural} of {total} words do not.",
        counts={"words": total, "unnatural_words": unnatural},
        decided=[(entry, place) for place, entry in placed.items()],
        turns=listed.turn_levels(lambda messages: levels(listed.factor, {"share": share(messages)})),
        lost=len(listed.entries) - len(found),
    )


def _odd_words(log: ConversationLog, message: int, placed: Mapping[Place, Entry]) -> int:
    """Count the words of a message that are in one of the stretches, or partly."""
    spans = [(place.start, place.stop) for place in placed if place.message == message]
    words = _WORD.finditer(log.messages[message].content) if spans else ()
    return sum(any(word.start() < stop and start < word.end() for start, stop in spans) for word in words)


def _objections(listed: _Listed) -> ItemisedResult:
    kept = listed.placed()
    left = sum(entry.corrected_by is None for entry, _ in kept)
    return ItemisedResult(
        level=levels(listed.factor, {"count": left}) if kept else listed.factor.no_occasion,
        summary=f"{left} of {len(kept)} {listed.asked.wording} stay uncorrected.",
        counts={"objections": len(kept), "uncorrected": left},
        decided=kept,
        lost=len(listed.entries) - len(kept),
        occasion=bool(kept),
    )


def _titles(listed: _Listed) -> ItemisedResult:
    shown = listed.log.session_list(listed.judge_input.list_cutoff)
    kept: dict[int, list[tuple[Entry, Place, bool]]] = {}
    for entry, place in listed.placed(lambda entry: entry.item):
        known = any(_same(listed.judge_input, entry.item, one) for one in shown)
        kept.setdefault(listed.outline.turn_of[entry.message or 0], []).append((entry, place, known))
    # An item that is recommended three times is one item.
    items = {title_key(entry.item): known for placed in kept.values() for entry, _, known in placed}
    named = sum(items.values())
    return ItemisedResult(
        level=levels(listed.factor, {"share": named / len(items) if items else 0.0}),
        summary=f"{named} of {len(items)} {listed.asked.wording}.",
        counts={"recommended": len(items), "listed": named},
        decided=[
            (replace(entry, note="in the lists" if known else "not in the lists"), place)
            for placed in kept.values()
            for entry, place, known in placed
        ],
        turns={
            listed.outline.turns[turn][0]: levels(
                listed.factor, {"share": sum(known for _, _, known in placed) / len(placed)}
            )
            for turn, placed in kept.items()
        },
        lost=len(listed.entries) - sum(map(len, kept.values())),
        occasion=bool(items),
    )


def _same(judge_input: JudgeInput, title: str, reference: str) -> bool:
    """Return whether a title in a text and an entry of a list are one item; a missing year does not
    matter."""
    item = judge_input.item(reference)
    (name, year), (other, known) = (
        split_year(title_key(one)) for one in (title, item.title if item else reference)
    )
    return name == other and (year is None or known is None or year == known)


def _known_items(listed: _Listed) -> tuple[dict[str, list[Entry]], int]:
    """Return the entries of each item shown (without lists: named in a reply), and the number of others."""
    named = by_title(listed.entries)
    if listed.outline.items is not None:
        shown = set(map(title_key, listed.outline.items))
        kept = {title: entries for title, entries in named.items() if title in shown}
    else:
        finder = Finder(listed.log)
        kept = {
            t: entries for t, entries in named.items() if finder.find(entries[0].item, listed.log.replies)
        }
    return kept, sum(map(len, named.values())) - sum(map(len, kept.values()))


def _similarity(listed: _Listed) -> ItemisedResult:
    items, lost = _known_items(listed)
    order = list(SIMILARITIES)
    # Of two answers about one item, the lower counts.
    likeness = {
        title: max(entries, key=lambda entry: order.index(entry.kind)) for title, entries in items.items()
    }
    counts = {kind: sum(entry.kind == kind for entry in likeness.values()) for kind in SIMILARITIES}
    total = len(likeness)
    if not total:
        return ItemisedResult(None, "No item was recommended.", counts, lost=lost)
    very = (counts["very"] + counts["wanted"]) / total
    somewhat = very + counts["somewhat"] / total
    ladders = levels(listed.factor, {"very-similar": very, "somewhat-similar": somewhat})
    said = ", ".join(f"{counts[kind]} {words}" for kind, words in SIMILARITIES.items())
    return ItemisedResult(
        level=listed.factor.scale.max if counts["wanted"] else ladders,
        summary=f"Of {total} {listed.asked.wording}, {said}.",
        counts=counts,
        decided=[(entry, None) for entry in likeness.values() if entry.kind != "not"],
        lost=lost,
    )


def _familiarity(listed: _Listed) -> ItemisedResult:
    items, lost = _known_items(listed)
    little = {title: all(entry.holds for entry in entries) for title, entries in items.items()}
    number, total = sum(little.values()), len(little)
    counts = {"items": total, "little_known": number}
    if not total:
        return ItemisedResult(None, "No item was recommended.", counts, lost=lost)
    return ItemisedResult(
        level=levels(listed.factor, {"share": number / total, "count": number}),
        summary=f"{number} of {total} {listed.asked.wording}.",
        counts=counts,
        decided=[(entries[0], None) for title, entries in items.items() if little[title]],
        lost=lost,
    )


def _characteristics(listed: _Listed) -> ItemisedResult:
    items, lost = _known_items(listed)
    values: dict[str, set[str]] = {}
    for entry in (entry for entries in items.values() for entry in entries):
        for dimension, value in entry.characteristics:
            values.setdefault(dimension, set()).add(value)
    if not items:
        return ItemisedResult(None, "No item was recommended.", {"items": 0}, lost=lost)
    widest, second = ([len(found) for found in sorted(values.values(), key=len, reverse=True)] + [0, 0])[:2]
    dimensions = "; ".join(
        f"{dimension}: {', '.join(sorted(found))}" for dimension, found in sorted(values.items())
    )
    return ItemisedResult(
        level=levels(listed.factor, {"widest": widest, "second-widest": second}),
        summary=f"{widest} and {second} {listed.asked.wording} in the two widest dimensions. {dimensions[:1000]}",
        counts={"items": len(items), "widest": widest, "second_widest": second},
        lost=lost,
    )


_FORMS: Mapping[Form, Callable[[_Listed], ItemisedResult]] = {
    Form.REPLIES: lambda listed: _met(listed, listed.outline.turn_of),
    Form.NOTES: lambda listed: _met(listed, {message: message for message in listed.outline.notes}),
    Form.FAULTS: _faults,
    Form.STRETCHES: _stretches,
    Form.OBJECTIONS: _objections,
    Form.TITLES: _titles,
    Form.SIMILARITY: _similarity,
    Form.FAMILIARITY: _familiarity,
    Form.CHARACTERISTICS: _characteristics,
}


def _lines(decided: Sequence[Placed]) -> Iterator[str]:
    for entry, _ in decided[:MOST_LINES]:
        where = f"[{entry.message}]" if entry.message is not None else entry.item
        words = [
            entry.kind,
            f"“{quotation(entry.quote, entry.quote, LONGEST_QUOTE)}”" if entry.quote else "",
            entry.note,
        ]
        if entry.message is not None and entry.item:
            words.insert(0, entry.item)
        if entry.corrected_by is not None:
            words.append(f"corrected by [{entry.corrected_by}]")
        yield f"- {where} {'; '.join(filter(None, words))}"
    if len(decided) > MOST_LINES:
        yield f"- and {len(decided) - MOST_LINES} more"


def _evidence(decided: Sequence[Placed], log: ConversationLog) -> Iterator[Evidence]:
    for entry, place in decided:
        message = place.message if place else entry.message
        if message is not None:
            said = log.messages[message]
            quote = said.content[place.start : place.stop] if place else None
            yield Evidence(message, quote, None, said.id)


def _flags(lost: int) -> Iterator[Flag]:
    if lost:
        what = "an entry was" if lost == 1 else f"{lost} entries were"
        yield Flag("quote_not_found", f"{what} dropped: the words do not occur in the interaction")
