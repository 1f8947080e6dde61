"""CoRE's factors of recommended items, computed from lists, titles, attributes and targets."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...catalogue.kinds import akin, kinds_named, kinds_of
from ...catalogue.titles import same_title
from ...domain.conversation import Item, Role
from ...domain.rubric import Factor
from ...domain.verdict import UNSUPPORTED_LANGUAGE, Evidence, Flag
from .features import ConversationFeatures
from .findings import Finding, Gap, count, phrase, sure
from .similarity import LITTLE_KNOWN, MOST_UNKNOWN, characteristics, shares, similarity

COMPUTED, FROM_TEXT, BY_PREFERENCES = 0.95, 0.6, 0.5
"""Confidence in what is computed from lists, from items in texts, and from preferences in place of targets."""
NAMED = 3
"""Items that a rationale names."""
NEAR = 0.2
"""Degree to which an item of a neighbouring kind meets a wish, 0-1."""


@dataclass(frozen=True, slots=True)
class Listed:
    """An item of the session list, with what is known of it."""

    reference: str
    item: Item | None


def listed_items(features: ConversationFeatures) -> list[Listed]:
    """Return the items of the session list."""
    return [Listed(reference, features.judge_input.item(reference)) for reference in features.session_list]


def rate_novelty(features: ConversationFeatures, factor: Factor) -> Finding | Gap:
    """Rate how many, and which share, of the recommended items are little known."""
    listed = listed_items(features)
    known = [(one, one.item.popularity) for one in listed if one.item and one.item.popularity is not None]
    if gap := _gap(features, listed, known, "missing_popularity", "items.popularity"):
        return gap
    little = [one for one, popularity in known if popularity < LITTLE_KNOWN]
    share, number = factor.ladders["share"], factor.ladders["count"]
    level = max(share.level(len(little) / len(known)), number.level(len(little)))
    named = ", ".join(f"“{one.reference}”" for one in little[:NAMED])
    rationale = phrase(
        "lists.little-known", little=len(little), known=len(known), named=f": {named}" if named else ""
    )
    places = tuple(_place(features, one.reference, round(level / len(little), 3)) for one in little[:5])
    return _found(features, level, rationale, listed=listed, known=len(known), places=places)


def rate_diversity(features: ConversationFeatures, factor: Factor) -> Finding | Gap:
    """Rate how many distinct characteristics the recommended items have, in the two widest dimensions."""
    listed = listed_items(features)
    if len(listed) == 1:
        return Gap("no_occasion", phrase("lists.one-item"))
    domain = features.log.domain
    known = [found for one in listed if one.item and (found := characteristics(one.item, domain))]
    if gap := _gap(features, listed, known, "missing_metadata", "items"):
        return gap
    names = sorted({name for found in known for name in found})
    widths = {name: len(frozenset().union(*(found.get(name, ()) for found in known))) for name in names}
    widest = sorted(widths.items(), key=lambda width: -width[1])
    levels = zip(("widest", "second-widest"), widest, strict=False)
    level = max(factor.ladders[ladder].level(width) for ladder, (_, width) in levels)
    dimensions = ", ".join(phrase("lists.by", width=width, name=name) for name, width in widest)
    rationale = phrase("lists.distinct", items=count(len(known), "item"), dimensions=dimensions)
    return _found(features, level, rationale, listed=listed, known=len(known))


def rate_semantic_relevance(features: ConversationFeatures, factor: Factor) -> Finding | Gap:
    """Rate which share of the items that the recommender names in its text is in the session list."""
    if features.reads_text_lists:
        return Gap("list_from_text", phrase("lists.no-list"), ("recommendations",))
    if not features.session_list:
        return Gap("missing_recommendations", phrase("lists.none"), ("recommendations",))
    shown = [features.judge_input.item(one) for one in features.session_list]
    titles = [item.title if item else one for item, one in zip(shown, features.session_list, strict=True)]
    named: dict[str, bool] = {}  # whether a title is in the list; the user's own titles count if it is
    raised: set[str] = set()
    for at, message in enumerate(features.log.messages):
        if message.role is Role.USER:
            raised.update(features.named(at))
        for title in features.named(at) if message.is_reply else ():
            inside = any(same_title(title, one, year_optional=True) for one in titles)
            if inside or title not in raised:
                named[title] = inside
    if not named:
        flag = Flag("no_item_in_text", phrase("lists.no-item-in-text"))
        return Finding(factor.scale.min, phrase("lists.no-item-in-text"), 0.5, flags=(flag,))
    outside = [title for title, inside in named.items() if not inside]
    level = factor.ladders["share"].level(1 - len(outside) / len(named))
    rest = ", ".join(f"“{one}”" for one in outside[:NAMED])
    rationale = phrase(
        "lists.in-list",
        inside=len(named) - len(outside),
        named=len(named),
        rest=f"; not in the lists: {rest}" if rest else "",
    )
    lost = (level - factor.scale.max) / max(1, len(outside))
    places = tuple(_place(features, one, round(lost, 3)) for one in outside[:5])
    return Finding(level, rationale, round(0.7 * sure(len(named), 1), 2), places)


def rate_effectiveness(features: ConversationFeatures, factor: Factor) -> Finding | Gap:
    """Rate whether the list holds a wanted item, else how similar it is to one, or to the preferences that the log gives."""
    listed = listed_items(features)
    if not listed:
        return _no_items(features)
    for one in listed if features.log.ground_truth else ():
        if (wanted := features.judge_input.wanted(one.reference)) is not None:
            rationale = phrase("lists.wanted", wanted=wanted, items=count(len(listed), "item"))
            place = _place(features, one.reference, float(factor.scale.max))
            found = _found(
                features, factor.scale.max, rationale, listed=listed, known=len(listed), places=(place,)
            )
            return replace(found, confidence=FROM_TEXT if features.reads_text_lists else 1.0)
    if features.log.ground_truth:
        targets = [
            item.values
            for target in features.log.ground_truth
            if (item := features.judge_input.item(target)) and item.values
        ]
        close = [(one, max((similarity(one.item.values, want) for want in targets), default=0.0))
                 for one in listed if one.item and one.item.values]  # fmt: skip
        return _graded(
            features, listed, close if targets else [], factor, to="lists.wanted-item", confidence=COMPUTED
        )
    wishes = features.log.user.attributes if features.log.user else ()
    if not wishes:
        return Gap("no_preferences", phrase("lists.no-preferences"), ("ground_truth",))
    meant = {wish.casefold(): kinds_named([wish]) for wish in wishes}
    close = [(one, _fit(meant, one.item)) for one in listed if one.item and one.item.attributes]
    graded = _graded(features, listed, close, factor, to="lists.preferences", confidence=BY_PREFERENCES)
    flag = Flag("judged_on_preferences", phrase("lists.judged-on-preferences"))
    return replace(graded, flags=(*graded.flags, flag)) if isinstance(graded, Finding) else graded


def _fit(wanted: dict[str, frozenset[str]], item: Item) -> float:
    """Return the share of the wishes that an item's attributes meet; a neighbouring kind meets them a little."""
    kinds = kinds_of(item)
    values = {value.casefold() for values in item.attributes.values() for value in values}
    met = sum(bool(meant & kinds) or wish in values for wish, meant in wanted.items())
    if met:
        return met / len(wanted)
    return NEAR if akin(frozenset().union(*wanted.values()), kinds) else 0.0


