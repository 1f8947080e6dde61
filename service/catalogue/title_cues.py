"""Decide whether words in a text are meant as a title: the capitals, marks and phrases around them."""

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cached_property

from ..text.words import Tokens, everydayness, is_given_name, is_proper
from .titles import Weight

_SENTENCE_END = re.compile(r"[.!?:;…\n•]|\s-\s")
_OPENING = "\"'*_<[\u201c\u201d\u201e\u00ab\u2039\u2018"
_CLOSING = "\"'*_>]\u201c\u201d\u00bb\u203a\u2019"

# Words after these are a title, however plain: "a film called her".
_NAMING = re.compile(
    r"\b(?:movies?|films?|shows?|series|books?|novels?|songs?|albums?|games?|places?|restaurants?|one|something)\s+"
    r"(?:is\s+|was\s+|that'?s\s+|it'?s\s+)?(?:called|titled|entitled|named)\s+$",
    re.IGNORECASE,
)
# Words after these, at the end, are a title unless they are the plainest ones: "have you seen signs?"
_SEEING = re.compile(
    r"\b(?:seen|watched|rewatched|called|titled|entitled|(?:movies?|films?|shows?|books?)\s+like)\s+$",
    re.IGNORECASE,
)
# A word that opens a sentence is a title before these: "Wonder is also a good one".
_SAID_OF = re.compile(
    r"\s{1,9}(?:is|was|isn'?t|wasn'?t)\s{1,9}(?:also\b|another\b|one\s{1,9}of\b|a\s{1,9}(?:[a-z]{1,30}\s{1,9})?(?:one|movie|film|show|book|song|classic)\b)"
)
_BREAK_AFTER = re.compile(
    r"\s{0,9}(?:$|[.,!?;:)\n]|(?:and|or|but|yet|before|with|already|lately|recently)\b)", re.IGNORECASE
)


_CONNECTORS = frozenset("a an and as at by for from in is of on or the to vs with".split())  # noqa: SIM905
# A plain word that a sentence goes on from is that word, though it be capitalised: "and It was late".
_GOES_ON = re.compile(
    r"\s{1,9}(?:is|was|has|had|will|would|can|could|did|does|are|were|seems?|looks?|sounds?|of|to|that|with)\b"
)
_DETERMINERS = frozenset("a an my your his her our their this that these those some any every no".split())  # noqa: SIM905
_SUFFIXES = frozenset({"like", "esque", "ish", "style", "type", "inspired"})
_SELF = frozenset({"i", "im", "id", "ill", "ive", "a", "an", "the"})


