"""Effectiveness: whether what was recommended is what the user wanted. Computed where it is known, judged by what the
user said where it is not. Where nothing else tells, the judge reads how the user takes the replies up, and what there was to
take."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, fsum
from statistics import fmean

from ....domain.conversation import Item
from ....domain.rubric import Factor
from ....domain.verdict import Evidence, Flag
from ....text.words import excerpt
from ..observations.acts.acts import SATISFACTION, UserAct
from ..observations.content.topics import akin, kinds_named, kinds_of
from ..observations.reading import Read, Reading
from ..observations.similarity import shares, similarity
from ..rules.findings import (
    NO_ITEM,
    Finding,
    Gap,
    cite,
    count,
    evidence,
    exhibit,
    later_weighs,
    of,
    pair,
    say,
    sure,
)
from ..rules.replies import FULL, TITLED, Judged, Lead
from .items import COMPUTED, FROM_TEXT, Listed, flags_of, listed_items, no_items, place, too_few

BY_PREFERENCES = 0.5
#: Weight of the choice that was offered beside the user's uptake, where the text shows that choice.
OF_CHOICE = 0.35
#: Smallest change of the uptake (0-1) by how content the user sounds that a rationale mentions.
TOLD_CONTENT = 0.1
ON_UPTAKE = Flag("judged_on_preferences", say("effectiveness.judged-on-uptake"))
_WISHES = frozenset({UserAct.REQUEST, UserAct.PREFER})
_SMALL_TALK = frozenset({UserAct.GREET, UserAct.THANK, UserAct.CLOSE, UserAct.INQUIRE, UserAct.CONFIRM})
_YOU = frozenset({"you", "your", "u", "ur"})
#: Worth of a reply that serves, one that the user accepts, one that the user thanks for, and one that the learned acts see
#: accepted.
SERVED, TAKEN, THANKED, ACCEPTED = 0.5, 0.6, 0.15, 0.5
#: Contentment with which people sound with a recommender by and large: the mean of the ratings that this is learned from.
USUAL = 3.12
#: Weight of one step of how content the user sounds. It shrinks with how little the reply served, and with how little the
#: user's messages answer replies: orders, and words to a machine that fails, sound content or not for many reasons.
CONTENT = 13.0
#: Share of the user's messages that answer replies: up to `ORDERS` their tone counts nothing, from `TALK` on it counts fully,
#: and the replies' own service counts less by `GIVES_WAY`. `BEYOND` messages that answer nothing are added to those of the
#: log, because a few messages tell little of how somebody talks.
ORDERS, TALK, GIVES_WAY, BEYOND = 0.1, 0.3, 0.7, 3
#: Least weight of the user's tone in a session whose replies all ask and suggest nothing, as in an interview: there the
#: user's messages answer questions.
INTERVIEW = 0.5
#: Learned acts that answer a reply instead of asking on: accepting, and thanks, greetings and small talk.
ANSWERS = ("ACC", "OTH")
#: Prior: the expected uptake, and the number of replies that it counts as beside those of the log.
EXPECTED, KNOWN = 0.4, 3.0
#: Weight of the last reply, where the first weighs 1: a session's result shows at its end.
LAST = 4.0
#: New items of a reply that count, and how many it takes, all of the kinds asked for in replies that serve, until
#: further ones add a third of what the first did.
A_REPLY, ENOUGH = 3, 6.0
_TAKES = frozenset({UserAct.ACCEPT, UserAct.THANK})
_REFUSES = frozenset({UserAct.COMPLAIN, UserAct.REJECT})
#: Wishes in the user's words, each with the kinds of items that it can mean.
Wanted = Mapping[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Uptake:
    """The mean over the replies, later ones weighing more, 0-1 and drawn to what is to be expected where they are few. And the
    user's messages that take one up. `content` is what the way that the user sounds adds to the mean, or takes off it."""

    share: float
    taken: tuple[Read, ...]
    content: float


