"""Items as a prompt shows them: the line of a card, the lists of recommended and wanted items, and what of them is left out; and look-ups by
code: each statement of a reply beside its source, items that no tool offered, errors of tools."""

from collections.abc import Callable, Container, Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import TypeVar

from ...catalogue.titles import parse_title
from ...domain.parts import Card, Item
from ...domain.verdict import Flag
from ...grounding.facts import Facts
from ...grounding.statements import Of, Statement
from ...prompts import one_line
from ...text.words import tokenise
from ..evaluation import JudgeInput, ListSource

LONGEST_DESCRIPTION = 300


def card_line(card: Card, judge_input: JudgeInput) -> str:
    """Return the title, and the card's other facts. A reference is shown by its title in the log or the catalogue."""
    known = judge_input.item(card.reference)
    if card.item is None:
        return one_line(known.title if known else card.reference)
    named = known.title if known and card.item.title == card.reference else card.item.title
    facts = [*data_facts(card.item), *description(card.item)]
    return one_line(named) + (f" ({'; '.join(facts)})" if facts else "")


def data_facts(item: Item) -> Iterator[str]:
    """Price, rating, stock and attributes, each as `name: value`."""
    if item.price is not None:
        yield f"price: {money(item.price, item.currency)}"
    if item.rating is not None:
        yield f"rating: {item.rating:g}"
    if item.stock is not None:
        yield f"stock: {item.stock}"
    for name, values in item.attributes.items():
        yield f"{one_line(name)}: {one_line(', '.join(values))}"


def description(item: Item) -> Iterator[str]:
    """The beginning of an item's description."""
    if item.description:
        cut = item.description[:LONGEST_DESCRIPTION]
        yield one_line(cut if cut == item.description else f"{cut}…")


def money(price: float, currency: str | None) -> str:
    """A price with its currency."""
    amount = f"{price:.0f}" if price == int(price) else f"{price:.2f}"
    return f"{amount} {one_line(currency)}" if currency else amount


T = TypeVar("T")

MOST_ITEMS = 100

FROM_TEXT = (
    "The log records no list of recommended items. Take the items that the recommender recommends in its "
    "messages as the list."
)


def reads_text(judge_input: JudgeInput) -> bool:
    """Return whether recommended items are taken from the messages instead of the recorded lists."""
    by_choice = judge_input.list_source is ListSource.TEXT
    return by_choice or (judge_input.list_source is ListSource.AUTO and not judge_input.log.has_lists)


def recommended_items(judge_input: JudgeInput, describe: bool, *, wanted: bool) -> Iterator[str]:
    """Yield the lines of the recommended items: the session list, or the hint to take them from the text."""
    if reads_text(judge_input):
        yield FROM_TEXT
        yield from mentioned_items(judge_input) if describe else ()
        return
    yield "Recommended items, in the order in which they were shown:"
    shown = judge_input.log.session_list(judge_input.list_cutoff)
    yield from listed(judge_input, shown, partial(_line, judge_input, describe), wanted=wanted)


def wanted_items(judge_input: JudgeInput, describe: bool) -> Iterator[str]:
    """Yield the lines of what the user wanted, and which of it was recommended."""
    if judge_input.log.ground_truth:
        yield "Items that the user really wanted, unknown to the recommender:"
        yield from cut(judge_input.log.ground_truth, partial(_line, judge_input, describe))
        if not reads_text(judge_input) and (shown := judge_input.log.session_list(judge_input.list_cutoff)):
            yield hits(judge_input, shown)
    else:
        yield "It is not known what the user really wanted. Judge by the preferences that the user expressed."


def mentioned_items(judge_input: JudgeInput, seen: Container[str] = ()) -> Iterator[str]:
    """Yield the known facts of items that replies name, without the lines `seen` before."""
    if lines := [line for item in _mentioned(judge_input).values() if (line := _described(item)) not in seen]:
        yield "What is known of items that the recommender names:"
        yield from cut(lines, str)


def _mentioned(judge_input: JudgeInput) -> dict[str, Item]:
    """The known items that replies name, by their titles."""
    if judge_input.catalogue is None:
        return {}
    texts = (judge_input.log.messages[index].content for index in judge_input.log.replies)
    return {one.item.title: one.item for text in texts for one in judge_input.catalogue.find(text)}


