"""Count the slips of language that the embedded judge's rules find, alone and with Harper beside them: part
of what `research/measure_builtin.py` writes.

No conversation carries labels of its errors, so that slips are planted, one in each, in fluent sentences in which
neither finds any; and messages of people, who make slips of their own, tell how often either speaks up."""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from research.rated_logs import HALVES, read_lines
from service.judges.embedded.observations.wording.language import find_errors
from service.judges.proofreading import HarperProofreader
from service.text.words import outside, sentences

SENTENCES = 300
"""At most so many sentences are used for each kind of slip."""

_PROSE = re.compile(r"[A-Z][A-Za-z ,;'\u2019!?.-]{30,200}")
_LETTERS = re.compile(r"(?<![A-Za-z'\u2019-])[a-z]{6,}(?![A-Za-z'\u2019-])")
_ARTICLE = re.compile(r"\b(an?)(?= [a-z])")
_PRONOUN = re.compile(
    r"\b(?:[Hh]e|[Ss]he|[Ii]t|[Tt]hey|[Yy]ou|[Ww]e|I) (am|is|are|was|were|has|have|does|do)\b(?!')"
)
_OTHER_FORM = {"am": "is", "is": "are", "are": "is", "was": "were", "were": "was", "has": "have", "have": "has", "does": "do", "do": "does"}  # fmt: skip
_VERBS = (
    (re.compile(r"\b(could|would|should|might|must) have\b"), r"\1 of"),
    (re.compile(r"\bhave seen\b"), "have saw"),
    (re.compile(r"\bto watch\b"), "to watched"),
    (re.compile(r"\bto see\b"), "to saw"),
    (re.compile(r"\bto find\b"), "to found"),
    (re.compile(r"\b(can|could|will|would) (?:be|have)\b"), r"\1 \1 be"),
    (re.compile(r"\b(was|were|is) (?:written|known)\b"), r"\1 wrote"),
)
_Slip = Callable[[str, random.Random], str | None]


def _swapped(sentence: str, chance: random.Random) -> str | None:
    """Two letters inside a word swapped."""
    places = [
        at
        for word in _LETTERS.finditer(sentence)
        for at in range(word.start() + 1, word.end() - 2)
        if sentence[at] != sentence[at + 1]
    ]
    if not places:
        return None
    at = chance.choice(places)
    return sentence[:at] + sentence[at + 1] + sentence[at] + sentence[at + 2 :]


def _short(sentence: str, chance: random.Random) -> str | None:
    """A letter inside a word left out."""
    places = [at for word in _LETTERS.finditer(sentence) for at in range(word.start() + 1, word.end() - 1)]
    if not places:
        return None
    at = chance.choice(places)
    return sentence[:at] + sentence[at + 1 :]


def _article(sentence: str, chance: random.Random) -> str | None:
    """The other indefinite article."""
    found = [*_ARTICLE.finditer(sentence)]
    if not found:
        return None
    one = chance.choice(found)
    return sentence[: one.start()] + ("a" if one[1] == "an" else "an") + sentence[one.end() :]


def _disagreeing(sentence: str, chance: random.Random) -> str | None:
    """A pronoun with the wrong form of its verb."""
    found = [*_PRONOUN.finditer(sentence)]
    if not found:
        return None
    one = chance.choice(found)
    return sentence[: one.start(1)] + _OTHER_FORM[one[1]] + sentence[one.end(1) :]


def _wrong_form(sentence: str, chance: random.Random) -> str | None:
    """A verb in the wrong form."""
    fit = [(pattern, wrong) for pattern, wrong in _VERBS if pattern.search(sentence)]
    if not fit:
        return None
    pattern, wrong = chance.choice(fit)
    return pattern.sub(wrong, sentence, count=1)


SLIPS: dict[str, _Slip] = {
    "two letters of a word swapped": _swapped,
    "a letter left out of a word": _short,
    "the wrong indefinite article": _article,
    "subject and verb do not agree": _disagreeing,
    "a wrong verb form": _wrong_form,
}


async def _alarms(texts: Sequence[str], harper: HarperProofreader) -> list[tuple[bool, bool]]:
    """For each text whether the rules find an error, and whether they or Harper do."""
    found = []
    for text, more in zip(texts, (await harper.read(texts)).errors, strict=True):
        own = bool(find_errors(text, ()))
        found.append((own, own or bool(outside(more, ()))))
    return found


def _fluent(data: Path) -> Iterator[str]:
    """Sentences of prose that a language model wrote: a recommender's and simulated users'."""
    spoken = [
        message["content"]
        for record in read_lines(data / "crsarena_eval.dev.jsonl")
        for message in record["messages"]
        if record["system"].startswith("chatgpt") and message["role"] == "assistant"
    ]
    spoken += [
        message["content"]
        for half in HALVES
        for record in read_lines(data / f"concept_{half}.sample.jsonl")
        for message in record["messages"]
        if message["role"] == "user"
    ]
    cut = (span.of(text).strip() for text in spoken for span in sentences(text))
    yield from dict.fromkeys(text for text in cut if _PROSE.fullmatch(text))


def _share(count: int, of: int) -> str:
    return f"{100 * count / of:.0f} %" if of else "-"


async def grammar_section(data: Path) -> list[str]:
    """The lines about slips of language."""
    harper = HarperProofreader()
    try:
        sound = [*_fluent(data)]
        written = len(sound)
        sound = [
            text for text, (_, any_) in zip(sound, await _alarms(sound, harper), strict=True) if not any_
        ]
        alarmed = written - len(sound)
        rows = []
        for name, slip in SLIPS.items():
            chance = random.Random(0)
            planted = [wrong for text in sound if (wrong := slip(text, chance)) is not None][:SENTENCES]
            found = await _alarms(planted, harper)
            rows.append(
                f"| {name} | {len(planted)} | {_share(sum(own for own, _ in found), len(found))} "
                f"| {_share(sum(both for _, both in found), len(found))} |"
            )
        spoken = [
            turn["content"]
            for record in read_lines(data / "inspired.jsonl")
            for turn in record["utterances"]
            if turn["role"] == "assistant"
        ]
        heard = await _alarms(spoken, harper)
    finally:
        await harper.aclose()
    return [
        "### Slips of language, with Harper and without",
        "",
        f"One slip was planted in each of {len(sound)} sentences by a language model, in which neither found an error before. {alarmed} in which one did were left out. The share that is found:",
        "",
        "| slip | sentences | rules alone | with Harper |",
        "| --- | --- | --- | --- |",
        *rows,
        "",
        f"People who recommend films to people make slips of their own, which nobody has labelled. Of {len(spoken)} such messages the rules find an error in "
        f"{_share(sum(own for own, _ in heard), len(heard))}, with Harper in {_share(sum(both for _, both in heard), len(heard))}.",
    ]
