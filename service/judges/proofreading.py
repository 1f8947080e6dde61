"""Checkers of spelling and grammar that an operator can put beside the embedded judge's rules: Harper, which comes
with `crs-eval[grammar]` and runs in the process, or a LanguageTool server.

Of what they report only obvious errors count. Punctuation, capitals and style are no errors here. A word that no dictionary holds
is misspelt only where a near one is meant: chat is full of names in lower case."""

import asyncio
import re
import unicodedata
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module, metadata
from typing import Any

import httpx2
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from rapidfuzz.distance import OSA

from ..errors import ConfigurationError
from ..settings import HARPER
from ..text.language import FLAWS
from ..text.words import Span
from .proofreader import Proofread, Proofreader, ProofreadingFailed

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
#: LanguageTool's categories that count, likewise.
_LANGUAGE_TOOL_CATEGORIES = {"TYPOS": "spelling", "GRAMMAR": "form", "CONFUSED_WORDS": "words"}
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

SECONDS = 10.0
"""Seconds that a LanguageTool server may take for one log."""


def proofreader(setting: str | None) -> Proofreader | None:
    """The checker that a setting names: `harper`, or the address of a LanguageTool server; None without one.
    Raises ConfigurationError where Harper is not installed."""
    if setting is None:
        return None
    return HarperProofreader() if setting == HARPER else LanguageToolProofreader(setting)


class HarperProofreader:
    """Harper in one thread of its own: its linter takes some 150 MB and a second to make, and serves one call at a
    time. Other requests are served meanwhile."""

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


class LanguageToolProofreader:
    """A LanguageTool server, asked over its HTTP API (`POST /v2/check`) once for each log."""

    def __init__(self, address: str) -> None:
        self._url = f"{address.rstrip('/')}/v2/check"
        self._client = httpx2.AsyncClient(timeout=SECONDS, follow_redirects=False)

    async def read(self, texts: Sequence[str]) -> Proofread:
        """The errors of each text. Raises ProofreadingFailed where the server does not answer in time, or answers
        with something else than matches."""
        whole = "\n\n".join(texts)
        try:
            async with asyncio.timeout(SECONDS):
                response = await self._client.post(self._url, data={"text": whole, "language": "en-US"})
        except (TimeoutError, httpx2.TimeoutException) as late:
            raise ProofreadingFailed("it did not answer in time") from late
        except httpx2.HTTPError as broken:
            raise ProofreadingFailed(f"it cannot be reached ({type(broken).__name__})") from broken
        if response.status_code != httpx2.codes.OK:
            raise ProofreadingFailed(f"it answered with status {response.status_code}")
        try:
            answer = _Checked.model_validate_json(response.content)
        except ValidationError as wrong:
            raise ProofreadingFailed("its answer cannot be read") from wrong
        return Proofread(answer.software.label, tuple(_share(_errors(whole, answer.matches), texts)))

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()


class _Part(BaseModel):
    """A part of LanguageTool's answer; what else it says is not needed."""

    model_config = ConfigDict(extra="ignore")


class _Software(_Part):
    name: str = Field(max_length=100)
    version: str = Field(max_length=100)

    @property
    def label(self) -> str:
        return f"{self.name} {self.version}"


class _Replacement(_Part):
    value: str


class _Category(_Part):
    id: str


class _Rule(_Part):
    category: _Category


class _Match(_Part):
    offset: int = Field(ge=0)
    length: int = Field(ge=1)
    replacements: list[_Replacement]
    rule: _Rule


class _Checked(_Part):
    software: _Software
    matches: list[_Match]


def _errors(whole: str, matches: Sequence[_Match]) -> Iterator[Span]:
    """The matches that count. LanguageTool counts in units of UTF-16."""
    units = whole.encode("utf-16-le")
    for match in matches:
        kind = _LANGUAGE_TOOL_CATEGORIES.get(match.rule.category.id)
        if kind is None:
            continue
        start, end = (
            len(units[: 2 * place].decode("utf-16-le", "ignore"))
            for place in (match.offset, match.offset + match.length)
        )
        near = [each.value for each in match.replacements]
        if kind != "spelling" or is_misspelt(whole, start, end, near):
            yield Span(start, end, kind)


def _share(errors: Iterator[Span], texts: Sequence[str]) -> Iterator[tuple[Span, ...]]:
    """The errors of all texts, joined by blank lines, separated again."""
    found = sorted(errors)
    begin = 0
    for text in texts:
        end = begin + len(text)
        yield tuple(
            Span(error.start - begin, error.end - begin, error.kind)
            for error in found
            if begin <= error.start and error.end <= end
        )
        begin = end + 2


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