def listed(
    judge_input: JudgeInput, references: Sequence[str], line: Callable[[str], str], *, wanted: bool = True
) -> Iterator[str]:
    """Yield the session list through `line`. Over `MOST_ITEMS`, yield that many from all over the session,
    each with its number, plus those that a reply names. If the reader may know what was `wanted`, add wanted
    items. No verdict may depend on an item left out."""
    if len(references) <= MOST_ITEMS:
        yield from map(line, references)
        return
    spread_out = set(spread(len(references), MOST_ITEMS))
    others = [at for at in range(len(references)) if at not in spread_out]
    hit = [at for at in others if wanted and judge_input.wanted(references[at]) is not None]
    named = _named(judge_input)
    more = {*hit[:MOST_ITEMS], *[at for at in others if named(references[at])][:MOST_ITEMS]}
    shown = sorted(spread_out | more)
    known = "was wanted or is named" if wanted else "is named"
    left = len(references) - len(shown)
    yield f"({left} of {len(references)} are left out, evenly over the session; none of them {known} in a reply.)"
    yield from (f"- number {at + 1}: {line(references[at]).removeprefix('- ')}" for at in shown)


def hits(judge_input: JudgeInput, references: Sequence[str]) -> str:
    """Name the wanted items in the session list, and their places, decided by title and id."""
    found = [at for at, reference in enumerate(references) if judge_input.wanted(reference) is not None]
    if not found:
        return "None of them is in the list of recommended items: titles and ids were compared."
    lines = [
        f"{titled(judge_input, references[at]).removeprefix('- ')} (number {at + 1})"
        for at in found[:MOST_ITEMS]
    ]
    more = f"; and {len(found) - len(lines)} more" if len(found) > len(lines) else ""
    return f"Of them, these are in the list of recommended items, by title or id: {'; '.join(lines)}{more}."


def cut(entries: Sequence[T], line: Callable[[T], str]) -> Iterator[str]:
    """Yield the entries through `line`. Over `MOST_ITEMS`, yield that many from all over, and the number of
    others."""
    yield from (line(entries[at]) for at in spread(len(entries), MOST_ITEMS))
    if len(entries) > MOST_ITEMS:
        yield f"- and {len(entries) - MOST_ITEMS} more, left out evenly over the session"


def membership(judge_input: JudgeInput) -> Iterator[str]:
    """Return which of the known items that replies name are in the session list, decided by title and id."""
    named = _mentioned(judge_input)
    shown = judge_input.log.session_list(judge_input.list_cutoff) if named else ()
    listed = {id(item) for item in map(judge_input.item, shown) if item is not None}
    for inside, lead in ((True, "are"), (False, "are not")):
        titles = [one_line(title) for title, item in named.items() if (id(item) in listed) is inside]
        if titles:
            yield f"Of the known items that replies name, these {lead} in the list of recommended items, by title or id:"
            yield from cut(titles, "- {}".format)


def list_cut(judge_input: JudgeInput) -> Iterator[Flag]:
    """The flag for recommended items that a prompt's list leaves out."""
    listed = len(judge_input.log.session_list(judge_input.list_cutoff))
    if listed > MOST_ITEMS:
        detail = f"the prompt lists {MOST_ITEMS} of {listed} items from all over the session, and all that were wanted or named"
        yield Flag("material_cut", detail)


def wanted_cut(judge_input: JudgeInput) -> Iterator[Flag]:
    """The flag for wanted items that a prompt leaves out."""
    wanted = len(judge_input.log.ground_truth or ())
    if wanted > MOST_ITEMS:
        yield Flag(
            "material_cut", f"the prompt names {MOST_ITEMS} of {wanted} wanted items, from all over them"
        )


def _named(judge_input: JudgeInput) -> Callable[[str], bool]:
    """Return whether a reply holds the words of an item's title."""
    replies = (judge_input.log.messages[index].content for index in judge_input.log.replies)
    said = " \n ".join(f" {' '.join(tokenise(reply).words)} " for reply in replies)

    def named(reference: str) -> bool:
        item = judge_input.item(reference)
        words = parse_title(item.title if item else reference).words
        return bool(words) and f" {' '.join(words)} " in said

    return named


def titled(judge_input: JudgeInput, reference: str) -> str:
    """An item by its title, where the catalogue knows it, on a line."""
    item = judge_input.item(reference)
    return f"- {one_line(item.title if item else reference)}"


