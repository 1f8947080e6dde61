"""A message as hashed pieces of words, and by the cues that rules see in it, for the learned models: no vocabulary
is kept, so none can leak."""

import re
from array import array
from collections.abc import Collection, Iterable
from functools import lru_cache
from itertools import pairwise
from zlib import crc32

from .....text.words import straight
from .acts import ReplyAct, UserAct

SIZE = 1 << 15
#: Array type of pieces, two bytes each: a set of them takes thirty times as much.
_SMALL = "H"
#: Characters of a message that the learned models read.
READ = 600
#: Stands for a title that carries its year.
TITLE = "titlename"
#: Words before a year that may be its title.
TITLE_WORDS = 6
#: Messages of one side after which its place in the conversation tells no more.
PLACES = 3
_TOKEN = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|\d+|[?!]+")
_ASCII_TOKEN = re.compile(r"[a-z]+(?:'[a-z]+)?|[0-9]+|[?!]+")
#: Words from which a message is no longer brief, is long, is very long; the place from which it is late.
BRIEF, LONG, VERY_LONG, LATE = 3, 12, 25, 4
#: Tones of a message, listed beside its acts.
FEELINGS = ("glad", "sour")
_ACTS = (
    *(f"user {act}" for act in (*UserAct, *FEELINGS)),
    *(f"reply {act}" for act in (*ReplyAct, *FEELINGS)),
)
#: Observations by rules: of the message, of the other side's message before ("after"), of this side's own message before
#: ("since").
CUES = (
    *_ACTS, *(f"after {act}" for act in _ACTS), *(f"since {act}" for act in _ACTS),
    "asks", "title", "titles", "title asked", "opens with title", "brief", "long", "very long", "first", "second", "late",
    "after question", "after title", "after closing question", "after title question", "since question",
    "since title",
)  # fmt: skip
_CUE = {name: SIZE + number for number, name in enumerate(CUES)}
_YEAR = re.compile(r"\(\s?(?:18|19|20)\d\d\s?\)")
_TITLED = re.compile(rf"(?:[^\W_][\w':&,.-]{{0,60}}\s{{1,9}}){{0,{TITLE_WORDS}}}?{_YEAR.pattern}")


def own_pieces(text: str) -> Collection[int]:
    """The hashed words, pairs of words, and runs of 3 and 4 characters in words of a message."""
    words = _words(text)
    found: set[int] = set()
    for word in words:
        found.update(_parts(word))
    found.update(_hashed(f"b{first} {second}" for first, second in pairwise(["^", *words, "$"])))
    return array(_SMALL, found)


def context_pieces(before: str, place: int) -> Collection[int]:
    """The hashed words of the other side's message before, and how many messages this side had sent."""
    words = dict.fromkeys(_words(before))
    found = set(_hashed([*("p" + word for word in words), f"n{min(place, PLACES)}"]))
    return array(_SMALL, found)


def cue_pieces(texts: tuple[str, str, str], acts: Iterable[str], place: int) -> list[int]:
    """The cues of a message, numbered from `SIZE` on. `texts` are the message, the other side's last one and this
    side's own one before; `acts` what rules see the three do, as `CUES` names it."""
    plain, prior, own = (_marked(text) for text in texts)
    titles, count = plain.count(TITLE), len(plain.split())
    closing = prior.rstrip().endswith("?")
    told = {
        "asks": "?" in plain,
        "title": titles,
        "titles": titles > 1,
        "title asked": titles and "?" in plain,
        "opens with title": plain.lstrip().startswith(TITLE),
        "brief": count <= BRIEF,
        "long": count > LONG,
        "very long": count > VERY_LONG,
        "first": place == 0,
        "second": place == 1,
        "late": place > LATE,
        "after question": "?" in prior,
        "after title": TITLE in prior,
        "after closing question": closing,
        "after title question": closing and TITLE in prior,
        "since question": "?" in own,
        "since title": TITLE in own,
    }
    return [_CUE[name] for name in (*acts, *(name for name, holds in told.items() if holds))]


def _words(text: str) -> tuple[str, ...]:
    return _tokens(text[:READ])


def _marked(text: str) -> str:
    """Return what is read of a text, with its titles replaced."""
    return _titled(text[:READ])


# A message is read as itself and as what came before the next ones: short-lived, so that few texts are kept.
@lru_cache(maxsize=64)
def _tokens(text: str) -> tuple[str, ...]:
    small = _titled(text).lower()
    return tuple((_ASCII_TOKEN if small.isascii() else _TOKEN).findall(small))


@lru_cache(maxsize=64)
def _titled(text: str) -> str:
    plain = straight(text)
    pieces, reached = [], 0
    for year in _YEAR.finditer(plain):
        before = plain[reached : year.start()].rsplit(None, TITLE_WORDS + 1)
        start = reached + len(before[0]) if len(before) > TITLE_WORDS + 1 else reached
        if found := _TITLED.search(plain, start, year.end()):  # from as far back as words may belong to it
            pieces += [plain[reached : found.start()], f" {TITLE} "]
            reached = found.end()
    return "".join([*pieces, plain[reached:]]) if pieces else plain


@lru_cache(maxsize=8192)
def _parts(word: str) -> tuple[int, ...]:
    padded = f" {word} "
    # In order, and no set of strings: sums over them are the same in every process.
    runs = dict.fromkeys(
        padded[start : start + size] for size in (3, 4) for start in range(len(padded) - size + 1)
    )
    return tuple(_hashed(["w" + word, *("c" + run for run in runs)]))


def _hashed(pieces: Iterable[str]) -> list[int]:
    """The numbers of some pieces, in which no line ends."""
    return [crc32(piece) & (SIZE - 1) for piece in "\n".join(pieces).encode().split(b"\n")]
