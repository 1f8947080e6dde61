"""Measures how well titles are found in texts, and writes docs/title-matching.md.

    python -m research.measure_titles [--data FOLDER] [--unread N]

FOLDER holds ReDial's dialogues in the project's log format and two catalogues. `--unread` prints
mentions that nobody has judged yet, with the keys for research/title_readings.txt, and writes nothing."""

import argparse
import math
import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from sklearn.metrics import cohen_kappa_score

from research.title_marks import Counts, Measured, measure, read_logs, without_shared
from service.catalogue.catalogue import Catalogue
from service.catalogue.file import read_items
from service.catalogue.titles import same_title
from service.text.words import split_year

_ROOT = Path(__file__).resolve().parent.parent
READINGS = _ROOT / "research" / "title_readings.txt"
_PAGE = _ROOT / "docs" / "title-matching.md"
_NEEDED = ("iard.jsonl", "uss_redial.dev.jsonl", "catalog.redial.jsonl", "catalog.opendialkg.jsonl")
_DRAWS = 500


def _small(text: str) -> str:
    return "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text)


def _swap(name: str) -> str:
    return name.replace(" & ", " and ") if " & " in name else name.replace(" and ", " & ")


def _stutter(name: str) -> str:
    """The longest word's fourth letter twice: a slip of the pen."""
    word = max(name.split(), key=len)
    return name if len(word) < 6 else name.replace(word, word[:4] + word[3:], 1)


# Sentences of our own for titles of any domain; {} is the title as the catalogue writes it.
_CARRIERS = (
    ("inside a sentence", "I think {} would suit you.", str),
    ("opening a sentence", "{} is another one that I enjoyed.", str),
    ("after a phrase, in small letters", "have you seen {}?", str.lower),
    ("plainly, in small letters", "well i liked {} more than i expected", str.lower),
    ("in quotation marks, in small letters", 'it is the one called "{}", no?', str.lower),
    ("with an ampersand or without", "I think {} would suit you.", _swap),
    ("with a letter doubled", "I think {} would suit you.", _stutter),
)
_SMALL_TALK = (
    "Hi there! How are you today?", "I am fine, thanks. It has been a long day at work.",
    "Do you want to come over and play a game tonight?", "She told her sister that they saw him on Friday.",
    "The weather was awful, so we stayed home.", "Let us know when you get up tomorrow.",
    "I need something for the whole family, nothing too long.", "Yes, that one was good! Anything else?",
    "My friend is getting married next year and I have nothing to wear.", "What do you do for a living?",
    "I'd rather take the train than drive there.", "Sorry, I have to go now. Talk to you later!",
    "We went out for pizza and then to the park.", "It was about time they fixed the road.",
    "He said he would wait outside.", "Are you up for a walk by the river?", "no signs of rain so far",
    "I can't remember who gave us this gift.", "The kids are at school until three.", "That sounds like fun.",
    "how about lunch on monday", "i saw her at the shop and she looked happy", "Awesome, thank you so much!",
    "Could you turn the light off before you leave?", "My brother lost his keys again.",
    "They are moving to the city in spring.", "It is what it is.", "Life is short, have some cake.",
    "I have never been this tired in my life", "once upon a time we all had time",
    "the best part of the trip was the beach", "You should call your mother.",
)  # fmt: skip


def carried(catalogue: Catalogue, pattern: str, spell: Callable[[str], str]) -> tuple[int, int]:
    """Of a catalogue's titles, how many are found in a sentence of our own, and how many there are."""
    found = 0
    for item in catalogue.items:
        name = spell(split_year(item.title)[0])
        mentions = catalogue.find(pattern.format(name))
        found += any(
            same_title(m.item.title, split_year(item.title)[0], year_optional=True) for m in mentions
        )
    return found, len(catalogue.items)


def bootstrap(dialogues: Sequence[Counts], value: Callable[[Counts], float]) -> tuple[float, float]:
    """A 95 % interval over dialogues drawn with replacement, 500 draws, seeded."""
    chance = random.Random(20)
    draws = sorted(value(sum(chance.choices(dialogues, k=len(dialogues)), Counts())) for _ in range(_DRAWS))
    return draws[int(0.025 * _DRAWS)], draws[int(0.975 * _DRAWS) - 1]


def wilson(successes: float, trials: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    if not trials:
        return 0.0, 1.0
    z, share = 1.96, successes / trials
    middle = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials)) / (1 + z * z / trials)
    return middle - half, middle + half


