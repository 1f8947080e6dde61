"""What a factor needs beside the messages: recommended and wanted items, preferences, feelings, the
scores of single abilities."""

from collections.abc import Callable, Container, Iterator, Sequence
from functools import partial
from typing import TypeVar

from ...catalogue.titles import parse_title
from ...domain.conversation import Item
from ...domain.rubric import Factor, Need
from ...domain.verdict import Scored, Verdict
from ...prompts import one_line
from ...text.normalise import tokenise
from ..inquiry import Case, ListSource
from .log_text import indented

T = TypeVar("T")

MOST_ITEMS = 100
LONGEST_DESCRIPTION = 300
DESCRIBED = frozenset({"groundness", "diversity", "novelty", "effectiveness"})
"""Factors whose prompts say what is known of the items."""

FROM_TEXT = (
    "The log records no list of recommended items. Take the items that the recommender recommends in its "
    "messages as the list."
)


def reads_text(case: Case) -> bool:
    """Whether recommended items are taken from the messages instead of the recorded lists."""
    by_choice = case.list_source is ListSource.TEXT
    return by_choice or (case.list_source is ListSource.AUTO and not case.log.has_lists)


def render_material(case: Case, factors: Sequence[Factor], verdicts: Sequence[Verdict]) -> str:
    """What these factors need and the case has, empty where the messages are all."""
    needs = {need for factor in factors for need in (*factor.needs, *factor.uses)}
    describe = any(factor.slug in DESCRIBED for factor in factors)
    parts = [
        *(_recommended(case, describe) if Need.RECOMMENDATIONS in needs else ()),
        *(_wanted(case, describe) if Need.GROUND_TRUTH in needs else ()),
        *(_preferences(case) if Need.PREFERENCES in needs else ()),
        *(_thoughts(case) if Need.THOUGHTS in needs else ()),
        *(_scores(verdicts, factors) if Need.VERDICTS in needs else ()),
    ]
    if any(factor.slug in DESCRIBED and Need.RECOMMENDATIONS not in factor.needs for factor in factors):
        # What the text says of a title is held against what is known of it, in a list or not.
        parts += _mentioned(case, parts)
    return "\n".join(["<material>", *parts, "</material>"]) if parts else ""


def _recommended(case: Case, describe: bool) -> Iterator[str]:
    if reads_text(case):
        yield FROM_TEXT
        yield from _mentioned(case) if describe else ()
        return
    yield "Recommended items, in the order in which they were shown:"
    yield from listed(case, case.log.session_list(case.list_cutoff), partial(_line, case, describe))


def _wanted(case: Case, describe: bool) -> Iterator[str]:
    if case.log.ground_truth:
        yield "Items that the user really wanted, unknown to the recommender:"
        yield from cut(case.log.ground_truth, partial(_line, case, describe))
        if not reads_text(case) and (shown := case.log.session_list(case.list_cutoff)):
            yield hits(case, shown)
    else:
        yield "What the user really wanted is not known: judge by the preferences that the user expressed."


def _preferences(case: Case) -> Iterator[str]:
    if case.log.user is not None and case.log.user.preferences:
        yield f"The user's general preferences: {indented(case.log.user.preferences)}"


def _thoughts(case: Case) -> Iterator[str]:
    yield "What the user felt at each message, noted for itself:"
    for index, message in enumerate(case.log.messages):
        if message.thoughts:
            yield f"[{index}] {indented(message.thoughts)}"


def _scores(verdicts: Sequence[Verdict], factors: Sequence[Factor]) -> Iterator[str]:
    own = {factor.slug for factor in factors}
    yield "Scores of single abilities:"
    for verdict in verdicts:
        if isinstance(verdict, Scored) and verdict.factor not in own:
            yield f"- {verdict.factor}: {verdict.score:g}. {indented(verdict.rationale)}"


def _mentioned(case: Case, told: Container[str] = ()) -> Iterator[str]:
    """Return what is known of the items that replies name, without the lines that were told before."""
    if case.catalogue is None:
        return
    replies = [case.log.messages[index].content for index in case.log.replies]
    items = {mention.item.title: mention.item for text in replies for mention in case.catalogue.find(text)}
    if lines := [line for item in items.values() if (line := _described(item)) not in told]:
        yield "What is known of items that the recommender names:"
        yield from cut(lines, str)


def listed(case: Case, references: Sequence[str], line: Callable[[str], str]) -> Iterator[str]:
    """The items of the session list, `line` by line: the first `MOST_ITEMS`, and of the others those that the user wanted
    or a reply names, each with its number. No verdict may turn on an item that was left out."""
    yield from cut(references, line)
    others = range(MOST_ITEMS, len(references))
    if not others:
        return
    wanted = [at for at in others if case.wanted(references[at]) is not None]
    named = _named(case)
    told = sorted({*wanted[:MOST_ITEMS], *[at for at in others if named(references[at])][:MOST_ITEMS]})
    if told:
        yield "Of these more items, those that were wanted or are named in a reply:"
        yield from (f"- number {at + 1}: {line(references[at]).removeprefix('- ')}" for at in told)


def hits(case: Case, references: Sequence[str]) -> str:
    """Which wanted items stand in the session list, and where, decided by title and id."""
    found = [at for at, reference in enumerate(references) if case.wanted(reference) is not None]
    if not found:
        return "None of them is in the list of recommended items: titles and ids were compared."
    told = [
        f"{titled(case, references[at]).removeprefix('- ')} (number {at + 1})" for at in found[:MOST_ITEMS]
    ]
    more = f"; and {len(found) - len(told)} more" if len(found) > len(told) else ""
    return f"Of them, these are in the list of recommended items, by title or id: {'; '.join(told)}{more}."


def cut(entries: Sequence[T], line: Callable[[T], str]) -> Iterator[str]:
    """The first `MOST_ITEMS` entries, `line` by line, and how many more there are."""
    yield from map(line, entries[:MOST_ITEMS])
    if len(entries) > MOST_ITEMS:
        yield f"- and {len(entries) - MOST_ITEMS} more"


def _named(case: Case) -> Callable[[str], bool]:
    """Return whether a reply holds the words of an item's title."""
    replies = (case.log.messages[index].content for index in case.log.replies)
    said = " \n ".join(f" {' '.join(tokenise(reply).words)} " for reply in replies)

    def named(reference: str) -> bool:
        item = case.catalogue.match(reference) if case.catalogue else None
        words = parse_title(item.title if item else reference).words
        return bool(words) and f" {' '.join(words)} " in said

    return named


def titled(case: Case, reference: str) -> str:
    """An item by its title, where the catalogue knows it, on a line."""
    item = case.catalogue.match(reference) if case.catalogue else None
    return f"- {one_line(item.title if item else reference)}"


def _line(case: Case, describe: bool, reference: str) -> str:
    item = case.catalogue.match(reference) if describe and case.catalogue else None
    return titled(case, reference) if item is None else _described(item)


def _described(item: Item) -> str:
    facts = [f"{one_line(name)}: {one_line(', '.join(values))}" for name, values in item.attributes.items()]
    if item.popularity is not None:
        facts.append(f"better known than {item.popularity:.0%} of the catalogue")
    if item.description:
        cut = item.description[:LONGEST_DESCRIPTION]
        facts.append(one_line(cut if cut == item.description else f"{cut}…"))
    return f"- {one_line(item.title)}" + (f" ({'; '.join(facts)})" if facts else "")
