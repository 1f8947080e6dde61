"""Material that a factor needs beside the messages: recommended and wanted items, preferences, feelings,
the scores of single abilities."""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeVar

from ...catalogue.titles import parse_title
from ...domain.conversation import Item
from ...domain.rubric import Factor, Need, Scale
from ...domain.verdict import Flag, Scored, Verdict
from ...prompts import one_line
from ...text.normalise import tokenise
from ..inquiry import Case, ListSource
from .cards import data_facts, description
from .cuts import spread
from .log_text import SEES_TOOLS, indented
from .sources import source_lines

T = TypeVar("T")

MOST_ITEMS = 100
DESCRIBED = frozenset({"groundness", "diversity", "novelty", "effectiveness"})
"""Factors whose prompts say what is known of the items."""

IN_LISTS = "semantic-relevance"
"""The factor that asks whether the items of the text are in the lists."""

FROM_TEXT = (
    "The log records no list of recommended items. Take the items that the recommender recommends in its "
    "messages as the list."
)


def reads_text(case: Case) -> bool:
    """Return whether recommended items are taken from the messages instead of the recorded lists."""
    by_choice = case.list_source is ListSource.TEXT
    return by_choice or (case.list_source is ListSource.AUTO and not case.log.has_lists)


def confided(case: Case, factor: Factor) -> frozenset[Need]:
    """Return what the log holds that this factor's judge may see, and the judges of other factors may not."""
    known = {
        Need.GROUND_TRUTH: bool(case.log.ground_truth),
        Need.PREFERENCES: bool(case.log.user and case.log.user.preferences),
        Need.THOUGHTS: True,
        Need.VERDICTS: True,
    }
    return frozenset(need for need in (*factor.needs, *factor.uses) if known.get(need))


def render_material(
    case: Case, factors: Sequence[Factor], verdicts: Sequence[Verdict], scales: Mapping[str, Scale]
) -> str:
    """Return what these factors need and the case has, empty where the messages are all."""
    needs = {need for factor in factors for need in (*factor.needs, *factor.uses)}
    describe = any(factor.slug in DESCRIBED for factor in factors)
    parts = [
        *(
            _recommended(case, describe, wanted=Need.GROUND_TRUTH in needs)
            if Need.RECOMMENDATIONS in needs
            else ()
        ),
        *(_wanted(case, describe) if Need.GROUND_TRUTH in needs else ()),
        *(_preferences(case) if Need.PREFERENCES in needs else ()),
        *(_thoughts(case) if Need.THOUGHTS in needs else ()),
        *(_scores(verdicts, factors, scales) if Need.VERDICTS in needs else ()),
    ]
    if any(factor.slug in DESCRIBED and Need.RECOMMENDATIONS not in factor.needs for factor in factors):
        # What the text says of a title is held against what is known of it, in a list or not.
        parts += _mentioned(case, parts)
    if any(factor.slug in SEES_TOOLS for factor in factors):
        parts += source_lines(case)
    if any(factor.slug == IN_LISTS for factor in factors) and not reads_text(case):
        parts += _membership(case)
    return "\n".join(["<material>", *parts, "</material>"]) if parts else ""


def _recommended(case: Case, describe: bool, *, wanted: bool) -> Iterator[str]:
    if reads_text(case):
        yield FROM_TEXT
        yield from _mentioned(case) if describe else ()
        return
    yield "Recommended items, in the order in which they were shown:"
    shown = case.log.session_list(case.list_cutoff)
    yield from listed(case, shown, partial(_line, case, describe), wanted=wanted)


def _wanted(case: Case, describe: bool) -> Iterator[str]:
    if case.log.ground_truth:
        yield "Items that the user really wanted, unknown to the recommender:"
        yield from cut(case.log.ground_truth, partial(_line, case, describe))
        if not reads_text(case) and (shown := case.log.session_list(case.list_cutoff)):
            yield hits(case, shown)
    else:
        yield "It is not known what the user really wanted. Judge by the preferences that the user expressed."


def _preferences(case: Case) -> Iterator[str]:
    if case.log.user is not None and case.log.user.preferences:
        yield f"The user's general preferences: {indented(case.log.user.preferences)}"


def _thoughts(case: Case) -> Iterator[str]:
    yield "What the user felt at each message, as noted in private:"
    for index, message in enumerate(case.log.messages):
        if message.thoughts:
            yield f"[{index}] {indented(message.thoughts)}"


def _scores(
    verdicts: Sequence[Verdict], factors: Sequence[Factor], scales: Mapping[str, Scale]
) -> Iterator[str]:
    own = {factor.slug for factor in factors}
    yield "Scores of single abilities:"
    for verdict in verdicts:
        if isinstance(verdict, Scored) and verdict.factor not in own:
            scale = scales[verdict.factor]
            told = f"{verdict.score:g} on a scale from {scale.min} (worst) to {scale.max} (best)"
            yield f"- {verdict.factor}: {told}. {indented(verdict.rationale)}"