Verdicts = Mapping[str, Sequence[bool]]
"""By mention: whether each reader took it for a title."""


def read_verdicts(path: Path) -> dict[str, tuple[bool, ...]]:
    """Return what readers said of mentions beside the marks: key, then `title` or `other`, by one or two."""
    lines = (
        line.split() for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")
    )
    return {key: tuple(one == "title" for one in said) for key, *said in lines}


def reading(measured: Measured, verdicts: Verdicts) -> tuple[int, int, float]:
    """Return how many mentions beside the marks were read, and how many of those name no title by any of their readers. The
    precision assumes that the others are as those."""
    read = [all(verdicts[mention.key]) for mention in measured.beside if mention.key in verdicts]
    wrong = read.count(False)
    total = measured.total
    share = wrong / len(read) if read else 1.0
    return len(read), wrong, 1 - share * total.beside / max(1, total.found)


def agreement(verdicts: Verdicts) -> tuple[int, int, float]:
    """Return how many mentions two people read, on how many they agree, and Cohen's kappa."""
    pairs = [said for said in verdicts.values() if len(said) > 1]
    same = sum(first == second for first, second in pairs)
    kappa = cohen_kappa_score([first for first, _ in pairs], [second for _, second in pairs])
    return len(pairs), same, float(kappa)


def _figures(measured: Measured, verdicts: Verdicts) -> list[tuple[str, str]]:
    total = measured.total
    recall, precision = (
        bootstrap(measured.dialogues, value) for value in (lambda c: c.recall, lambda c: c.precision)
    )
    read, wrong, corrected = reading(measured, verdicts)
    low, high = wilson(read - wrong, read)
    beside = total.beside / max(1, total.found)
    return [
        ("dialogues", f"{len(measured.dialogues):,}"),
        ("messages", f"{total.messages:,}"),
        ("titles marked", f"{total.marked:,}"),
        ("of them in the catalogue", f"{total.known:,}"),
        ("recovered", f"{total.recovered:,}"),
        ("**recall**", f"**{total.recall:.3f}** ({recall[0]:.3f}-{recall[1]:.3f})"),
        ("mentions found", f"{total.found:,}"),
        ("beside any mark", f"{total.beside:,}"),
        ("of them items without a year, which cannot be marked", f"{total.dateless:,}"),
        ("**precision, raw**", f"**{total.precision:.3f}** ({precision[0]:.3f}-{precision[1]:.3f})"),
        ("mentions beside marks that were read", f"{read:,}"),
        ("of them naming no title", f"{wrong:,}"),
        (
            "**precision, unmarked titles counted as such**",
            f"**{corrected:.3f}** ({1 - beside * (1 - low):.3f}-{1 - beside * (1 - high):.3f})",
        ),
    ]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _page(folder: Path, verdicts: Verdicts) -> str:
    catalogues = {
        name: Catalogue.of(read_items(folder / f"catalog.{stem}.jsonl"))
        for name, stem in (("ReDial", "redial"), ("OpenDialKG", "opendialkg"))
    }
    first, second, dropped = _both(folder, catalogues["ReDial"])
    columns = [_figures(measured, verdicts) for measured in (first, second)]
    marks = [(name, value, other) for (name, value), (_, other) in zip(*columns, strict=True)]
    carriers = [
        (what, *(f"{found / of:.3f}" for found, of in (carried(c, says, spell) for c in catalogues.values())))
        for what, says, spell in _CARRIERS
    ]
    alarms = [
        (name, f"{len(c.items):,}", str(sum(len(c.find(said)) for said in _SMALL_TALK)))
        for name, c in catalogues.items()
    ]
    small = measure(read_logs(folder / "iard.jsonl"), catalogues["ReDial"], _small).total
    twice, same, kappa = agreement(verdicts)
    return _TEXT.format(
        twice=twice,
        same=same,
        kappa=f"{kappa:.2f}",
        small_recall=f"{small.recall:.3f}",
        small_precision=f"{small.precision:.3f}",
        dropped=dropped,
        marks=_table(("", "IARD (developed on)", "USS (confirmation)"), marks),
        carriers=_table(("the title stands", *catalogues), carriers),
        talk=len(_SMALL_TALK),
        alarms=_table(("catalogue", "items", "false alarms"), alarms),
    )


def _both(folder: Path, catalogue: Catalogue) -> tuple[Measured, Measured, int]:
    development = read_logs(folder / "iard.jsonl")
    everything = read_logs(folder / "uss_redial.dev.jsonl")
    others = without_shared(everything, development)
    return measure(development, catalogue), measure(others, catalogue), len(everything) - len(others)