class Context:
    """A text's capitals, quotation marks and phrases, read when a title needs them."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._text = tokens.text

    def supports(self, weight: Weight, first: int, last: int, start: int, *, shouted: bool = False) -> bool:
        """Return whether the words from `first` to before `last` are marked as much as they must be;
        `start` is where the title begins in the text, its article included; `shouted`: the title itself is
        all capitals."""
        end = self._tokens.ends[last - 1]
        if last - first == 1 and self._in_compound(first):
            return False
        if weight is Weight.DISTINCT and not self._doubtful(first, last, start):
            return True
        return (
            self._quoted(start, end)
            or self._capital(weight, first, last, start, shouted=shouted)
            or self._phrase(weight, first, last, start, end)
        )

    def _quoted(self, start: int, end: int) -> bool:
        before, after = self._text[max(0, start - 1) : start], self._text[end : end + 2]
        if not before or before not in _OPENING or not after:
            return False
        return after[0] in _CLOSING or (after[0] in ",.!?" and after[1:] in _CLOSING)

    def _capital(self, weight: Weight, first: int, last: int, start: int, *, shouted: bool) -> bool:
        """Capitals that neither the start of a sentence nor the writer's habit explains."""
        tokens, alone = self._tokens, last - first == 1
        spelt = [i for i in range(first, last) if tokens.words[i][0].isalpha()]
        weighty = [i for i in spelt if everydayness(tokens.words[i]) > 1]
        weighty = weighty or [i for i in spelt if tokens.words[i] not in _CONNECTORS] or spelt
        if not weighty or not all(self._is_capital(i) for i in weighty):
            return False
        if (
            alone
            and weight is Weight.FUNCTION
            and (len(tokens.words[first]) == 1 or _GOES_ON.match(self._text, tokens.ends[first]))
        ):
            return False
        surface = self._text[tokens.starts[first] : tokens.ends[last - 1]]
        if len(surface) > 1 and surface.isupper() and not shouted:
            return False
        if alone and (self._part_of_name(first, last) or self._one_of_many(first, start)):
            return False
        if self._said_of(first, last):
            return True
        article = [first - 1] if start < tokens.starts[first] else []
        telling = (i for i in spelt if not is_proper(tokens.words[i]))
        return any(self._is_capital(i) and not self._opens_sentence(i) for i in (*article, *telling)) and (
            not self._habit(first, last)
        )

    def _said_of(self, first: int, last: int) -> bool:
        """Return whether the rest of the sentence that the words open speaks of a title."""
        words = self._tokens.words[first:last]
        if not self._opens_sentence(first) or is_proper(words[-1]) or max(map(everydayness, words)) < 3:
            return False
        numbered = len(words) > 1 and any(word.isdigit() for word in words)
        return numbered or bool(_SAID_OF.match(self._text, self._tokens.ends[last - 1]))

    def _is_capital(self, index: int) -> bool:
        return self._text[self._tokens.starts[index]].isupper()

    def _one_of_many(self, first: int, start: int) -> bool:
        """Return whether an indefinite article that is not the title's own stands before: "an alien"."""
        return (
            first > 0 and start == self._tokens.starts[first] and self._tokens.words[first - 1] in {"a", "an"}
        )

    def _doubtful(self, first: int, last: int, start: int) -> bool:
        """Return whether even seldom used words may name no title: a part of a person's name, or words in
        small letters behind an article or the like ("the manhunt", "your garden lantern")."""
        tokens, alone = self._tokens, last - first == 1
        if alone and self._part_of_name(first, last):
            return True
        if not first or any(self._is_capital(i) for i in range(first, last)):
            return False
        before = tokens.words[first - 1]
        if alone and start == tokens.starts[first]:
            return before in {"a", "an", "the"}
        return before in _DETERMINERS and all(everydayness(word) <= 3 for word in tokens.words[first:last])

    def _phrase(self, weight: Weight, first: int, last: int, start: int, end: int) -> bool:
        before = self._text[max(0, start - 40) : start]
        if not _BREAK_AFTER.match(self._text, end):
            return False
        if _NAMING.search(before):
            return True
        word = self._tokens.words[first]
        number = word.isdigit() and len(word) > 1
        plain = weight is Weight.FUNCTION and last - first == 1 and not number
        return not plain and bool(_SEEING.search(before))

    def _in_compound(self, index: int) -> bool:
        """Return whether hyphens make one word of this and its neighbour: "kid-friendly", but
        "Zodiac-like"."""
        tokens = self._tokens
        joined = bool(index) and tokens.gap(index) == "-"
        joins = index + 1 < len(tokens) and tokens.gap(index + 1) == "-"
        return joined or (joins and tokens.words[index + 1] not in _SUFFIXES)

    def _opens_sentence(self, index: int) -> bool:
        return index == 0 or bool(_SENTENCE_END.search(self._tokens.gap(index)))

    def _part_of_name(self, first: int, last: int) -> bool:
        """Return whether a single capitalised word stands beside another, as in a person's name."""
        tokens = self._tokens
        if not self._is_capital(first):
            return False
        if is_given_name(tokens.words[first]) and self._unheard_follows(last):
            return True
        if last < len(tokens) and not tokens.gap(last).strip(" ") and self._name_like(last, 2):
            return True
        before = first - 1
        if not first or tokens.gap(first).strip(" ") or tokens.possessive(before):
            return False
        if self._opens_sentence(before) and is_given_name(tokens.words[before]):
            return self._is_capital(before)
        return self._name_like(before, 3 if self._opens_sentence(before) else 2)

    def _unheard_follows(self, index: int) -> bool:
        """Return whether a seldom used word follows, as a surname does in "Jim kerrigan"."""
        if index == len(self._tokens) or self._tokens.gap(index).strip(" "):
            return False
        return everydayness(self._tokens.words[index]) > 3

    def _name_like(self, index: int, above: int) -> bool:
        word = self._tokens.words[index]
        return self._is_capital(index) and (everydayness(word) > above or is_proper(word))

    def _habit(self, first: int, last: int) -> bool:
        """Return whether the writer capitalises plain words as well, so that capitals say nothing."""
        capital, small = (
            len(places) - bisect_left(places, last) + bisect_left(places, first)
            for places in (self._plain[True], self._plain[False])
        )
        return capital > max(1, small)

    @cached_property
    def _plain(self) -> Mapping[bool, Sequence[int]]:
        """The plain words inside sentences, by whether they are capitalised."""
        words = self._tokens.words
        plain: dict[bool, list[int]] = {True: [], False: []}
        for i in range(1, len(words)):
            if (
                everydayness(words[i]) < 3
                and words[i].isalpha()
                and words[i] not in _SELF
                and not self._opens_sentence(i)
            ):
                plain[self._is_capital(i)].append(i)
        return plain
