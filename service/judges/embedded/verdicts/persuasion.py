"""Decide whether explanations win a user over: CONCEPT's persuasiveness, and iEvaLM's against the wanted
item."""

from collections.abc import Sequence

from ....catalogue.titles import same_title
from ....domain.conversation import Item
from ....domain.rubric import Factor
from ....domain.verdict import Evidence, Flag
from ..observations.acts.acts import UserAct, list_entries
from ..observations.content.reasons import find_reason
from ..observations.reading import Read, Reading
from ..observations.similarity import VERY_SIMILAR, similarity
from ..rules.findings import Finding, Gap, Mark, Wording, by_marks, exhibit, mark, pair, say, sure, table
from ..rules.replies import FULL, LOSSES, MISSED, Judged
from ..rules.reply_faults import AFTERMATH, BROKEN

#: People's labels for explanations go little with counted reasons (docs/embedded-judge.md).
PERSUASION_AT_MOST = 0.4
#: A wanted item that is offered is a fact; what an explanation is worth beside it is a guess.
FOUND = 0.95
GUESSED = 0.35
#: Value of a reason by its kind: 1 for a tie to this user's wishes, half for a mere kind of item.
WORTH = {"preference": 1.0, "likeness": 0.75, "content": 0.75, "statement": 0.75, "attribute": 0.5}
#: Faults that do not concern an explanation: those that the user's next message shows, and untrue statements.
NO_MATTER = frozenset({*AFTERMATH, "unknown-items"})
_ASKED = frozenset({UserAct.WHY, UserAct.INQUIRE})


def rate_persuasiveness(reading: Reading, judged: Sequence[Judged], factor: Factor) -> Finding | Gap:
    """The share of what has to be argued that is: suggestions, in the same reply or, before anything else is suggested,
    in a later one where the user asks; and the user's questions about what was suggested. A reason tied to the
    user's wishes counts whole, what the item is about or like three quarters, its bare kind half, praise
    nothing; all of it in proportion to how the reply serves the user, and half where most entries of a list stand bare."""
    suggesting = {index for index, (_, offered) in enumerate(reading.offers) if offered}
    if not suggesting:
        return Gap("no_recommendation_made", say("persuasion.nothing-to-argue"))
    marks: list[Mark] = []
    wanted: set[str] = set()
    for index, each in enumerate(judged):
        wanted |= {
            kind
            for read in each.exchange.user
            for kinds, positive in read.wishes
            if positive
            for kind in kinds
        }
        if index in suggesting:
            marks.append(_argued(reading, each, index, wanted))
        elif marks and each.exchange.wants & _ASKED and UserAct.REQUEST not in each.exchange.wants:
            marks.append(_answered(each))
    wording = Wording(pair("persuasion.argue"), pair("persuasion.replies"))
    return by_marks(factor, marks, wording, PERSUASION_AT_MOST)


def _answered(each: Judged) -> Mark:
    """A reply to a question about an item; one that misses it explains nothing."""
    kinds, served = each.costly(NO_MATTER), each.kept(NO_MATTER)
    return mark(each, served if served * FULL >= MISSED else 0.0, LOSSES[kinds[0]][1] if kinds else "")


def _argued(reading: Reading, each: Judged, index: int, wanted: set[str]) -> Mark:
    """A reply that suggests, to a user who has wished for these kinds so far."""
    explaining = _explaining(reading, index)
    worth = max((_worth(read, wanted) for read in explaining), default=0.0)
    if not worth:
        return mark(each, 0.0, say("persuasion.no-reason"))
    best = next(read for read in explaining if _worth(read, wanted) == worth)
    matter = "" if worth == 1 else say("persuasion.partial-reason", what=table("reasons")[_kind(best)])
    if _bare_entries(each):
        worth, matter = worth / 2, say("persuasion.bare-list")
    if (served := each.kept(NO_MATTER)) < 1:
        fault = LOSSES[each.costly(NO_MATTER)[0]][1]
        return mark(each, worth * served, say("persuasion.but", fault=fault))
    return mark(each, worth, matter)


def _explaining(reading: Reading, index: int) -> list[Read]:
    """The messages that may argue for what turn `index` suggests."""
    found: list[Read] = []
    for later, (exchange, offered) in enumerate(reading.offers[index:]):
        if later and (offered or not exchange.wants & _ASKED):
            break
        if exchange.broken <= BROKEN:
            found += exchange.reply
    return found


def _kind(read: Read) -> str:
    return read.reason.kind if read.reason else ""


def _worth(read: Read, wanted: set[str]) -> float:
    """Return what a message's reason is worth; one that tells of the item in kinds that the user wished for is tied to the wishes
    like one that says so."""
    kind = _kind(read)
    told = {kind for _, kinds, positive in read.kinds if positive for kind in kinds}
    return 1.0 if kind in {"content", "statement"} and told & wanted else WORTH.get(kind, 0.0)


