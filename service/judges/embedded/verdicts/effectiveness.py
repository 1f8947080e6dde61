"""Effectiveness: whether what was recommended is what the user wanted. Computed where it is known, judged by what the
user said where it is not."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ....domain.conversation import Item
from ....domain.rubric import Factor
from ....domain.verdict import Evidence, Flag
from ....text.words import excerpt
from ..observations.acts.acts import UserAct
from ..observations.content.topics import akin, kinds_named, kinds_of
from ..observations.reading import Read, Reading
from ..observations.similarity import shares, similarity
from ..rules.findings import NO_ITEM, Finding, Gap, cite, count, evidence, exhibit, of, pair, say, sure
from ..rules.replies import TITLED, Judged
from ..rules.user_response import Uptake, read_choice, read_uptake
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
#: Wishes in the user's words, each with the kinds of items that it can mean.
Wanted = Mapping[str, frozenset[str]]


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