def _line(judge_input: JudgeInput, describe: bool, reference: str) -> str:
    item = judge_input.item(reference) if describe else None
    return titled(judge_input, reference) if item is None else _described(item)


def _described(item: Item) -> str:
    facts = list(data_facts(item))
    if item.popularity is not None:
        facts.append(f"better known than {item.popularity:.0%} of the catalogue")
    facts += description(item)
    return f"- {one_line(item.title)}" + (f" ({'; '.join(facts)})" if facts else "")


def spread(count: int, room: int) -> list[int]:
    """Return `room` of `count` places in order, evenly spread, including the first and the last; all if they
    fit."""
    if count <= room:
        return list(range(count))
    if room <= 1:
        return [0][:room]
    return [place * (count - 1) // (room - 1) for place in range(room)]


MOST_STATEMENTS = 100
"""Items of a reply whose statements a prompt shows with their sources, over the whole session; those that differ come first."""


def source_lines(judge_input: JudgeInput) -> Iterator[str]:
    """Lines for the material, none where nothing could be looked up."""
    if not judge_input.has_sources:
        return
    groups = _groups(judge_input)
    if groups:
        yield "Statements of the replies that code could look up, each beside its source:"
        kept = _kept(groups)
        if len(kept) < len(groups):
            yield f"({len(groups) - len(kept)} of {len(groups)} are left out, evenly over the session; all that differ are here.)"
        yield from (_source_line(groups[place]) for place in kept)
    unheld = [one for one in judge_input.grounding.shown if one.offered is False]
    for one in (unheld[at] for at in spread(len(unheld), MOST_STATEMENTS)):
        yield f"- [{one.message}] shows {one_line(judge_input.grounding.title(one))}, which no tool result before it holds."
    for result, reply, passed in judge_input.grounding.errors:
        if passed:
            tool = f" of {one_line(result.tool)}" if result.tool else ""
            yield f"- The call{tool} answered in {_place(result.message)} failed. Reply [{reply}] does not say that anything is missing."


def sources_cut(judge_input: JudgeInput) -> Iterator[Flag]:
    """The flag for statements that a prompt leaves out."""
    groups = _groups(judge_input) if judge_input.has_sources else []
    if len(groups) > len(kept := _kept(groups)):
        detail = f"the prompt shows the sources of {len(kept)} of {len(groups)} items that replies make statements about"
        yield Flag("material_cut", detail)


def _groups(judge_input: JudgeInput) -> list[list[Statement]]:
    """The statements of a reply about an item, in one place of it."""
    found = groupby(
        judge_input.grounding.statements, key=lambda one: (one.message, one.title, one.start is None)
    )
    return [list(group) for _, group in found]


def _kept(groups: list[list[Statement]]) -> list[int]:
    if len(groups) <= MOST_STATEMENTS:
        return list(range(len(groups)))
    wrong = [place for place, group in enumerate(groups) if not all(one.holds for one in group)]
    others = [place for place in range(len(groups)) if place not in set(wrong)]
    room = max(0, MOST_STATEMENTS - len(wrong))
    return sorted([*wrong, *(others[at] for at in spread(len(others), room))])


def _source_line(group: list[Statement]) -> str:
    first = group[0]
    where = "on its card" if first.start is None else "in its text"
    said = ", ".join(_worded(one, one.said) for one in group)
    sources = "; ".join(
        _source(source, list(ones)) for source, ones in groupby(group, key=lambda one: one.source)
    )
    return f"- [{first.message}] {where} says of {one_line(first.title)}: {said}. {sources}."


def _source(source: Facts, group: list[Statement]) -> str:
    values = ", ".join(_worded(one, one.actual) + ("" if one.holds else " (differs)") for one in group)
    return f"The {_origin(source)} says: {values}"


def _origin(source: Facts) -> str:
    if source.message is None:
        return str(source.origin)
    tool = f" of {one_line(source.tool)}" if source.tool else ""
    return f"{source.origin}{tool} in {_place(source.message)}"


def _place(message: int) -> str:
    return f"[{message}]" if message >= 0 else "the history"


def _worded(one: Statement, words: str) -> str:
    return one_line(words if one.of in (Of.ATTRIBUTE, Of.STOCK) else f"{one.of} {words}")