def _bare_entries(each: Judged) -> bool:
    """Return whether over half of the entries of a list are titles and no more."""
    for read in each.exchange.reply:
        entries = list_entries(read.text)
        bare = sum(find_reason(entry.of(read.untitled)) is None for entry in entries)
        if entries and bare * 2 > len(entries):
            return True
    return False


def rate_against_wanted(reading: Reading, judged: Sequence[Judged], factor: Factor) -> Finding | Gap:
    """2 where the last suggestion holds a wanted item. Else 1 where it gives a reason for an item very similar to a wanted one
    (Jaccard similarity of attributes from .5). 0 where it does not or where nothing is suggested. Whether an explanation makes
    another item *more* attractive than the wanted one rules cannot tell."""
    last = _last_suggestion(reading)
    if last is None:
        return Finding(factor.scale.min, say("persuasion.nothing-suggested"), GUESSED)
    index, offered = last
    read = judged[index].exchange.reply[0]
    for reference, item in offered:
        if any(_is(reading, reference, item, target) for target in reading.log.ground_truth or ()):
            return Finding(
                score=factor.scale.max,
                rationale=say("persuasion.wanted", index=read.index, reference=reference),
                confidence=FOUND,
                evidence=(_shown(judged[index].exchange.reply, reference, float(factor.scale.max)),),
            )
    reason = next((each for each in _explaining(reading, index) if _kind(each)), None)
    where = say("persuasion.not-wanted", index=read.index)
    if reason is None:
        rationale = say("persuasion.unexplained", where=where)
        return Finding(factor.scale.min, rationale, sure(len(offered), 0.5, GUESSED * 2), flags=_LIMITS)
    nearest = _nearest(reading, offered)
    if nearest is None:
        return Gap("missing_metadata", say('persuasion.no-attributes'), ("items",))  # fmt: skip
    reference, closeness = nearest
    level = factor.scale.min + (closeness >= VERY_SIMILAR)
    rationale = say(
        "persuasion.nearest",
        where=where,
        reference=reference,
        closeness=closeness,
        index=reason.index,
        what=table("reasons")[_kind(reason)],
    )
    span = reason.reason
    place = exhibit(reason, span.start, span.end, "") if span else None
    return Finding(
        score=level,
        rationale=rationale + (say("persuasion.attractive") if level else say("persuasion.too-far")),
        confidence=GUESSED,
        evidence=(Evidence(reason.index, place.quote if place else None, float(level), reason.message.id),),
        flags=_LIMITS,
    )


_LIMITS = (Flag("rules_check_little", say("persuasion.checks-little")),)


def _last_suggestion(reading: Reading) -> tuple[int, list[tuple[str, Item | None]]] | None:
    """The last turn that recommends in its text, with the items named and listed there; else the last with a list."""
    lists: int | None = None
    for index in reversed(range(len(reading.offers))):
        exchange, offered = reading.offers[index]
        listed = _listed(reading, index)
        if offered:
            named = [(each.item.title if each.item else each.surface, each.item) for each in offered]
            return index, [*named, *listed]
        if listed and lists is None and exchange.said:
            lists = index
    return None if lists is None else (lists, _listed(reading, lists))


def _listed(reading: Reading, index: int) -> list[tuple[str, Item | None]]:
    if reading.reads_text_lists:
        return []
    return [
        (reference, reading.item(reference))
        for read in reading.offers[index][0].reply
        for reference in (read.message.recommendations or ())[: reading.case.list_cutoff]
    ]


def _is(reading: Reading, reference: str, item: Item | None, target: str) -> bool:
    if same_title(reference, target, year_optional=True):
        return True
    known = reading.item(target)
    return known is not None and item is not None and known == item


def _nearest(reading: Reading, offered: Sequence[tuple[str, Item | None]]) -> tuple[str, float] | None:
    """The offered item most like a wanted one; None without attributes on either side."""
    wanted = [
        item for target in reading.log.ground_truth or () if (item := reading.item(target)) and item.values
    ]
    known = [(reference, item) for reference, item in offered if item and item.values]
    if not wanted or not known:
        return None
    return max(
        (
            (reference, max(similarity(item.values, want.values) for want in wanted))
            for reference, item in known
        ),
        key=lambda pair: pair[1],
    )


def _shown(reply: Sequence[Read], reference: str, effect: float) -> Evidence:
    """Return where a reply shows an item: its name in the text, else the list."""
    for read in reply:
        for named in read.named:
            if reference in (named.surface, named.item.title if named.item else None):
                return Evidence(read.index, named.surface, effect, read.message.id)
    return Evidence(reply[0].index, None, effect, reply[0].message.id)
