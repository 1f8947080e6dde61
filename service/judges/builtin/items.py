"""Recommended items: effectiveness, novelty, diversity. Computed, not guessed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ...domain.conversation import Item
from ...domain.rubric import Factor
from ...domain.verdict import Evidence, Flag
from ...text.acts import UserAct
from ...text.titles import same_title
from ...text.topics import akin, kinds_named, kinds_of
from .finding import NO_ITEM, Finding, Gap, cite, count, evidence, exhibit, of, sure
from .reading import Reading
from .replies import Judged
from .similarity import LITTLE_KNOWN, MOST_UNKNOWN, characteristics, shares, similarity
from .uptake import read_choice, read_uptake

COMPUTED = 0.95
FROM_TEXT = 0.6
BY_PREFERENCES = 0.5
#: How much what there was to choose from counts beside the user's uptake.
OF_CHOICE = 0.35
_WISHES = frozenset({UserAct.REQUEST, UserAct.PREFER})
#: Wishes in the user's words, each with the kinds of items that it can mean.
Wanted = Mapping[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Listed:
    """An item of the session list, with what is known of it."""

    reference: str
    item: Item | None


def _listed(reading: Reading) -> list[Listed]:
    return [Listed(reference, reading.item(reference)) for reference in reading.session_list]


def _flags(reading: Reading, listed: list[Listed], known: int) -> tuple[Flag, ...]:
    flags = []
    if reading.reads_text_lists:
        flags.append(
            Flag("list_from_text", "the log has no lists to read: items were taken from the replies' text")
        )
    if known < len(listed):
        flags.append(
            Flag(
                "items_without_metadata",
                f"left out for want of data: {len(listed) - known} of {len(listed)} items",
            )
        )
    return tuple(flags)


def _no_items(reading: Reading) -> Gap:
    if reading.reads_text_lists and not reading.log.has_lists:
        return Gap("no_recommendation_made", "no reply carries a list or recommends an item by its title",
                   ("recommendations",))  # fmt: skip
    return Gap("missing_recommendations", "the session recommends no item", ("recommendations",))


def _place(reading: Reading, reference: str, effect: float | None) -> Evidence:
    """Where an item was shown: in the list or the text of the first message that holds it."""
    for read in reading.replies:
        if reference in (read.message.recommendations or ()):
            return Evidence(read.index, None, effect, read.message.id)
        for named in read.named:
            if reference in (named.surface, named.item.title if named.item else None):
                return Evidence(read.index, named.surface, effect, read.message.id)
    return Evidence(None, None, effect)


def rate_effectiveness(reading: Reading, judged: Sequence[Judged], factor: Factor) -> Finding | Gap:
    """A wanted item in the list, else how similar the list is to the wanted items; without ground
    truth, to the preferences that the user expressed."""
    listed = _listed(reading)
    truth = reading.log.ground_truth
    if not truth and _goes_by_uptake(reading, judged) and (listed or _asked_in_vain(reading)):
        return _by_uptake(reading, judged, listed, factor)
    if not listed:
        return _no_items(reading)
    if not truth:
        return _by_preferences(reading, listed, factor)
    for each in listed:
        wanted = next((target for target in truth if _is(reading, each, target)), None)
        if wanted is not None:
            return Finding(
                score=factor.scale.max,
                rationale=f"“{wanted}”, which the user wanted, is among the {count(len(listed), 'recommended item', 'recommended items')}.",
                confidence=FROM_TEXT if reading.reads_text_lists else 1.0,
                evidence=(_place(reading, each.reference, float(factor.scale.max)),),
                flags=_flags(reading, listed, len(listed)),
            )
    return _by_similarity(reading, listed, truth, factor)


def _is(reading: Reading, listed: Listed, target: str) -> bool:
    if same_title(listed.reference, target, year_optional=True):
        return True
    item = reading.item(target)
    return item is not None and item is listed.item


def _by_similarity(
    reading: Reading, listed: list[Listed], truth: tuple[str, ...], factor: Factor
) -> Finding | Gap:
    targets = [item.values for target in truth if (item := reading.item(target)) and item.values]
    known = [(each, each.item.values) for each in listed if each.item and each.item.values]
    if not targets or (len(listed) - len(known)) > MOST_UNKNOWN * len(listed):
        return Gap("missing_metadata", "no wanted item is in the list, and how similar the items are cannot be told "
                   "without their attributes", ("items",), _flags(reading, listed, len(known)))  # fmt: skip
    values = [(each, max(similarity(have, want) for want in targets)) for each, have in known]
    return _graded(reading, listed, values, factor, to="a wanted item", confidence=COMPUTED)


def _by_preferences(reading: Reading, listed: list[Listed], factor: Factor) -> Finding | Gap:
    """Against the preferences that were given or expressed."""
    wanted = _wanted(reading)
    if not wanted:
        return Gap("no_preferences", "there is no ground truth, and the user expressed no preference that the catalogue's "
                   "attributes could be compared with", ("ground_truth",))  # fmt: skip
    known = [each for each in listed if each.item and _told_of(each.item)]
    if (len(listed) - len(known)) > MOST_UNKNOWN * len(listed):
        return Gap("missing_metadata", "over half of the recommended items are without attributes", ("items",),
                   _flags(reading, listed, len(known)))  # fmt: skip
    finding = _graded(
        reading,
        listed,
        [(each, _fit(wanted, each.item)) for each in known if each.item],
        factor,
        to=f"what the user asked for ({', '.join(wanted)})",
        confidence=BY_PREFERENCES,
    )
    flag = Flag(
        "judged_on_preferences",
        "no ground truth was given: judged against the preferences that the user expressed",
    )
    return replace(finding, flags=(*finding.flags, flag))


def _goes_by_uptake(reading: Reading, judged: Sequence[Judged]) -> bool:
    """Whether items stand in the text alone, no wishes are given with the log, and it is known how the user went on."""
    if not reading.reads_text_lists or (reading.log.user and reading.log.user.attributes):
        return False
    return reading.log.complete or any(reading.after(i) for i in range(len(judged)))


def _asked_in_vain(reading: Reading) -> bool:
    """Whether the user asked for items in a session that is over; told where none was recommended."""
    return reading.log.complete and any(each.wants & _WISHES for each in reading.exchanges)


def _by_uptake(reading: Reading, judged: Sequence[Judged], listed: list[Listed], factor: Factor) -> Finding:
    """By how the user takes the replies up, and by what there was to choose from."""
    uptake = read_uptake(reading, judged)
    choice = read_choice(judged)
    score = factor.scale.max * ((1 - OF_CHOICE) * uptake.share + OF_CHOICE * choice)
    taken = uptake.taken
    rationale = "No wanted item is known, so this goes by how the user took the replies up: "
    rationale += (
        f"{cite(taken)} {'thanks or accepts' if len(taken) == 1 else 'thank or accept'}."
        if taken
        else "no message thanks or accepts."
    )
    known = [each.item for each in listed if each.item and _told_of(each.item)]
    flag = Flag(
        "judged_on_preferences",
        "no ground truth was given: judged by what the user asked for, accepted and turned down",
    )
    shown = evidence([exhibit(read, 0, len(read.text), "takes it up") for read in taken], score)
    return Finding(
        score=score,
        rationale=f"{rationale} {_choice(reading, listed, known)}",
        confidence=sure(len(reading.exchanges), 2, BY_PREFERENCES),
        evidence=shown or ((_place(reading, listed[0].reference, score),) if listed else ()),
        flags=(*_flags(reading, listed, len(known)), flag) if listed else (NO_ITEM, flag),
    )


def _choice(reading: Reading, listed: list[Listed], known: list[Item]) -> str:
    """What there was to choose from, in words."""
    if not listed:
        return "The user asked for something, and no reply recommends an item."
    told = (
        f"There {'was' if len(listed) == 1 else 'were'} {count(len(listed), 'item', 'items')} to choose from"
    )
    wanted = _wanted(reading)
    if not (wanted and known):
        return f"{told}."
    fits = sum(_fit(wanted, item) > 0 for item in known)
    fitting = of(
        fits, len(known), ("item with known attributes", "items with known attributes"), ("fits", "fit")
    )
    return f"{told}; {fitting[0].lower()}{fitting[1:]} what the user asked for ({', '.join(wanted)})."


def _told_of(item: Item) -> frozenset[str]:
    """All that the data say of an item, folded."""
    return frozenset(value.casefold() for values in item.attributes.values() for value in values)


def _fit(wanted: Wanted, item: Item) -> float:
    """How well an item meets the wishes: the share of them that its attributes meet, a neighbouring kind
    counting as somewhat similar."""
    kinds, told = kinds_of(item), _told_of(item)
    met = sum(bool(meant & kinds) or wish in told for wish, meant in wanted.items())
    if met:
        return met / len(wanted)
    return 0.2 if akin(frozenset().union(*wanted.values()), kinds) else 0.0


def _wanted(reading: Reading) -> Wanted:
    """What the user wants, each wish with the kinds that it can mean: given with the log, else asked for
    in messages; a kind turned down later is dropped."""
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
        round(somewhat * len(values)),
        len(values),
        ("recommended item with known attributes", "recommended items with known attributes"),
        ("is", "are"),
    )
    closely = round(very * len(values))
    if len(values) == 1:
        of_them = ", and closely so" if closely else ""
    else:
        of_them = f", {closely or 'none'} of them very"
    rationale = f"{near} at least somewhat similar to {to}{of_them}; the nearest is “{best.reference}” ({closeness:.2f})."
    return Finding(
        score=level,
        rationale=rationale,
        confidence=round(
            confidence * (FROM_TEXT if reading.reads_text_lists else 1.0) * len(values) / len(listed), 2
        ),
        evidence=(_place(reading, best.reference, float(level)),),
        flags=_flags(reading, listed, len(values)),
    )


def rate_novelty(reading: Reading, factor: Factor) -> Finding | Gap:
    """How many, and which share, of the recommended items are little known."""
    listed = _listed(reading)
    if not listed:
        return _no_items(reading)
    known = [
        (each, each.item.popularity) for each in listed if each.item and each.item.popularity is not None
    ]
    if not known or (len(listed) - len(known)) > MOST_UNKNOWN * len(listed):
        return Gap("missing_popularity", f"{len(listed) - len(known)} of {len(listed)} recommended items are without a popularity",
                   ("items.popularity",), _flags(reading, listed, len(known)))  # fmt: skip
    little = [each for each, popularity in known if popularity < LITTLE_KNOWN]
    level = max(
        factor.ladders["share"].level(len(little) / len(known)), factor.ladders["count"].level(len(little))
    )
    rationale = of(
        len(little),
        len(known),
        ("item with a known popularity", "items with a known popularity"),
        ("is little known", "are little known"),
    )
    rationale += f" (“{little[0].reference}”)." if little else "."
    return Finding(
        score=level,
        rationale=rationale,
        confidence=round((FROM_TEXT if reading.reads_text_lists else COMPUTED) * len(known) / len(listed), 2),
        evidence=tuple(_place(reading, each.reference, round(level / len(little), 3)) for each in little[:5]),
        flags=_flags(reading, listed, len(known)),
    )


def rate_diversity(reading: Reading, factor: Factor) -> Finding | Gap:
    """How many distinct characteristics the recommended items have, in the two widest dimensions."""
    listed = _listed(reading)
    if not listed:
        return _no_items(reading)
    known = [
        found for each in listed if each.item and (found := characteristics(each.item, reading.log.domain))
    ]
    if not known or (len(listed) - len(known)) > MOST_UNKNOWN * len(listed):
        return Gap("missing_metadata", f"{len(listed) - len(known)} of {len(listed)} recommended items are without attributes",
                   ("items",), _flags(reading, listed, len(known)))  # fmt: skip
    widths = {name: len(frozenset().union(*(found.get(name, frozenset()) for found in known)))
              for name in sorted({name for found in known for name in found})}  # fmt: skip
    ranked = sorted(widths.values(), reverse=True)
    level = factor.ladders["widest"].level(ranked[0])
    if len(ranked) > 1:
        level = max(level, factor.ladders["second-widest"].level(ranked[1]))
    told = ", ".join(
        f"{width} by {name}" for name, width in sorted(widths.items(), key=lambda pair: -pair[1])
    )
    return Finding(
        score=level,
        rationale=f"Distinct characteristics over {count(len(known), 'item', 'items')}: {told}.",
        confidence=round((FROM_TEXT if reading.reads_text_lists else COMPUTED) * len(known) / len(listed), 2),
        flags=_flags(reading, listed, len(known)),
    )