def _mentioned(case: Case, told: Container[str] = ()) -> Iterator[str]:
    """Return what is known of the items that replies name, without the lines that were told before."""
    if case.catalogue is None:
        return
    replies = [case.log.messages[index].content for index in case.log.replies]
    items = {mention.item.title: mention.item for text in replies for mention in case.catalogue.find(text)}
    if lines := [line for item in items.values() if (line := _described(item)) not in told]:
        yield "What is known of items that the recommender names:"
        yield from cut(lines, str)


def listed(
    case: Case, references: Sequence[str], line: Callable[[str], str], *, wanted: bool = True
) -> Iterator[str]:
    """The items of the session list, `line` by line. Of more than `MOST_ITEMS` so many from all over the session, and of the
    others those that a reply names and, where the reader may know what was `wanted`, those that the user wanted, each with its number. No verdict may turn on an item that was left out."""
    if len(references) <= MOST_ITEMS:
        yield from map(line, references)
        return
    spread_out = set(spread(len(references), MOST_ITEMS))
    others = [at for at in range(len(references)) if at not in spread_out]
    hit = [at for at in others if wanted and case.wanted(references[at]) is not None]
    named = _named(case)
    more = {*hit[:MOST_ITEMS], *[at for at in others if named(references[at])][:MOST_ITEMS]}
    told = sorted(spread_out | more)
    known = "was wanted or is named" if wanted else "is named"
    left = len(references) - len(told)
    yield f"({left} of {len(references)} are left out, evenly over the session; none of them {known} in a reply.)"
    yield from (f"- number {at + 1}: {line(references[at]).removeprefix('- ')}" for at in told)


def hits(case: Case, references: Sequence[str]) -> str:
    """Return which wanted items stand in the session list, and where, decided by title and id."""
    found = [at for at, reference in enumerate(references) if case.wanted(reference) is not None]
    if not found:
        return "None of them is in the list of recommended items: titles and ids were compared."
    told = [
        f"{titled(case, references[at]).removeprefix('- ')} (number {at + 1})" for at in found[:MOST_ITEMS]
    ]
    more = f"; and {len(found) - len(told)} more" if len(found) > len(told) else ""
    return f"Of them, these are in the list of recommended items, by title or id: {'; '.join(told)}{more}."


def cut(entries: Sequence[T], line: Callable[[T], str]) -> Iterator[str]:
    """The entries, `line` by line; where there are more than `MOST_ITEMS`, so many from all over them, and how many more."""
    yield from (line(entries[at]) for at in spread(len(entries), MOST_ITEMS))
    if len(entries) > MOST_ITEMS:
        yield f"- and {len(entries) - MOST_ITEMS} more, left out evenly over the session"


def _membership(case: Case) -> Iterator[str]:
    """Return which of the known items that replies name are in the session list, decided by title and id."""
    if case.catalogue is None:
        return
    texts = (case.log.messages[index].content for index in case.log.replies)
    named = {mention.item.title: mention.item for text in texts for mention in case.catalogue.find(text)}
    shown = case.log.session_list(case.list_cutoff)
    listed = {id(item) for item in map(case.catalogue.match, shown) if item is not None}
    for inside, lead in ((True, "are"), (False, "are not")):
        titles = [one_line(title) for title, item in named.items() if (id(item) in listed) is inside]
        if titles:
            yield f"Of the known items that replies name, these {lead} in the list of recommended items, by title or id:"
            yield from cut(titles, "- {}".format)


def list_cut(case: Case) -> Iterator[Flag]:
    """The flag for recommended items that a prompt's list leaves out."""
    listed = len(case.log.session_list(case.list_cutoff))
    if listed > MOST_ITEMS:
        detail = f"the prompt lists {MOST_ITEMS} of {listed} items from all over the session, and all that were wanted or named"
        yield Flag("material_cut", detail)


def wanted_cut(case: Case) -> Iterator[Flag]:
    """The flag for wanted items that a prompt leaves out."""
    wanted = len(case.log.ground_truth or ())
    if wanted > MOST_ITEMS:
        yield Flag(
            "material_cut", f"the prompt names {MOST_ITEMS} of {wanted} wanted items, from all over them"
        )


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
    facts = list(data_facts(item))
    if item.popularity is not None:
        facts.append(f"better known than {item.popularity:.0%} of the catalogue")
    facts += description(item)
    return f"- {one_line(item.title)}" + (f" ({'; '.join(facts)})" if facts else "")
