"""CONCEPT's social awareness and human-likeness: how a reply treats the user, and whether a machine shows through."""

from collections.abc import Iterator, Sequence

from ....domain.rubric import Factor
from ....domain.verdict import Flag
from ..observations.acts.acts import ReplyAct, UserAct, list_entries
from ..observations.reading import Reading
from ..observations.wording import manners
from ..rules.findings import Finding, Gap, Mark, Wording, by_marks, exhibit, mark, pair, say, table
from ..rules.replies import LOSSES, Judged

#: Words and phrases stand for care, and visible slips for a machine: rules see no more.
AWARENESS_AT_MOST = 0.45
LIKENESS_AT_MOST = 0.4
#: Values of a polite reply that does not attend to the user, where the user shows something to attend to and where not,
#: and of a reply that is neither polite nor attentive.
POLITE, POLITE_ENOUGH, PLAIN = 0.5, 0.75, 0.25
#: Faults that forget or slight the user, whatever else the reply says.
FORGETS = ("asks-again", "asks-known", "greets-again", "turned-down", "offered-before", "repeats", "echoes", "empty",
           "broken", "not-repaired", "pushes-on")  # fmt: skip
#: Faults that no person would make.
GIVES_AWAY = ("empty", "broken", "repeats", "echoes", "greets-again", "contradicts-itself", "dangling",
              "answers-nothing")  # fmt: skip
#: Faults that a person would seldom make.
STIFF = ("nearly-repeats", "asks-again", "offered-before", "question-ignored", "talks-past", "not-repaired")
#: Entries from which a reply is a rigid list, and words of an opening that is a formula when it comes again.
RIGID = 3
OPENING = 4
_FEELS = frozenset({UserAct.COMPLAIN, UserAct.SEEN, UserAct.PREFER})


def rate_social_awareness(_reading: Reading, judged: Sequence[Judged], factor: Factor) -> Finding | Gap:
    """The share of replies that attend to this user: meet a mood, come back to what was told, have a kind
    word, give a view of their own. Politeness alone counts half, or three quarters where the user shows nothing to
    meet; neither, a quarter there and else nothing; a reply that forgets or slights the user counts nothing."""
    marks = [_attention(each) for each in judged]
    return by_marks(
        factor,
        marks,
        Wording(pair("rapport.attends")),
        AWARENESS_AT_MOST,
        (Flag("rules_check_little", say("rapport.checks-care")),),
    )


def _attention(each: Judged) -> Mark:
    kind = next((kind for kind in FORGETS if kind in each.kinds), None)
    if kind:
        return mark(each, 0.0, LOSSES[kind][1])
    for read in each.exchange.reply:
        names = [named.span for named in read.named]
        for slight in manners.find_discourtesy(read.unmasked, names)[:1]:
            place = exhibit(read, slight.start, slight.end, table("courtesy")[slight.kind])
            return mark(each, 0.0, place=place)
    found = [
        span.kind
        for read in each.exchange.reply
        if (span := manners.find_care(read.text, [named.span for named in read.named]))
    ]
    if any(kind in manners.ATTENTIVE for kind in found):
        return mark(each, 1.0)
    shown = _shows_something(each)
    asks = bool(each.exchange.acts & {ReplyAct.ELICIT, ReplyAct.OFFER})
    if found or asks:
        matter = say("rapport.only-polite") if shown else say("rapport.polite")
        return mark(each, POLITE if shown else POLITE_ENOUGH, matter)
    return mark(each, 0.0 if shown else PLAIN, say("rapport.passes-over") if shown else say("rapport.plain"))


def _shows_something(each: Judged) -> bool:
    """Return whether the user's side of the turn shows a mood, an experience, people of their life."""
    return any(manners.gives_occasion(read.text) or read.does.keys() & _FEELS for read in each.exchange.user)


def rate_human_likeness(_reading: Reading, judged: Sequence[Judged], factor: Factor) -> Finding | Gap:
    """The share of replies in which no machine shows through: garbled text, a reply said again, the user's own
    words handed back, an answer to nothing take all; a formula for an opening, a rigid list, a reply beside the point
    half."""
    openings: set[tuple[str, ...]] = set()
    marks = []
    for each in judged:
        marks.append(_likeness(each, openings))
        openings.add(_opening(each))
    return by_marks(
        factor,
        marks,
        Wording(pair("rapport.human")),
        LIKENESS_AT_MOST,
        (Flag("rules_check_little", say("rapport.checks-slips")),),
    )


def _likeness(each: Judged, openings: set[tuple[str, ...]]) -> Mark:
    for kinds, worth in ((GIVES_AWAY, 0.0), (STIFF, 0.5)):
        kind = next((kind for kind in kinds if kind in each.kinds), None)
        if kind:
            return mark(each, worth, LOSSES[kind][1])
    stiff = next(_stiffness(each, openings), None)
    return mark(each, 0.5, stiff) if stiff else mark(each, 1.0)


def _stiffness(each: Judged, openings: set[tuple[str, ...]]) -> Iterator[str]:
    if each.exchange.broken:
        yield say("rapport.broken")
    if len(_opening(each)) == OPENING and _opening(each) in openings:
        yield say("rapport.same-opening")
    if any(len(list_entries(read.text)) >= RIGID for read in each.exchange.reply):
        yield say("rapport.rigid-list")


def _opening(each: Judged) -> tuple[str, ...]:
    return each.exchange.said[:OPENING]
