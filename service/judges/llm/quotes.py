"""Quotations checked against the log: what a model claims to have read must stand there."""

# ruff: noqa: RUF001 - quotation marks of all kinds

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from ...domain.conversation import ConversationLog, Message
from ...domain.parts import ImagePart, ToolCall, ToolResult
from ...domain.verdict import Evidence, Flag
from ...prompts.hostile import neutralise, origins
from .answer import Quote
from .cards import data_facts

MOST_QUOTES = 10
LONGEST_QUOTE = 2000
MOST_PLACES = 50
LONGEST_GAP = 300
"""Characters that an ellipsis in a quotation may leave out."""

_ELLIPSIS = re.compile(r"\[(?:\.\.\.|…)\]|\.\.\.|…")
_ALIKE = {sign: f"[{re.escape(signs)}]" for signs in ("'’‘", '"“”', "<‹", "([") for sign in signs}
_AROUND = "\"'“”‘’« »"
_PREFIX = re.compile(r"^\[\d+\]\s*(?:user|recommender|tool):\s*", re.IGNORECASE)


def checked(quotes: Iterable[Quote], log: ConversationLog) -> tuple[tuple[Evidence, ...], tuple[Flag, ...]]:
    """The quotations that stand in the interaction, each as it is written there; and a flag that
    tells how many do not and were dropped. A quotation from another message than the model says is
    put right."""
    found: list[Evidence] = []
    dropped = 0
    asked = list(quotes)[:MOST_QUOTES]
    shown = [neutralise(message.content) for message in log.messages] if asked else []
    beside = [neutralise(_beside(message)) for message in log.messages] if asked else []
    for quote in asked:
        evidence = _find(quote, log, shown) or _find(quote, log, beside, of_text=False)
        if evidence is None:
            dropped += 1
        elif evidence not in found:
            found.append(evidence)
    return tuple(found), tuple(_flag(dropped))


def _flag(dropped: int) -> Iterator[Flag]:
    if dropped:
        what = "a quotation does not" if dropped == 1 else f"{dropped} quotations do not"
        yield Flag("quote_not_found", f"{what} occur in the interaction and were dropped")


def _beside(message: Message) -> str:
    """Return what a prompt may show of a message beside its text."""
    lines: list[str] = []
    for card in message.cards:
        lines.append("; ".join((card.item.title, *data_facts(card.item))) if card.item else card.reference)
        lines += [f"{card.item.title} ({'; '.join(data_facts(card.item))}"] if card.item else []
    for part in message.parts:
        lines += [part.alt or ""] if isinstance(part, ImagePart) else []
        lines += [part.content] if isinstance(part, ToolResult) else []
        lines += [part.arguments] if isinstance(part, ToolCall) else []
    return "\n".join(lines)


def _find(
    quote: Quote, log: ConversationLog, shown: Sequence[str], *, of_text: bool = True
) -> Evidence | None:
    """The passage as the log has it, looked for in the messages as the model was shown them; `of_text` false: beside their text."""
    pieces = _pieces(quote.text)
    named = quote.message if quote.message is not None and 0 <= quote.message < len(log.messages) else None
    order = [] if named is None else [named]
    order += [index for index in range(len(log.messages)) if index != named]
    for index in order if pieces else ():
        message = log.messages[index]
        place = _place(pieces, shown[index])
        if place is not None:
            passage = _original(message.content, place) if of_text else shown[index][place]
            return Evidence(index, passage, None, message.id)
    return None


def places_of(quote: str, text: str) -> Iterator[slice]:
    """The places of a quotation in a message as the model was shown it, the first ones."""
    pieces = _pieces(quote)
    if len(pieces) == 1:
        for found in islice(pieces[0].finditer(text), MOST_PLACES):
            yield slice(found.start(), found.end())
    elif pieces and (place := _place(pieces, text)) is not None:
        yield place


def _original(text: str, place: slice) -> str:
    places = origins(text)
    return text[places[place.start] : places[place.stop - 1] + 1]


def _place(pieces: Sequence[re.Pattern[str]], text: str) -> slice | None:
    """Return where the pieces stand one after another, each soon after the one before. Every piece is
    tried where it first fits: a quotation is not worth the time that trying all places could take."""
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
