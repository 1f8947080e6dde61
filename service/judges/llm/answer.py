"""A model's answer, read without trust: the last verdict in the text, checked against the scale, and its quotations, each looked up
in the log."""

# ruff: noqa: RUF001 - quotation marks of all kinds

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ...domain.conversation import ConversationLog, Message
from ...domain.parts import ImagePart, ToolCall, ToolResult
from ...domain.rubric import Factor, Scale
from ...domain.verdict import Evidence, Flag, TurnScore
from ...llm.answer_text import objects_in, printable
from ...prompts.hostile import neutralise, origins
from .items import data_facts

PARSER_REVISION = 4
"""Raised with every change that makes another verdict of the same answer."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A passage that the model says decided, and in which message it says to have found it."""

    message: int | None
    text: str


@dataclass(frozen=True, slots=True)
class RatedAnswer:
    """One factor's verdict as the model gave it, or as code made it of a list. `score` None: nothing to apply the rubric
    to. Quotes that code has checked are in `evidence` instead of `quotes`."""

    score: float | None
    rationale: str
    assessable: bool
    quotes: tuple[Quote, ...]
    evidence: tuple[Evidence, ...] = ()
    turns: tuple[TurnScore, ...] | None = None
    counts: Mapping[str, float] | None = None
    flags: tuple[Flag, ...] = ()
    confidence: float | None = None
    scale_share: float | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """The reason why a draw gave no verdict, though its answer may have been read."""

    code: str
    detail: str
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class Unreadable:
    """The reason why an answer gives no verdict, in words that help the model to fix it. `fallback` is the
    outcome if a second answer is no better."""

    problem: str
    fallback: RatedAnswer | Failure | None = None


def last_object(text: str, keys: Set[str], lacking: str) -> dict[str, Any] | Unreadable:
    """Return the last JSON object of an answer that has one of these keys, whatever is around it: fences,
    prose, an earlier verdict. An unreadable object invalidates those before it, since it may have been meant
    to replace them. `lacking` names what other objects lack."""
    found: dict[str, Any] | Unreadable = Unreadable("it holds no JSON object")
    for value in objects_in(text):
        if value is None:
            found = Unreadable("its JSON is cut off or malformed")
        elif not keys.isdisjoint(value):
            found = value
        elif isinstance(found, Unreadable):
            found = Unreadable(f"its JSON object holds no {lacking}")
    return found


def read_answer(text: str, factors: Sequence[Factor]) -> dict[str, RatedAnswer | Unreadable]:
    """Each factor's verdict in an answer, by slug: those of `last_object`."""
    slugs = {factor.slug for factor in factors}
    found = last_object(text, {"score", *slugs}, "score")
    if isinstance(found, Unreadable):
        return dict.fromkeys(slugs, found)
    if len(factors) == 1:
        [factor] = factors
        inner = found.get(factor.slug) if "score" not in found else None
        return {factor.slug: _verdict(inner if isinstance(inner, dict) else found, factor)}
    return {factor.slug: _member(found, factor) for factor in factors}


def answer_problem(text: str, factors: Sequence[Factor]) -> str | None:
    """Return why an answer does not hold a verdict for every factor; None where it does."""
    found = read_answer(text, factors)
    rated_answers = (found[factor.slug] for factor in factors)
    return next((one.problem for one in rated_answers if isinstance(one, Unreadable)), None)


def _member(whole: Mapping[str, Any], factor: Factor) -> RatedAnswer | Unreadable:
    part = whole.get(factor.slug)
    if not isinstance(part, dict):
        return Unreadable(f'there is no object under "{factor.slug}"')
    rated = _verdict(part, factor)
    return Unreadable(f"{factor.slug}: {rated.problem}") if isinstance(rated, Unreadable) else rated


def _verdict(raw: Mapping[str, Any], factor: Factor) -> RatedAnswer | Unreadable:
    rationale = raw.get("rationale")
    if not isinstance(rationale, str) or not rationale.strip():
        return Unreadable('"rationale" is missing or empty')
    if "score" not in raw:
        return Unreadable('"score" is missing')
    score = _level(raw["score"], factor.scale)
    if isinstance(score, Unreadable):
        return score
    assessable = score is not None
    score = factor.no_occasion if score is None else score
    return RatedAnswer(score, printable(rationale.strip()), assessable, tuple(_quotes(raw.get("evidence"))))


def _level(value: object, scale: Scale) -> int | Unreadable | None:
    if value is None:
        return None
    number = value
    if isinstance(value, str) and re.fullmatch(r"-?\d{1,4}(\.0{1,9})?", text := value.strip()):
        number = float(text)
    if isinstance(number, bool) or not isinstance(number, int | float) or number not in scale.levels:
        return Unreadable(f'"score" is none of the levels {scale.min} to {scale.max}, nor null')
    return int(number)


def _quotes(raw: object) -> Iterator[Quote]:
    for entry in raw if isinstance(raw, list) else ():
        text = entry.get("quote") if isinstance(entry, dict) else entry
        message = entry.get("message") if isinstance(entry, dict) else None
        if isinstance(text, str) and text.strip():
            number = message if isinstance(message, int) and not isinstance(message, bool) else None
            yield Quote(number, printable(text.strip()))


MOST_QUOTES = 10
LONGEST_QUOTE = 2000
MOST_PLACES = 50
LONGEST_GAP = 300
"""Characters that an ellipsis in a quotation may leave out."""