def _speed(folder: Path) -> None:
    items = read_items(folder / "catalog.redial.jsonl")
    texts = [text for log in read_logs(folder / "iard.jsonl") for text in log.contents]
    started = time.perf_counter()
    catalogue = Catalogue.of(items)
    indexed = time.perf_counter()
    for text in texts:
        catalogue.find(text)
    took = time.perf_counter() - indexed
    print(
        f"{len(items):,} items indexed in {indexed - started:.2f} s; {len(texts) / took:,.0f} messages a second"
    )


def _unread(folder: Path, verdicts: Verdicts, most: int) -> None:
    catalogue = Catalogue.of(read_items(folder / "catalog.redial.jsonl"))
    for measured in _both(folder, catalogue)[:2]:
        for mention in sorted(measured.beside, key=lambda mention: mention.key)[:most]:
            if mention.key not in verdicts:
                print(mention.key, mention.context)


def main() -> None:
    """Writes the page, or says plainly that there are no data to write it from."""
    parser = argparse.ArgumentParser(description="Measure how well titles are found in texts.")
    parser.add_argument("--data", type=Path, default=_ROOT.parent / "shared" / "data")
    parser.add_argument("--unread", type=int, metavar="N", help="print what is unread of the first N a set")
    arguments = parser.parse_args()
    missing = [name for name in _NEEDED if not (arguments.data / name).is_file()]
    if missing:
        print(f"Nothing measured, {_PAGE.name} left as it is: {arguments.data} has no {', '.join(missing)}.")
        return
    verdicts = read_verdicts(READINGS)
    if arguments.unread is not None:
        _unread(arguments.data, verdicts, arguments.unread)
        return
    _PAGE.write_text(_page(arguments.data, verdicts), encoding="utf-8")
    _speed(arguments.data)
    print(f"wrote {_PAGE.relative_to(_ROOT)}")


_TEXT = """\
<!-- Written by `python -m research.measure_titles`; do not edit. -->
# How well titles are found in texts

For researchers who ask how well titles are found in texts.

`Catalogue.find` looks for the items of a catalogue in a text. This page says how often it is right.

## Titles that annotators marked

In ReDial's dialogues the titles that people linked carry their year, as in "Name (1999)". The year, and
quotation marks around a marked title, are taken out. Then the titles are looked for again in the catalogue of ReDial. A title counts as recovered where a mention overlaps it and has the
same title. Without the year nobody can say which of several years was meant.

Rules and word lists were made on IARD (with the wording of chats from INSPIRED, CRSArena-Eval and CONCEPT). USS served to
confirm, without {dropped} of its dialogues that share sentences with IARD. USS was looked at more than
once, so its figures are near to a first sight, but not quite. General repairs followed the first run: possessives,
genre words, given names, an article that is not the title's. Intervals are 95 %: bootstrap over dialogues; Wilson for what was read.

{marks}

Raw precision is the share of the mentions that overlap a mark. People did not mark every title they
typed, and items without a year in the catalogue cannot be marked at all. So the mentions beside the
marks were read one by one. Do the words name a title, its series included, or something else? {twice} of
them were read a second time without sight of the first verdict. The two readings agree on {same} (Cohen's
kappa {kappa}), and where they differ the mention counts as wrong. The verdicts are kept under hashes in
`research/title_readings.txt`; `--unread` lists what has none.

With IARD all in small letters, recall is {small_recall} and raw precision {small_precision}: titles of plain
words are then left alone.

## Titles in sentences of our own

The share of all titles of a catalogue that are found. A title of plain words in small letters is
*meant* to be missed where nothing marks it.

{carriers}

## Small talk

{talk} messages of our own that name nothing.

{alarms}

## Where it goes wrong

Examples are made up.

- A title of plain words that opens a sentence: in "Harbour was good", the capital proves nothing.
- Titles in a row without a comma, "I like Harbour Lanterns Orchard": single names side by side look like
  one person's name.
- Everything in capitals, or every word capitalised: plain titles then need quotation marks or a year.
- The article decides between "Lantern" and "The Lantern" where a catalogue has both; people leave it out.
- A person, a character, a holiday or an event that is also a title: "I like Ada Marsh", where a
  documentary bears her name.
- A seldom used word in small letters that is a title and is meant as a word: "they keep a menagerie".
- Two slips in one title, or one in a short title, are not forgiven.
"""


if __name__ == "__main__":
    main()