def rate_effectiveness(reading: Reading, judged: Sequence[Judged], factor: Factor) -> Finding | Gap:
    """A wanted item in the list, else how similar the list is to the wanted items; without ground truth, to the preferences that
    the user expressed. Where items stand in the text alone, it is how the user takes the replies up and what there was to choose
    from."""
    listed = listed_items(reading)
    truth = reading.log.ground_truth
    if not truth and _goes_by_uptake(reading, judged):
        if listed:
            return _by_uptake(reading, judged, listed, factor)
        if asking := _asking(reading):
            return _in_vain(reading, judged, asking, factor)
    if not listed:
        return no_items(reading)
    if not truth:
        return _by_preferences(reading, listed, factor)
    for each in listed:
        wanted = reading.case.wanted(each.reference)
        if wanted is not None:
            return Finding(
                score=factor.scale.max,
                rationale=say(
                    "effectiveness.found",
                    wanted=wanted,
                    count=count(len(listed), *pair("effectiveness.recommended-items")),
                ),
                confidence=FROM_TEXT if reading.reads_text_lists else 1.0,
                evidence=(place(reading, each.reference, float(factor.scale.max)),),
                flags=flags_of(reading, listed, len(listed)),
            )
    return _by_similarity(reading, listed, truth, factor)


def _by_similarity(
    reading: Reading, listed: list[Listed], truth: tuple[str, ...], factor: Factor
) -> Finding | Gap:
    targets = [item.values for target in truth if (item := reading.item(target)) and item.values]
    known = [(each, each.item.values) for each in listed if each.item and each.item.values]
    if not targets or too_few(known, listed):
        return Gap("missing_metadata", say('effectiveness.no-attributes-of-wanted'), ("items",), flags_of(reading, listed, len(known)))  # fmt: skip
    values = [(each, max(similarity(have, want) for want in targets)) for each, have in known]
    return _graded(reading, listed, values, factor, to=say("effectiveness.wanted-item"), confidence=COMPUTED)


def _by_preferences(reading: Reading, listed: list[Listed], factor: Factor) -> Finding | Gap:
    """Against the preferences that were given or expressed."""
    wanted = _wanted(reading)
    if not wanted:
        return Gap("no_preferences", say('effectiveness.no-preferences'), ("ground_truth",))  # fmt: skip
    known = [each for each in listed if each.item and _told_of(each.item)]
    if too_few(known, listed):
        return Gap("missing_metadata", say('effectiveness.few-attributes'), ("items",),
                   flags_of(reading, listed, len(known)))  # fmt: skip
    finding = _graded(
        reading,
        listed,
        [(each, _fit(wanted, each.item)) for each in known if each.item],
        factor,
        to=say("effectiveness.wishes", wishes=", ".join(wanted)),
        confidence=BY_PREFERENCES,
    )
    flag = Flag("judged_on_preferences", say("effectiveness.judged-on-preferences"))
    return replace(finding, flags=(*finding.flags, flag))


def _goes_by_uptake(reading: Reading, judged: Sequence[Judged]) -> bool:
    """Return whether items stand in the text alone, no wishes are given with the log, and it is known how
    the user went on."""
    if not reading.reads_text_lists or (reading.log.user and reading.log.user.attributes):
        return False
    return reading.log.complete or any(reading.after(i) for i in range(len(judged)))


def _asking(reading: Reading) -> list[Read]:
    """The messages in which the user asks for items, in a session that is over; told where none was recommended. Where there are
    none and the user names no item, a question asks for one ("which wine goes with that?"). A question about the recommender
    ("how are you?") does not. Where nothing is asked, every message that is no small talk counts."""
    if not reading.log.complete:
        return []
    said = [read for exchange in reading.exchanges for read in exchange.user]
    wishes = [read for read in said if read.does.keys() & _WISHES]
    if wishes or any(read.named for read in said):
        return wishes
    asked = [read for read in said if UserAct.INQUIRE in read.does and not _YOU & read.vocabulary]
    return asked or [read for read in said if read.words and not read.does.keys() & _SMALL_TALK]


def _by_uptake(reading: Reading, judged: Sequence[Judged], listed: list[Listed], factor: Factor) -> Finding:
    """By how the user takes the replies up, and by what there was to choose from."""
    uptake = read_uptake(reading, judged)
    of_choice = _of_choice(reading)
    score = factor.scale.max * ((1 - of_choice) * uptake.share + of_choice * read_choice(judged))
    known = [each.item for each in listed if each.item and _told_of(each.item)]
    return Finding(
        score=score,
        rationale=say(
            "effectiveness.by-uptake", taken=_taken(uptake), choice=_choice(reading, listed, known)
        ),
        confidence=sure(len(reading.exchanges), 2, BY_PREFERENCES),
        evidence=_takings(uptake, score) or (place(reading, listed[0].reference, round(score, 3)),),
        flags=(*flags_of(reading, listed, len(known)), ON_UPTAKE),
    )


