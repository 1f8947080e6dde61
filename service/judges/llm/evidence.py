"""Quotations checked against the log: what a model claims to have read must stand there."""

import re
from collections.abc import Iterable, Iterator

from ...domain.conversation import ConversationLog
from ...domain.verdict import Evidence, Flag
from ...prompts.hostile import OPENING
from .answer import Quote

MOST_QUOTES = 10
LONGEST_QUOTE = 2000
LONGEST_GAP = 300
"""Characters that an ellipsis in a quotation may leave out."""

_ELLIPSIS = re.compile(r"\s*(?:\.\.\.|…|\[\.\.\.\]|\[…\])\s*")
_ALIKE = {"'": "['’‘]", "’": "['’‘]", "‘": "['’‘]", '"': '["“”]', "“": '["“”]', "”": '["“”]'}  # noqa: RUF001
_AROUND = "\"'“”‘’« »"  # noqa: RUF001
_PREFIX = re.compile(r"^\[\d+\]\s*(?:user|recommender):\s*", re.IGNORECASE)


def checked(quotes: Iterable[Quote], log: ConversationLog) -> tuple[tuple[Evidence, ...], tuple[Flag, ...]]:
    """The quotations that stand in the interaction, each as it is written there; and a flag that
    tells how many do not and were dropped. A quotation from another message than the model says is
    put right."""
    found: list[Evidence] = []
    dropped = 0
    for quote in list(quotes)[:MOST_QUOTES]:
        evidence = _find(quote, log)
        if evidence is None:
            dropped += 1
        elif evidence not in found:
            found.append(evidence)
    return tuple(found), tuple(_flag(dropped))


def _flag(dropped: int) -> Iterator[Flag]:
    if dropped:
        what = "a quotation does not" if dropped == 1 else f"{dropped} quotations do not"
        yield Flag("quote_not_found", f"{what} occur in the interaction and were dropped")


def _find(quote: Quote, log: ConversationLog) -> Evidence | None:
    pattern = _pattern(quote.text)
    if pattern is None:
        return None
    named = quote.message if quote.message is not None and 0 <= quote.message < len(log.messages) else None
    order = [] if named is None else [named]
    order += [index for index in range(len(log.messages)) if index != named]
    for index in order:
        message = log.messages[index]
        found = pattern.search(message.content)
        if found is not None:
            return Evidence(index, found.group(), None, message.id)
    return None


def _pattern(quote: str) -> re.Pattern[str] | None:
    """Matches a quotation whatever its case, white space and kind of quotation marks."""
    plain = _PREFIX.sub("", quote[:LONGEST_QUOTE].replace(OPENING, "<")).strip(_AROUND)
    pieces = [piece for piece in _ELLIPSIS.split(plain) if piece.strip()]
    if not pieces:
        return None
    gap = rf".{{0,{LONGEST_GAP}}}?"
    return re.compile(gap.join(r"\s+".join(map(_word, piece.split())) for piece in pieces[:4]), re.I | re.S)


def _word(word: str) -> str:
    return "".join(_ALIKE.get(character) or re.escape(character) for character in word)
