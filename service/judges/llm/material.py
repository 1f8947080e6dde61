"""What a factor needs beside the messages: recommended and wanted items, preferences, feelings, the
scores of single abilities."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from ...domain.conversation import Item, Role
from ...domain.rubric import Factor, Need
from ...domain.verdict import Scored, Verdict
from ..inquiry import Case, ListSource
from .log_text import indented

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
    if describe and Need.RECOMMENDATIONS not in needs:
        parts += _mentioned(case)
    return "\n".join(["<material>", *parts, "</material>"]) if parts else ""


def _recommended(case: Case, describe: bool) -> Iterator[str]:
    if reads_text(case):
        yield FROM_TEXT
        yield from _mentioned(case) if describe else ()
        return
    yield "Recommended items, in the order in which they were shown:"
    yield from _items(case, case.log.session_list(case.list_cutoff), describe)


def _wanted(case: Case, describe: bool) -> Iterator[str]:
    if case.log.ground_truth:
        yield "Items that the user really wanted, unknown to the recommender:"
        yield from _items(case, case.log.ground_truth, describe)
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


def _mentioned(case: Case) -> Iterator[str]:
    if case.catalogue is None:
        return
    replies = [message.content for message in case.log.messages if message.role is Role.ASSISTANT]
    items = {mention.item.title: mention.item for text in replies for mention in case.catalogue.find(text)}
    if items:
        yield "What is known of items that the recommender names:"
        yield from map(_described, list(items.values())[:MOST_ITEMS])


def _items(case: Case, references: Iterable[str], describe: bool) -> Iterator[str]:
    known = partial(_line, case, describe)
    listed = list(references)
    yield from map(known, listed[:MOST_ITEMS])
    if len(listed) > MOST_ITEMS:
        yield f"- and {len(listed) - MOST_ITEMS} more"


def _line(case: Case, describe: bool, reference: str) -> str:
    item = case.catalogue.match(reference) if case.catalogue else None
    if item is None:
        return f"- {indented(reference)}"
    return _described(item) if describe else f"- {indented(item.title)}"


def _described(item: Item) -> str:
    facts = [f"{indented(name)}: {indented(', '.join(values))}" for name, values in item.attributes.items()]
    if item.popularity is not None:
        facts.append(f"better known than {item.popularity:.0%} of the catalogue")
    if item.description:
        cut = item.description[:LONGEST_DESCRIPTION]
        facts.append(indented(cut if cut == item.description else f"{cut}…"))
    return f"- {indented(item.title)}" + (f" ({'; '.join(facts)})" if facts else "")