_ELLIPSIS = re.compile(r"\[(?:\.\.\.|…)\]|\.\.\.|…")
_ALIKE = {sign: f"[{re.escape(signs)}]" for signs in ("'’‘", '"“”', "<‹", "([") for sign in signs}
_AROUND = "\"'“”‘’« »"
_PREFIX = re.compile(r"^\[\d+\]\s*(?:user|recommender|tool):\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Place:
    """A passage: its message, and its start and end (exclusive) in the log's text."""

    message: int
    start: int
    stop: int


class Finder:
    """Finder of quotations in a log's messages as the model saw them. A repeated quotation gets the next
    place, if there is one."""

    def __init__(self, log: ConversationLog) -> None:
        self._log = log
        self._shown: dict[int, tuple[str, Sequence[int]]] = {}
        self._given: set[Place] = set()

    def find(self, quote: str, messages: Sequence[int]) -> Place | None:
        """Return the next place of a quotation in these messages, else one given before. None if it does not
        occur."""
        again = None
        for place in self.places(quote, messages):
            if place not in self._given:
                self._given.add(place)
                return place
            again = again or place
        return again

    def places(self, quote: str, messages: Iterable[int]) -> Iterator[Place]:
        """Yield the places of a quotation in these messages, the first ones of each."""
        for message in messages:
            text, origin = self._text(message)
            for found in places_of(quote, text):
                yield Place(message, origin[found.start], origin[found.stop - 1] + 1)

    def _text(self, message: int) -> tuple[str, Sequence[int]]:
        if message not in self._shown:
            content = self._log.messages[message].content
            self._shown[message] = (neutralise(content), origins(content))
        return self._shown[message]


def checked(quotes: Iterable[Quote], log: ConversationLog) -> tuple[tuple[Evidence, ...], tuple[Flag, ...]]:
    """Return the quotations that occur in the interaction, each as it is written there; and a flag that
    tells how many do not and were dropped. A quotation from another message than the model says is
    put right."""
    found: list[Evidence] = []
    dropped = 0
    finder = Finder(log)
    for quote in islice(quotes, MOST_QUOTES):
        evidence = _find(quote, log, finder)
        if evidence is None:
            dropped += 1
        elif evidence not in found:
            found.append(evidence)
    return tuple(found), tuple(_flag(dropped))


def _find(quote: Quote, log: ConversationLog, finder: Finder) -> Evidence | None:
    """The passage as the log has it, looked for in the message that the model names first; else what a prompt shows beside a text."""
    order = sorted(range(len(log.messages)), key=lambda index: index != quote.message)
    if place := next(finder.places(quote.text, order), None):
        message = log.messages[place.message]
        return Evidence(place.message, message.content[place.start : place.stop], None, message.id)
    beside = ((index, passage_beside(quote.text, log.messages[index])) for index in order)
    return next(
        (Evidence(index, passage, None, log.messages[index].id) for index, passage in beside if passage), None
    )


def _flag(dropped: int) -> Iterator[Flag]:
    if dropped:
        what = "a quotation that does" if dropped == 1 else f"{dropped} quotations that do"
        was = "was" if dropped == 1 else "were"
        yield Flag("quote_not_found", f"{what} not occur in the interaction {was} dropped")


def _beside(message: Message) -> str:
    """Return what a prompt may show of a message beside its text."""
    lines: list[str] = []
    for card in message.cards:
        lines.append("; ".join((card.item.title, *data_facts(card.item))) if card.item else card.reference)
        lines += [f"{card.item.title} ({'; '.join(data_facts(card.item))}"] if card.item else []
    for part in message.parts:
        lines += [part.alt or ""] if isinstance(part, ImagePart) else []
        lines += [part.body] if isinstance(part, ToolCall | ToolResult) else []
    return "\n".join(lines)


def passage_beside(quote: str, message: Message) -> str | None:
    """Return the words of a quotation as a prompt shows them beside a message's text, on a card for example."""
    text = neutralise(_beside(message))
    place = next(places_of(quote, text), None)
    return None if place is None else text[place]


def places_of(quote: str, text: str) -> Iterator[slice]:
    """The places of a quotation in a message as the model was shown it, the first ones."""
    pieces = _pieces(quote)
    if len(pieces) == 1:
        for found in islice(pieces[0].finditer(text), MOST_PLACES):
            yield slice(found.start(), found.end())
    elif pieces and (place := _place(pieces, text)) is not None:
        yield place


def _place(pieces: Sequence[re.Pattern[str]], text: str) -> slice | None:
    """Find the pieces in order, each soon after the previous one. Each is tried only at its first match:
    trying all places could take too long."""
    first, *others = pieces
    for begun in islice(first.finditer(text), MOST_PLACES):
        end: int | None = begun.end()
        for piece in others:
            follows = piece.search(text, end, end + LONGEST_GAP + LONGEST_QUOTE) if end is not None else None
            near = follows is not None and end is not None and follows.start() - end <= LONGEST_GAP
            end = follows.end() if follows is not None and near else None
        if end is not None:
            return slice(begun.start(), end)
    return None


def _pieces(quote: str) -> list[re.Pattern[str]]:
    """A pattern for each part of a quotation, whatever its case, white space and kind of quotation marks."""
    plain = _PREFIX.sub("", quote[:LONGEST_QUOTE]).strip(_AROUND)
    parts = [part for part in _ELLIPSIS.split(plain) if part.strip()]
    return [re.compile(r"\s+".join(map(_word, part.split())), re.IGNORECASE) for part in parts]


def _word(word: str) -> str:
    return "".join(_ALIKE.get(character) or re.escape(character) for character in word)
