"""Patterns and word lists as data: a TOML file stands beside the modules that use it."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from typing import Any

from ahocorasick_rs import AhoCorasick, Implementation

#: Any letter, of whatever alphabet.
LETTER = r"[^\W\d_]"


def in_small_letters(text: str) -> str:
    """The text in small letters, each where it stood: of all letters this one alone becomes two when small."""
    return text.replace("\u0130", "i").lower()


class Finder:
    """Alternatives that ignore case; of two that match at one place the earlier counts. Small letters are
    looked for in small letters, which takes less time than ignoring case: so matches tell where
    something stands, and not how it is written there."""

    def __init__(self, *alternatives: str) -> None:
        self.pattern = "|".join(f"(?:{alternative})" for alternative in alternatives)
        self.alternatives = alternatives
        self._minds_case = "(?-i:" in self.pattern

    def search(self, text: str) -> re.Match[str] | None:
        """The first match."""
        return self._compiled(text).search(self._read(text))

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """All matches, none overlapping another."""
        return self._compiled(text).finditer(self._read(text))

    def sub(self, instead: str, text: str) -> str:
        """The text with `instead` for all matches, the rest as it is written."""
        pieces, reached = [], 0
        for match in self.finditer(text):
            pieces += [text[reached : match.start()], instead]
            reached = match.end()
        return "".join([*pieces, text[reached:]])

    def _read(self, text: str) -> str:
        return text if self._minds_case else in_small_letters(text)

    def _compiled(self, text: str) -> re.Pattern[str]:
        return self._plain if text.isascii() else self._any

    @cached_property
    def _written(self) -> str:
        return self.pattern if self._minds_case else _small(self.pattern)

    @cached_property
    def _flags(self) -> int:
        return re.MULTILINE | (re.IGNORECASE if self._minds_case else 0)

    @cached_property
    def _any(self) -> re.Pattern[str]:
        return re.compile(self._written, self._flags)

    @cached_property
    def _plain(self) -> re.Pattern[str]:
        """For texts that are all ASCII, in which letters are distinguished from other signs in less time."""
        return re.compile(self._written.replace(LETTER, "[a-zA-Z]"), self._flags | re.ASCII)


def _small(pattern: str) -> str:
    """The pattern with its letters small, classes such as `\\W` and the names of groups left alone."""
    return re.sub(r"(\\.|\(\?P[<=]\w+)|([^\W\d_])", lambda found: found[1] or found[2].lower(), pattern)


class Lexicon:
    """Patterns and words of `<name>.toml` beside the modules of `package`, read and compiled at first use."""

    def __init__(self, package: str, name: str) -> None:
        self.package = package
        self.name = name
        self._finders: dict[tuple[str, ...], Finder] = {}
        self._word_lists: dict[tuple[str, ...], frozenset[str]] = {}

    @cached_property
    def tables(self) -> Mapping[str, Any]:
        """The tables of the file."""
        return tomllib.loads((files(self.package) / f"{self.name}.toml").read_text(encoding="utf-8"))

    def finder(self, *path: str) -> Finder:
        """Return the alternatives listed at a path as one pattern that ignores case. `{name}` in an alternative is replaced by
        the entry of that name, or one of its list, in the file's table `parts`. Entries may name later ones; `(?-i:...)` minds
        case."""
        if path not in self._finders:
            alternatives = list(self._at(path))
            for part, listed in self.tables.get("parts", {}).items():
                whole = f"(?:{listed if isinstance(listed, str) else '|'.join(listed)})"
                alternatives = [one.replace("{" + part + "}", whole) for one in alternatives]
            self._finders[path] = Finder(*alternatives)
        return self._finders[path]

    def words(self, *path: str) -> frozenset[str]:
        """Return the words listed at a path, in one string or in several."""
        if path not in self._word_lists:
            found = self._at(path)
            self._word_lists[path] = frozenset((found if isinstance(found, str) else " ".join(found)).split())
        return self._word_lists[path]

    def _at(self, path: Sequence[str]) -> Any:
        found: Any = self.tables
        for key in path:
            found = found[key]
        return found


class Stems:
    """Beginnings of words, and signs, of which a text in small letters may hold one."""

    def __init__(self, *stems: str) -> None:
        found = sorted({stem.strip() if stem[0] == " " else stem for stem in stems})
        #: By the place of each whether it may stand within a word.
        self._anywhere = tuple(not stem[:1].isalnum() for stem in found)
        self._find = AhoCorasick(
            found, implementation=Implementation.ContiguousNFA, store_patterns=False
        ).find_matches_as_indexes

    def in_any(self, small: str) -> bool:
        """Return whether a text in small letters holds one."""
        try:
            places = self._find(small, True)
        except UnicodeEncodeError:  # half of a sign that takes two, of which none is looked for
            places = self._find(small.encode("utf-8", "replace").decode(), True)
        for found, start, _ in places:
            before = small[start - 1] if start else " "
            if self._anywhere[found] or not (before.isalnum() or before == "_"):
                return True
        return False
