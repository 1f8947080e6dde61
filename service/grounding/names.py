"""Names of items, looked for in texts by their words, all at once."""

from collections.abc import Iterable, Sequence

from ..text.words import split_year, tokenise

MOST_WORDS = 12
"""Words by which a name is known; of longer ones these are the first."""


def name_of(called: str) -> str:
    """A title without its year, or an id, in folded words; empty where it has none."""
    return " ".join(tokenise(split_year(called)[0]).words[:MOST_WORDS])


class Names:
    """Names as `name_of` writes them. Linear in a text's length, however many there are."""

    def __init__(self, names: Iterable[str]) -> None:
        self._paths: dict[str, bool] = {}
        for name in filter(None, names):
            words = name.split(" ")
            for length in range(1, len(words)):
                self._paths.setdefault(" ".join(words[:length]), False)
            self._paths[name] = True

    def among(self, text: str) -> frozenset[str]:
        """The names that stand in a text, whole words each."""
        words = tokenise(text).words if self._paths else ()
        return frozenset(name for place in range(len(words)) for name in self._at(words, place))

    def _at(self, words: Sequence[str], place: int) -> Iterable[str]:
        path = ""
        for word in words[place : place + MOST_WORDS]:
            path = f"{path} {word}" if path else word
            if path not in self._paths:
                return
            if self._paths[path]:
                yield path
