"""A checker of spelling and grammar that an operator can put beside the embedded judge: Harper, which comes with
`crs-eval[grammar]` and runs in the process.

Of what it reports only obvious errors count. Punctuation, capitals and style are no errors here. A word that no dictionary holds
is misspelt only where a near one is meant: chat is full of names in lower case."""

import asyncio
import re
import unicodedata
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module, metadata
from typing import Any

from rapidfuzz.distance import OSA

from ..errors import ConfigurationError
from ..text.language import FLAWS
from ..text.words import Span

_HARPER_PACKAGE = "harper-py"
#: Harper's rules that count, and the kind of error that each finds (`service.text.grammar.NAMES`).
_HARPER_RULES = {
    "SpellCheck": "spelling",
    "AnA": "article",
    "PronounVerbAgreement": "agreement",
    "PronounInflectionBe": "agreement",
    "IAmAgreement": "agreement",
    "ThereIsAgreement": "agreement",
    "DidPast": "verb",
    "DoubleModal": "verb",
    "InflectedVerbAfterTo": "verb",
    "ModalOf": "verb",
    "SimplePastToPastParticiple": "verb",
    "AdjectiveDoubleDegree": "comparison",
    "TheirToThere": "words",
    "ThereToTheir": "words",
    "ThenThan": "words",
}
_WORD = re.compile(r"[a-z]{5,}")
#: Laughter and drawn-out words: "hehe", "hmm", "sooo".
_SOUND = re.compile(r"\A[hae]+\Z|(.)\1\1")
#: Spellings that differ between kinds of English, each pair made one.
_DIALECTS = tuple(
    (re.compile(british), american)
    for british, american in (
        ("our", "or"),
        ("re(?=s?$)", "er"),
        ("ogue", "og"),
        ("([iy])s(?=[ei]|ation)", r"\1z"),
        ("ll", "l"),
        ("[ao]e", "e"),
    )
)
_JOINED = frozenset("&@#/._-")
"""Next to one of these stands no word of its own, but a piece of an address, a tag or an entity."""


@dataclass(frozen=True, slots=True)
class Proofread:
    """The findings of the checker: its name and version, and the errors of each text, in order; `kind` is a
    key of `service.text.grammar.NAMES`."""

    checker: str
    errors: tuple[tuple[Span, ...], ...]


class Proofreader:
    """Harper in one thread of its own: its linter takes some 150 MB and a second to make, and serves one call at a
    time. Other requests are served meanwhile. Raises ConfigurationError where it is not installed."""

    def __init__(self) -> None:
        try:
            self._checker = f"Harper (harper-py {metadata.version(_HARPER_PACKAGE)})"
        except metadata.PackageNotFoundError:
            raise ConfigurationError(
                "CRS_EVAL_GRAMMAR_CHECKER: Harper is not installed; run pip install 'crs-eval[grammar]'"
            ) from None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="harper")
        self._linter = self._thread.submit(_make_linter)

    async def read(self, texts: Sequence[str]) -> Proofread:
        """The errors of each text; one text at a time, so that long logs do not keep others waiting."""
        loop = asyncio.get_running_loop()
        errors = [await loop.run_in_executor(self._thread, self._errors, text) for text in texts]
        return Proofread(self._checker, tuple(errors))

    async def aclose(self) -> None:
        """Let go of the thread once its text is read."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _errors(self, text: str) -> tuple[Span, ...]:
        found = self._linter.result().organized_lints(text, language="plaintext")
        return tuple(
            sorted(
                Span(lint.span.start, lint.span.end, kind)
                for rule, kind in _HARPER_RULES.items()
                for lint in found.get(rule, ())
                if kind != "spelling"
                or is_misspelt(
                    text, lint.span.start, lint.span.end, [near.replacement_text for near in lint.suggestions]
                )
            )
        )


def _make_linter() -> Any:
    linter = import_module("harper").Linter()
    rules = linter.get_default_lint_config()
    linter.set_lint_config({rule: rule in _HARPER_RULES for rule in rules})
    return linter


def is_misspelt(text: str, start: int, end: int, suggestions: Sequence[str]) -> bool:
    """Return whether a word that a dictionary does not hold is an obvious slip. It has five letters or more, all lower case, and
    is no sound, no word of chat and no piece of an address. It is one letter away from a suggestion (or two letters are swapped).
    It differs from it not only by capitals, accents, apostrophes or the kind of English."""
    word = text[start:end]
    if not _WORD.fullmatch(word) or _SOUND.search(word) or word in FLAWS.words("spelling", "known"):
        return False
    if _JOINED & {*text[max(0, start - 1) : start], *_after(text, end)}:
        return False
    if any(_bare(near) == _bare(word) for near in suggestions):
        return False
    return any(_WORD.fullmatch(near) and OSA.distance(word, near) == 1 for near in suggestions)


def _after(text: str, end: int) -> str:
    """The sign after a word, where it joins it with what follows."""
    return text[end : end + 1] if text[end + 1 : end + 2].strip() else ""


def _bare(word: str) -> str:
    letters = unicodedata.normalize("NFKD", word.casefold())
    bare = "".join(letter for letter in letters if letter.isalpha())
    for british, american in _DIALECTS:
        bare = british.sub(american, bare)
    return bare
