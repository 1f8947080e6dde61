"""Look-ups by code for a model: each statement of a reply beside its source, items that no tool offered, errors of tools."""

from collections.abc import Iterator
from itertools import groupby

from ...domain.verdict import Flag
from ...grounding.facts import Facts
from ...grounding.statements import Of, Statement
from ...prompts import one_line
from ..inquiry import Case
from .shown_items import spread

MOST_STATEMENTS = 100
"""Items of a reply whose statements a prompt shows with their sources, over the whole session; those that differ come first."""


def source_lines(case: Case) -> Iterator[str]:
    """Lines for the material, none where nothing could be looked up."""
    groups = _groups(case)
    if groups:
        yield "Statements of the replies that code could look up, each beside its source:"
        kept = _kept(groups)
        if len(kept) < len(groups):
            yield f"({len(groups) - len(kept)} of {len(groups)} are left out, evenly over the session; all that differ are here.)"
        yield from (_line(groups[place]) for place in kept)
    unheld = [one for one in case.grounding.shown if one.offered is False]
    for one in (unheld[at] for at in spread(len(unheld), MOST_STATEMENTS)):
        yield f"- [{one.message}] shows {one_line(case.grounding.title(one))}, which no tool result before it holds."
    for result, reply, passed in case.grounding.errors:
        if passed:
            tool = f" of {one_line(result.tool)}" if result.tool else ""
            yield f"- The call{tool} answered in {_place(result.message)} failed. Reply [{reply}] does not say that anything is missing."


def sources_cut(case: Case) -> Iterator[Flag]:
    """The flag for statements that a prompt leaves out."""
    groups = _groups(case)
    if len(groups) > len(kept := _kept(groups)):
        detail = f"the prompt shows the sources of {len(kept)} of {len(groups)} items that replies make statements about"
        yield Flag("material_cut", detail)


def _groups(case: Case) -> list[list[Statement]]:
    """The statements of a reply about an item, in one place of it."""
    found = groupby(case.grounding.statements, key=lambda one: (one.message, one.title, one.start is None))
    return [list(group) for _, group in found]


def _kept(groups: list[list[Statement]]) -> list[int]:
    if len(groups) <= MOST_STATEMENTS:
        return list(range(len(groups)))
    wrong = [place for place, group in enumerate(groups) if not all(one.holds for one in group)]
    others = [place for place in range(len(groups)) if place not in set(wrong)]
    room = max(0, MOST_STATEMENTS - len(wrong))
    return sorted([*wrong, *(others[at] for at in spread(len(others), room))])


def _line(group: list[Statement]) -> str:
    first = group[0]
    where = "on its card" if first.start is None else "in its text"
    said = ", ".join(_named(one, one.said) for one in group)
    told = "; ".join(
        _source(source, list(ones)) for source, ones in groupby(group, key=lambda one: one.source)
    )
    return f"- [{first.message}] {where} says of {one_line(first.title)}: {said}. {told}."


def _source(source: Facts, group: list[Statement]) -> str:
    told = ", ".join(_named(one, one.told) + ("" if one.holds else " (differs)") for one in group)
    return f"The {_origin(source)} says: {told}"


def _origin(source: Facts) -> str:
    if source.message is None:
        return str(source.origin)
    tool = f" of {one_line(source.tool)}" if source.tool else ""
    return f"{source.origin}{tool} in {_place(source.message)}"


def _place(message: int) -> str:
    return f"[{message}]" if message >= 0 else "the history"


def _named(one: Statement, words: str) -> str:
    return one_line(words if one.of in (Of.ATTRIBUTE, Of.STOCK) else f"{one.of} {words}")