def _in_vain(reading: Reading, judged: Sequence[Judged], asking: Sequence[Read], factor: Factor) -> Finding:
    """By how the user takes the replies up alone: what was asked for was not recommended by any recognisable title."""
    uptake = read_uptake(reading, judged)
    score = factor.scale.max * (1 - _of_choice(reading)) * uptake.share
    asks = any(read.does.keys() & {*_WISHES, UserAct.INQUIRE} for read in asking)
    verb = pair("effectiveness.ask" if asks else "effectiveness.hope")[len(asking) > 1]
    messages = cite(asking)
    return Finding(
        score=score,
        rationale=say(
            "effectiveness.in-vain",
            messages=messages[0].upper() + messages[1:],
            verb=verb,
            taken=_taken(uptake),
        ),
        confidence=sure(len(reading.exchanges), 2, BY_PREFERENCES * FROM_TEXT),
        evidence=_takings(uptake, score)
        or (Evidence(asking[0].index, excerpt(asking[0].text), None, asking[0].message.id),),
        flags=(NO_ITEM, ON_UPTAKE),
    )


def _of_choice(reading: Reading) -> float:
    """Return how much what there was to choose from counts: nothing where items have no titles that a text shows, as hotels and
    shoes have none, unless a catalogue names them."""
    known = reading.log.domain in TITLED or reading.case.catalogue is not None
    return OF_CHOICE if known else 0.0


def _taken(uptake: Uptake) -> str:
    sounds = ""
    if abs(uptake.content) >= TOLD_CONTENT:
        sounds = say("effectiveness.sounds", more="more" if uptake.content > 0 else "less")
    if not uptake.taken:
        return say("effectiveness.nothing-taken-up", sounds=sounds)
    verb = pair("effectiveness.thank-or-accept")[len(uptake.taken) > 1]
    return say("effectiveness.taken-up", messages=cite(uptake.taken), verb=verb, sounds=sounds)


def _takings(uptake: Uptake, score: float) -> tuple[Evidence, ...]:
    return evidence(
        [exhibit(read, 0, len(read.text), say("effectiveness.takes-up")) for read in uptake.taken], score
    )


def _choice(reading: Reading, listed: list[Listed], known: list[Item]) -> str:
    """Return what there was to choose from, in words."""
    told = say(
        "effectiveness.choice",
        verb="was" if len(listed) == 1 else "were",
        count=count(len(listed), *pair("nouns.items")),
    )
    wanted = _wanted(reading)
    if not (wanted and known):
        return f"{told}."
    fits = sum(_fit(wanted, item) > 0 for item in known)
    fitting = of(fits, len(known), pair("effectiveness.known-items"), pair("effectiveness.fit"))
    return say(
        "effectiveness.fits-wishes",
        told=told,
        fitting=fitting[0].lower() + fitting[1:],
        wishes=", ".join(wanted),
    )


def _told_of(item: Item) -> frozenset[str]:
    """All that the data say of an item, folded."""
    return frozenset(value.casefold() for values in item.attributes.values() for value in values)


def _fit(wanted: Wanted, item: Item) -> float:
    """Return how well an item meets the wishes: the share of them that its attributes meet, a neighbouring
    kind counting as somewhat similar."""
    kinds, told = kinds_of(item), _told_of(item)
    met = sum(bool(meant & kinds) or wish in told for wish, meant in wanted.items())
    if met:
        return met / len(wanted)
    return 0.2 if akin(frozenset().union(*wanted.values()), kinds) else 0.0


def _wanted(reading: Reading) -> Wanted:
    """Return what the user wants, each wish with the kinds that it can mean: given with the log, else
    asked for in messages; a kind turned down later is dropped."""
    if reading.log.user and reading.log.user.attributes:
        return {wish.casefold(): kinds_named([wish]) for wish in reading.log.user.attributes}
    wanted: dict[str, frozenset[str]] = {}
    for read in (*reading.history, *reading.messages):
        for kinds, positive in read.wishes:
            for kind in sorted(kinds):
                if positive:
                    wanted[kind] = frozenset({kind})
                else:
                    wanted.pop(kind, None)
    return dict(sorted(wanted.items()))


