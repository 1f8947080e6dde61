"""Results of tools that replies leave unused, and errors that they pass over."""

import re
from collections.abc import Iterator

from ..domain.conversation import ConversationLog
from ..text.words import straight
from .names import Names, name_of
from .results import Result
from .sources import Sources

_OWNS_UP = re.compile(
    r"\b(?:sorry|apolog\w{2,8}|unable|unfortunately|unavailable|error|problem|trouble|issue|fail(?:ed|s)?|couldn't|could not|can't|cannot"
    r"|wasn't able|weren't able|not able|don't know|do not know|no information|don't have|do not have|not available|try again|went wrong"
    r"|at the moment|isn't working|not working|timed out|not (?:find|found|sure|reach|check|load)|didn't (?:find|work)|later"
    r"|without (?:knowing|the))\b",
    re.IGNORECASE,
)


def unused(log: ConversationLog, sources: Sources) -> Iterator[tuple[Result, int, bool]]:
    """For each result that offers items, and that a reply follows: the first reply after it, and whether none of its items is
    shown, named or looked up later."""
    offers = [(result, frozenset(_names(result))) for result in sources.results if result.holds_items]
    names = Names(name for _, named in offers for name in named)
    used = list(_used(log, sources, names)) if offers else []
    for result, named in offers:
        reply = next((at for at in log.replies if at > result.message), None)
        if reply is not None:
            yield (
                result,
                reply,
                not any(at > result.message and not named.isdisjoint(one) for at, one in used),
            )


def _names(result: Result) -> Iterator[str]:
    for one in result.records:
        yield from (name for called in (one.id, one.title) if called and (name := name_of(called)))


def _used(log: ConversationLog, sources: Sources, names: Names) -> Iterator[tuple[int, frozenset[str]]]:
    """The names that replies say or show, and that calls ask for, with their messages."""
    yield from ((at, names.among(call.arguments)) for at, call in sources.calls)
    for at in log.replies:
        yield at, names.among(log.messages[at].content)
        yield from ((at, sources.words(card)) for card in log.messages[at].cards)


def errors(log: ConversationLog, sources: Sources) -> Iterator[tuple[Result, int, bool]]:
    """For each failed result that a reply follows: that reply, and whether it passes the error over: no call of the same tool
    succeeds before the reply, and neither the reply nor the rest of its turn says that something is missing."""
    for place, result in enumerate(sources.results):
        reply = next((at for at in log.replies if at > result.message), None)
        if result.failed and reply is not None:
            later = [other for other in sources.results[place + 1 :] if other.message < reply]
            again = any(other.tool == result.tool and not other.failed for other in later)
            turn = next(one for one in log.turns if reply in one.assistant)
            said = " ".join(log.messages[at].content for at in turn.assistant if at >= reply)
            yield result, reply, not again and not _OWNS_UP.search(straight(said))
