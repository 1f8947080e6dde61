"""Language of a text: whether it is English enough for rules that know English only, and its flaws as text: words stuttered, phrases
looped, slips of grammar and spelling, rests of templates."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from .patterns import Lexicon
from .words import FUNCTION_WORDS, Span, outside, straight, word_spans, words

LANGUAGES = Lexicon(__package__, "languages")

READ = ("en",)
"""The languages that the embedded judge reads, as BCP 47 names them."""

ENOUGH_LETTERS = 24
FEWEST_LETTERS = 2
ENOUGH_WORDS = 8
FEWEST_ENGLISH = 3
"""Fewest distinct words that only English has, in a text that is clearly English."""

FEWEST_FOREIGN = 2
"""Fewest distinct words that show which foreign language a text is in."""


def is_other_language(tokens: Sequence[str], letters: str) -> bool:
    """Return whether a text is not English: most letters are of another script, or chat words of other languages ("danke")
    outnumber English words. Or the commonest words of other languages clearly outnumber the English ones. Unmarked texts (a
    title, "ok") are not other: the benefit of the doubt keeps them assessable.

    `letters` is the text itself, or a piece long enough to judge."""
    return _foreign_script(letters[:4000]) or _foreign_words(tokens[:2000])


def _foreign_script(text: str) -> bool:
    if text.isascii():
        return False
    alphabetic = [letter for letter in text if letter.isalpha()]
    if len(alphabetic) < FEWEST_LETTERS:
        return False
    latin = sum(
        letter < "\u0250" or unicodedata.name(letter, "").startswith("LATIN") for letter in alphabetic
    )
    if latin * 2 >= len(alphabetic):
        return False
    # "Try 七人の侍" is English with a long title.
    return len(alphabetic) >= ENOUGH_LETTERS or not is_english(words(text))


def is_english(tokens: Sequence[str]) -> bool:
    """Return whether a text holds one of the commonest words that English shares with no other language."""
    return not english_words().isdisjoint(tokens)


def is_clearly_english(tokens: Sequence[str], fewest: int = FEWEST_ENGLISH) -> bool:
    """Return whether English words carry a text. A few may stand in any language: "Laptop for Uni"."""
    known = _languages()
    ours = [token for token in tokens if token in known.english_alone]
    theirs = sum(token in known.other or token in known.said for token in tokens)
    return len(set(ours)) >= fewest and len(ours) > 3 * theirs and 6 * len(ours) >= len(tokens)


_NAMED = ("german", "french", "spanish", "italian", "portuguese", "dutch")


def language_of(tokens: Sequence[str], fewest: int = FEWEST_FOREIGN) -> str | None:
    """Return which of some foreign languages a text is in; None where that is not clear."""
    said = set(tokens)
    lists = {name: LANGUAGES.words(name) for name in _NAMED}
    alone = Counter(word for listed in lists.values() for word in listed)
    found = {name: sum(alone[word] == 1 for word in said & listed) for name, listed in lists.items()}
    name = max(found, key=lambda one: found[one])
    rest = sum(found.values()) - found[name]
    return name if found[name] >= fewest and found[name] > 2 * rest else None


def english_words() -> frozenset[str]:
    """Return the commonest words that English shares with no other language."""
    return _languages().english_alone


def _foreign_words(tokens: Sequence[str]) -> bool:
    known = _languages()
    chat, ours, theirs = (
        sum(map(listed.__contains__, tokens)) for listed in (known.said, known.english, known.other)
    )
    if chat and chat + theirs > sum(map(known.english_alone.__contains__, tokens)):
        return True
    return len(tokens) >= ENOUGH_WORDS and theirs > 2 * ours and theirs * 5 >= len(tokens)


class _Languages(NamedTuple):
    """The commonest words of English and of other languages, and what is said in chats of these."""

    english: frozenset[str]
    english_alone: frozenset[str]
    other: frozenset[str]
    said: frozenset[str]


@cache
def _languages() -> _Languages:
    english, said = LANGUAGES.words("english"), LANGUAGES.words("said")
    alone = (english | FUNCTION_WORDS) - LANGUAGES.words("shared") - LANGUAGES.words("other") - said
    return _Languages(english, alone, LANGUAGES.words("other") - english - said, said - english)


LONGEST_UNIT = 6
#: Doubled words that people write on purpose or that grammar allows.
DOUBLES = frozenset(
    """aha blah boo bye choo chop cough far ha haha hah he hee heh hey hi ho hmm hm knock la lol long many much na
    night no oh ok okay please pretty quack really so soon sorry super tap that there tut very wait well whoa wow
    ya yay yeah yes yo yum had""".split()  # noqa: SIM905 - a list of words reads best as prose
)


def find_stutters(tokens: Sequence[Span]) -> list[Span]:
    """Runs in which a unit of one to six words follows itself at once: "The The The Last",
    "a girl and a girl and a girl". One word doubled is a slip, reported as `doubled`; three in a row, or any
    longer unit twice, is a `stutter`. `tokens` are word spans, `kind` the folded word."""
    kinds = [token.kind for token in tokens]
    found: list[Span] = []
    reached = 0
    for position in _soon_again(kinds):
        if position < reached:
            continue
        reach, kind, unit = _run_at(kinds, position)
        few = reach - position < (6 if unit == 1 else 3 * unit)
        if few and tokens[position + unit].start - tokens[position + unit - 1].end > 1:
            kind = ""  # "Hello! Hello!", "what we have. We have": something stands between the two
        if kind:
            found.append(Span(tokens[position].start, tokens[reach - 1].end, kind))
            reached = reach
    return found


def _soon_again(kinds: Sequence[str]) -> list[int]:
    """The places of the words that come again within the longest unit, in order: few in most texts."""
    if len(set(kinds)) == len(kinds):
        return []
    latest: dict[str, int] = {}
    found = []
    for place, kind in enumerate(kinds):
        if place - latest.get(kind, -LONGEST_UNIT - 1) <= LONGEST_UNIT:
            found.append(latest[kind])
        latest[kind] = place
    return sorted(found)


def _run_at(kinds: Sequence[str], start: int) -> tuple[int, str, int]:
    """Return where the run ends, its kind ("": none), and the words of its unit."""
    first = kinds[start]
    for unit in range(1, min(LONGEST_UNIT, len(kinds) - start - 1) + 1):
        if kinds[start + unit] != first:
            continue
        pattern = kinds[start : start + unit]
        reach = start + unit
        while kinds[reach : reach + unit] == pattern:
            reach += unit
        times = (reach - start) // unit
        if unit == 1 and times == 2 and kinds[start] not in DOUBLES and not kinds[start].isdigit():
            return reach, "doubled", unit
        if times >= 3 and (unit > 1 or kinds[start] not in DOUBLES or times >= 6):
            return reach, "stutter", unit
        again_and_again = pattern[1:] == ["and"] and kinds[reach : reach + 1] != [first]
        if unit > 1 and times == 2 and len(set(pattern)) > 1 and not again_and_again:
            return reach, "stutter", unit
    return start, "", 1


def loop_share(tokens: Sequence[str]) -> float:
    """The share of a text's runs of three words that it has said before: 0 for ordinary prose, near 1 for a
    loop. Texts under 12 words count as 0."""
    if len(tokens) < 12:
        return 0.0
    grams = Counter(zip(tokens, tokens[1:], tokens[2:], strict=False))
    return sum(count - 1 for count in grams.values()) / sum(grams.values())


FLAWS = Lexicon(__package__, "flaws")

_SLIPS = ("article", "agreement", "verb", "comparison", "words", "unfinished")


@lru_cache(maxsize=64)
def find_gaps(plain: str) -> tuple[Span, ...]:
    """Return where a word or a name is missing. Asked for once as an error of language, once as a broken
    text."""
    return tuple(_flaws("slips", ("gap",), plain))


def find_errors(text: str, names: Sequence[Span]) -> list[Span]:
    """The obvious errors of a text, in order, none overlapping another. `names` are stretches that are right as they stand: titles
    and other proper nouns."""
    plain, tokens = straight(text), word_spans(text)
    wrong = FLAWS.words("spelling", "wrong")
    found = [
        *_flaws("slips", _SLIPS, plain),
        *find_gaps(plain),
        *(token for token in tokens if token.kind in wrong),
        *(span for span in find_stutters(tokens) if "-" not in span.of(plain)),  # Baden-Baden
    ]
    return _disjoint(one for one in outside(found, names) if not _is_name(plain, one))


_FEW_BLANKS = 3
_BEGINS = re.compile(r"(?:\A|[.!?:;(\"\u201c*\n-])[\s\"*_]{0,4}\Z")
_CAPITAL = re.compile(r"(?<![\w'])(?!I\b)[A-Z]\w*[a-z]")


def _is_name(text: str, span: Span) -> bool:
    """Return whether one of a few words is capitalised for another reason than heading a sentence: a part of a name."""
    if span.kind == "stutter" or span.of(text).count(" ") > _FEW_BLANKS:
        return False
    heads = _BEGINS.search(text[max(0, span.start - 9) : span.start]) is not None
    return _CAPITAL.search(text, span.start + heads, span.end) is not None


def _flaws(table: str, kinds: Sequence[str], plain: str) -> Iterator[Span]:
    for kind in kinds:
        yield from (Span(*match.span(), kind) for match in FLAWS.finder(table, kind).finditer(plain))


def _disjoint(spans: Iterable[Span]) -> list[Span]:
    kept: list[Span] = []
    for span in sorted(spans):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return kept


_RESTS = ("placeholder", "leakage", "noise")


def find_degenerate(text: str, names: Sequence[Span]) -> list[Span]:
    """The stretches of a text that are broken as text. `names` are titles, in which a doubled word or an odd spelling is right."""
    plain = straight(text)
    stutters = [one for one in find_stutters(word_spans(text)) if one.kind == "stutter"]
    return outside([*_flaws("rests", _RESTS, plain), *find_gaps(plain), *stutters], names)