def _graded(
    reading: Reading,
    listed: list[Listed],
    values: list[tuple[Listed, float]],
    factor: Factor,
    *,
    to: str,
    confidence: float,
) -> Finding:
    very, somewhat = shares([value for _, value in values])
    level = max(
        factor.ladders["very-similar"].level(very), factor.ladders["somewhat-similar"].level(somewhat)
    )
    best, closeness = max(values, key=lambda pair: pair[1])
    near = of(
        round(somewhat * len(values)), len(values), pair("effectiveness.known-recommended"), pair("nouns.is")
    )
    closely = round(very * len(values))
    of_them = ""
    if somewhat and len(values) > 1:
        of_them = say("effectiveness.how-many-very", many=closely or "none")
    elif closely:
        of_them = say("effectiveness.closely")
    rationale = say(
        "effectiveness.similar",
        near=near,
        to=to,
        of_them=of_them,
        reference=best.reference,
        closeness=closeness,
    )
    return Finding(
        score=level,
        rationale=rationale,
        confidence=round(
            confidence * (FROM_TEXT if reading.reads_text_lists else 1.0) * len(values) / len(listed), 2
        ),
        evidence=(place(reading, best.reference, float(level)),),
        flags=flags_of(reading, listed, len(values)),
    )


def read_uptake(reading: Reading, judged: Sequence[Judged]) -> Uptake:
    """Return how the user took the replies up."""
    values = []
    swings = []
    taken: list[Read] = []
    talk = _talk(reading, judged)
    heard = max(talk, INTERVIEW * _asked(judged))
    for index, each in enumerate(judged):
        later = reading.after(index)
        glad = [read for read in later if read.does.keys() & _TAKES and not read.does.keys() & _REFUSES]
        taken += glad[:1]
        served = each.score / FULL
        shown = SERVED * served + GIVES_WAY * talk * (EXPECTED - SERVED * served)
        swings.append(CONTENT * heard * served * _content(reading, later))
        values.append(
            shown
            + _taken_up(glad)
            + ACCEPTED * max([_accepts(reading.learned[read.index]) for read in later], default=0.0)
            + swings[-1]
        )
    known = len(values) / (len(values) + KNOWN)
    weights = later_weighs(len(values), LAST)
    share = known * (fmean(values, weights) if values else 0.0) + (1 - known) * EXPECTED
    swing = known * fmean(swings, weights) if swings else 0.0
    return Uptake(min(1.0, max(0.0, share)), tuple(taken), swing)


def _accepts(heard: Mapping[str, float]) -> float:
    """Return by how much a message sounds more like accepting than like neither yes nor no: "Hmm, ok." sounds like both."""
    return max(0.0, heard.get("ACC", 0.0) - heard.get("NRE", 0.0))


def _taken_up(glad: Sequence[Read]) -> float:
    """Return what messages that accept or thank count; one that does both accepts."""
    if not glad:
        return 0.0
    return TAKEN if any(UserAct.ACCEPT in read.does for read in glad) else THANKED


def _talk(reading: Reading, judged: Sequence[Judged]) -> float:
    """Return whether the user's messages answer the replies before them, as in talk between people (1), or
    order on (0)."""
    known = [
        min(1.0, fsum(reading.learned[read.index].get(act, 0.0) for act in ANSWERS))
        for index in range(len(judged))
        for read in reading.after(index)
    ]
    answers = fsum(known) / (len(known) + BEYOND)
    return min(1.0, max(0.0, (answers - ORDERS) / (TALK - ORDERS)))


def _asked(judged: Sequence[Judged]) -> float:
    """Return the share of replies that ask and suggest nothing."""
    return fmean([float(each.lead is Lead.ASKS and not each.offers) for each in judged] or [0.0])


def _content(reading: Reading, later: Sequence[Read]) -> float:
    """Return how much more or less content than usual the user's next messages sound."""
    known = [reading.learned[read.index].get(SATISFACTION, USUAL) for read in later]
    return fmean(known) - USUAL if known else 0.0


def read_choice(judged: Sequence[Judged]) -> float:
    """Return what there was to choose from, 0-1: items offered for the first time, up to three a reply. Each counts by how well
    the reply served and how far its items are of the kinds asked for. Each further one adds less."""
    worth = fsum(min(A_REPLY, len(each.fresh)) * each.score / FULL * (1 + each.fit) / 2 for each in judged)
    return 1 - exp(-worth / ENOUGH)