def _graded(
    features: ConversationFeatures,
    listed: list[Listed],
    close: list[tuple[Listed, float]],
    factor: Factor,
    *,
    to: str,
    confidence: float,
) -> Finding | Gap:
    if gap := _gap(features, listed, close, "missing_metadata", "items"):
        return gap
    very, somewhat = shares([value for _, value in close])
    level = max(
        factor.ladders["very-similar"].level(very), factor.ladders["somewhat-similar"].level(somewhat)
    )
    best, closeness = max(close, key=lambda one: one[1])
    rationale = phrase(
        "lists.similar", near=round(somewhat * len(close)), known=len(close), very=round(very * len(close)),
        to=phrase(to), best=best.reference, closeness=closeness,
    )  # fmt: skip
    found = _found(
        features,
        level,
        rationale,
        listed=listed,
        known=len(close),
        places=(_place(features, best.reference, float(level)),),
    )
    sureness = confidence * (FROM_TEXT if features.reads_text_lists else 1.0) * len(close) / len(listed)
    return replace(found, confidence=round(sureness, 2))


def _found(
    features: ConversationFeatures,
    level: int,
    rationale: str,
    *,
    listed: list[Listed],
    known: int,
    places: tuple[Evidence, ...] = (),
) -> Finding:
    sureness = round((FROM_TEXT if features.reads_text_lists else COMPUTED) * known / len(listed), 2)
    return Finding(level, rationale, sureness, places, flags=_flags(features, listed, known))


def _flags(features: ConversationFeatures, listed: list[Listed], known: int) -> tuple[Flag, ...]:
    flags = [Flag("list_from_text", phrase("lists.list-from-text"))] if features.reads_text_lists else []
    if known < len(listed):
        detail = phrase("lists.left-out", unknown=len(listed) - known, total=len(listed))
        flags.append(Flag("items_without_metadata", detail))
    return tuple(flags)


def _gap(
    features: ConversationFeatures, listed: list[Listed], known: Sequence[object], code: str, missing: str
) -> Gap | None:
    if not listed:
        return _no_items(features)
    unknown = len(listed) - len(known)
    if known and unknown <= MOST_UNKNOWN * len(listed):
        return None
    detail = phrase(f"lists.{code}", unknown=unknown, total=len(listed))
    return Gap(code, detail, (missing,), _flags(features, listed, len(known)))


def _no_items(features: ConversationFeatures) -> Gap:
    if features.reads_text_lists and features.foreign:
        return Gap(UNSUPPORTED_LANGUAGE, phrase("judge.english-only"))
    code = (
        "no_recommendation_made"
        if features.reads_text_lists and not features.log.has_lists
        else "missing_recommendations"
    )
    return Gap(code, phrase("lists.none"), ("recommendations",))


def _place(features: ConversationFeatures, reference: str, effect: float) -> Evidence:
    """Return where an item was shown first: in a list, or by its name in a text."""
    for at in features.log.replies:
        message = features.log.messages[at]
        if reference in (message.recommendations or ()):
            return Evidence(at, None, effect, message.id)
        if reference in features.named(at):
            return Evidence(at, reference if reference in message.content else None, effect, message.id)
    return Evidence(None, None, effect)
