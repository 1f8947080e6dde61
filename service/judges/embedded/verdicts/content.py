"""Response content: semantic relevance, explainability, groundness."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from ....catalogue.catalogue import YEAR_DIMENSIONS
from ....catalogue.titles import same_title
from ....domain.conversation import Item
from ....domain.rubric import Factor
from ....domain.verdict import Flag
from ....text.words import content_words, sentences, split_year, words
from ..observations.acts.acts import ReplyAct, UserAct, reply_acts
from ..observations.content.claims import Claim, ClaimKind, find_claims
from ..observations.content.topics import akin, comparable, kinds_named, kinds_of
from ..observations.reading import Exchange, Named, Read, Reading
from ..rules.findings import (
    NO_ITEM,
    Exhibit,
    Finding,
    Gap,
    by_share,
    cite,
    count,
    evidence,
    exhibit,
    inside,
    of,
    pair,
    say,
    sure,
    table,
    tell,
)
from ..rules.grounding import hold_to_sources, passed_over
from ..rules.replies import FULL, Judged, surely_served
from ..rules.reply_faults import BROKEN, contradicts_itself

RELEVANCE_AT_MOST = 0.85
EXPLAINING_AT_MOST = 0.65
#: Rules check few of the facts that a text may get wrong.
GROUNDNESS_AT_MOST = 0.4
#: The learned acts that explain a recommendation, and how likely one must be to pass for a reason hardly at all, and wholly.
EXPLAINING, HARDLY, LIKELY = ("EXP-I", "EXP-P", "EXP-S"), 0.2, 0.4
#: Words of content that a message must state for that; more of them where it praises; and those beyond praise.
ENOUGH, PRAISE_ENOUGH, TELLING = 2, 4, 2
#: Highest confidence in a reason that the text states.
SURE = 0.75
#: Of how many replies, whatever their number, rules may misread whether they give a reason.
MISREAD = 0.4


def rate_semantic_relevance(reading: Reading, factor: Factor) -> Finding | Gap:
    """Of the items that the recommender recommends in its text, the share that is in the session list."""
    if reading.reads_text_lists:
        return Gap("list_from_text", say('content.list-from-text'),
                   ("recommendations",))  # fmt: skip
    shown = reading.session_list
    if not shown:
        return Gap("missing_recommendations", say("content.no-list"), ("recommendations",))
    named = {
        each.key: (read, each)
        for exchange, offered in reading.offers
        for each in offered
        for read in exchange.reply
        if each in read.named and each.start < len(read.message.content)
    }
    if not named:
        return Finding(
            score=factor.scale.min,
            rationale=say("content.no-item-in-text", count=count(len(shown), *pair("nouns.items"))),
            confidence=sure(len(reading.replies), 2, RELEVANCE_AT_MOST),
            flags=(NO_ITEM,),
        )
    listed = _Titles(shown)
    outside = [
        exhibit(read, each.start, each.end, say("content.outside"))
        for read, each in named.values()
        if not listed.hold(each)
    ]
    share = 1 - len(outside) / len(named)
    level = factor.ladders["share"].level(share)
    rationale = of(
        len(named) - len(outside), len(named), pair("content.items-in-text"), pair("content.in-lists")
    )
    rationale += f"; {tell(outside)}." if outside else "."
    return Finding(
        score=level,
        rationale=rationale,
        confidence=sure(len(named), 1, RELEVANCE_AT_MOST),
        evidence=evidence(outside, level - factor.scale.max),
    )


class _Titles:
    """A list of titles to look a named item up in, a missing year matching any."""

    def __init__(self, titles: Sequence[str]) -> None:
        self._by_name: dict[str, list[str]] = {}
        for title in titles:
            self._by_name.setdefault(split_year(title.casefold().strip())[0], []).append(title)
        self._all = titles

    def hold(self, named: Named) -> bool:
        """Return whether the named item is one of the titles, by its own title or as it is written."""
        spellings = {named.surface, named.key, *((named.item.title,) if named.item else ())}
        near = [
            title
            for spelling in spellings
            for title in self._by_name.get(split_year(spelling.casefold().strip())[0], ())
        ]
        if any(same_title(title, spelling, year_optional=True) for title in near for spelling in spellings):
            return True
        return named.item is not None and named.item.id is not None and named.item.id in self._all


def rate_explainability(reading: Reading, judged: Sequence[Judged], factor: Factor) -> Finding | Gap:
    """The share of recommending replies with a reason gives the level: in the same turn, or in a later one,
    before anything else is recommended, where the user asks for it. A reason in so many words is the surer, the better its
    reply serves the user; a mere statement, or one that the learned acts alone see, may be none; and rules misread. So there is a least
    share and a most, the nearer to each other the more replies recommend. The score is the mean of the points that
    the rules leave all replies, held between the two."""
    recommending = [index for index, (exchange, offered) in enumerate(reading.offers)
                    if offered or _shows_only(exchange)]  # fmt: skip
    if not recommending:
        return Gap("no_recommendation_made", say("content.nothing-to-explain"))
    found = _reasons(reading, judged, recommending)
    replies = len(recommending) + MISREAD
    least = _by_share(factor, sum(reason.least for reason in found.values()) / replies, 0.0)
    most = _by_share(factor, (sum(reason.most for reason in found.values()) + MISREAD) / replies, 1.0)
    score = min(most, max(least, fmean([min(each.points, factor.scale.max) for each in judged])))
    explained = [found[index].read for index in recommending if index in found and found[index].worded]
    may = [exhibit(reason.read, 0, len(reason.read.text), say('content.may-give-reason'))
           for _, reason in sorted(found.items()) if not reason.worded]  # fmt: skip
    bare = [_bare(reading, index) for index in recommending if index not in found]
    nouns = pair("content.recommending-replies")
    rationale = of(len(explained), len(recommending), nouns, pair("content.come-reason"))
    rationale += f" ({cite(explained)}{_how(explained)})" if explained else ""
    rationale += "".join(f"; {tell(exhibits)}" for exhibits in (may, bare) if exhibits) + "."
    if round(score) != factor.ladders["share"].level(len(explained) / len(recommending)):
        rationale += say("content.may-misread")
    weak = [_weakly(judged[index]) for index, reason in found.items()
            if reason.worded and judged[index].score < FULL]  # fmt: skip
    return Finding(
        score=score,
        rationale=rationale,
        confidence=sure(len(recommending), 1, EXPLAINING_AT_MOST),
        evidence=evidence([*bare, *weak], score - factor.scale.max),
    )


def _by_share(factor: Factor, share: float, end: float) -> float:
    """The score of a share; at an end of the scale by the given place, 0 or 1, in that level."""
    level = factor.ladders["share"].level(share)
    if level in (factor.scale.min, factor.scale.max):
        return min(factor.scale.max, max(factor.scale.min, inside(level, end)))
    return by_share(factor, share)


@dataclass(frozen=True, slots=True)
class _Reason:
    """The message that gives a reason, and whether in words that the rules know. It stands for so much of a reason, 0 to 1, at
    least and at most."""

    read: Read
    worded: bool
    least: float
    most: float


def _reasons(reading: Reading, judged: Sequence[Judged], recommending: Sequence[int]) -> dict[int, _Reason]:
    """The reasons for what these turns recommend, by turn; a turn without one is left out."""
    worded = {index: read for index in recommending if (read := _explaining(reading, index))}
    stating = {index: [read for read in reading.offers[index][0].reply if _states(read)]
               for index in recommending if index not in worded}  # fmt: skip
    found = {
        index: _Reason(
            read, worded=True, least=SURE * _in_words(read) * surely_served(judged[index].score), most=1.0
        )
        for index, read in worded.items()
    }
    for index, reads in stating.items():
        likely = {read.index: max(reading.learned[read.index][act] for act in EXPLAINING) for read in reads}
        best = max(reads, key=lambda read: likely[read.index], default=None)
        if best and likely[best.index] > HARDLY and reading.offers[index][0].broken <= BROKEN:
            most = min(1.0, (likely[best.index] - HARDLY) / (LIKELY - HARDLY))
            found[index] = _Reason(best, worded=False, least=0.0, most=most)
    return found


def _states(read: Read) -> bool:
    """Return whether a message states enough for a reason: something beside titles and questions, more of
    it where it praises, and some of it in sentences that do more than praise."""
    lines = [span.of(read.untitled) for span in sentences(read.untitled)]
    stated = [line for line in lines if not line.rstrip("\"' ").endswith("?")]
    enough = PRAISE_ENOUGH if ReplyAct.PRAISE in read.acts and ReplyAct.INFORM not in read.acts else ENOUGH
    beyond = [line for line in stated if not _only_praises(line)]
    telling = {word for word in _content(beyond) if not word.isdecimal()}  # the year of a title tells nothing
    return len(_content(stated)) >= enough and len(telling) >= TELLING


def _content(lines: Sequence[str]) -> frozenset[str]:
    """The words of topic in these lines."""
    return frozenset(content_words(words(" ".join(lines))))


def _only_praises(sentence: str) -> bool:
    acts = reply_acts(sentence)
    return ReplyAct.PRAISE in acts and ReplyAct.INFORM not in acts


def _shows_only(exchange: Exchange) -> bool:
    """Return whether a turn recommends by a list alone, which gives no reason."""
    return any(read.is_silent for read in exchange.reply) and not any(
        read.message.content.strip() for read in exchange.reply
    )


def _bare(reading: Reading, index: int) -> Exhibit:
    exchange, offered = reading.offers[index]
    if not offered:
        return exhibit(exchange.reply[0], 0, 0, say("content.bare-list"))
    read = next(read for read in exchange.reply if offered[0] in read.named)
    return exhibit(read, 0, len(read.text), say("content.recommends-without-reason"))


def _weakly(each: Judged) -> Exhibit:
    matter = say("content.weak-reason")
    return replace(each.exhibit, matter=matter, weight=1 - each.score / FULL)


def _explaining(reading: Reading, index: int) -> Read | None:
    """The message that gives the reason for what turn `index` recommends."""
    for later, (exchange, offered) in enumerate(reading.offers[index:]):
        if later and (offered or not exchange.wants & {UserAct.WHY, UserAct.INQUIRE}):
            return None
        found = next((read for read in exchange.reply if read.reason), None)
        if found and exchange.broken <= BROKEN:
            return found
    return None


def _in_words(read: Read) -> bool:
    return read.reason is not None and read.reason.kind != "statement"


def _how(explained: Sequence[Read]) -> str:
    span = explained[0].reason
    if span is None:
        return ""
    which = "which" if len(explained) == 1 else say("content.which-of-message", index=explained[0].index)
    return f", {which} {table('reasons')[span.kind]}"


def rate_groundness(reading: Reading, factor: Factor) -> Finding | Gap:
    """The number of statements that the items' data, or the recommender itself, contradict."""
    wrong: list[Exhibit] = []
    checked = 0
    for read in reading.replies:
        if contradicts_itself(read):
            wrong.append(exhibit(read, 0, len(read.text), say("content.contradicts-itself")))
        titles = [named.span for named in read.named]
        claimed = []
        for claim in find_claims(read.text, titles):
            item = read.named[claim.subject].item
            verdict = _holds(claim, item) if item else None
            if verdict is not None:
                checked += 1
                claimed.append(claim.span)
                if not verdict:
                    wrong.append(exhibit(read, claim.span.start, claim.span.end, _contradiction(claim, item)))
        if reading.case.has_sources:
            sources = hold_to_sources(reading, read, claimed)
            checked += sources.checked
            wrong += sources.wrong
    named = sum(named.item is not None for read in reading.replies for named in read.named)
    little = say("content.checks-little")
    flags = [Flag("rules_check_little", little), *(passed_over(reading) if reading.case.has_sources else ())]
    if not checked and not named and not wrong:
        if reading.case.catalogue is None:
            return Gap("nothing_to_check", say("content.no-data"), ("items", "catalog"))
        flags.append(Flag("no_occasion", say("content.no-occasion")))
    level = factor.ladders["count"].level(len(wrong))
    rationale = say(
        "content.contradicted",
        statements=count(len(wrong), *pair("content.statements-contradicted")).capitalize(),
    )
    rationale += f": {tell(wrong)}." if wrong else "."
    rationale += say(
        "content.checked",
        count=count(checked, *pair("nouns.statements")),
        count2=count(named, *pair("nouns.titles")),
    )
    return Finding(
        score=level,
        rationale=rationale,
        confidence=sure(checked + len(wrong) + named / 2, 3, GROUNDNESS_AT_MOST),
        evidence=evidence(wrong, level - factor.scale.max),
        flags=tuple(flags),
    )


def _holds(claim: Claim, item: Item) -> bool | None:
    """Return whether an item's data bear a claim out; None where they do not say."""
    if claim.kind is ClaimKind.KIND:
        return _is_of_kind(claim, item)
    if claim.kind is ClaimKind.YEAR:
        years = {str(year) for year in (split_year(item.title)[1],) if year} | _values(item, *YEAR_DIMENSIONS)
        return bool(claim.values & years) if years else None
    names = (
        _values(item, "director", "directors")
        if claim.kind is ClaimKind.DIRECTOR
        else _values(item, "author", "authors", "writer", "writers")
    )
    if not names:
        return None
    (stated,) = claim.values
    family = stated.split()[-1]
    return any(family in name.split() for name in names)


def _is_of_kind(claim: Claim, item: Item) -> bool | None:
    """Return whether an item is of a stated kind, by all that the data say of it. Only a kind of the same
    sort contradicts: a Greek restaurant may well be romantic, a comedy is no horror film."""
    told = [value for values in item.attributes.values() for value in values]
    kinds = kinds_of(item)
    if akin(claim.values, kinds) or claim.values & kinds_named(told):
        return True
    return False if comparable(claim.values, kinds) else None


def _values(item: Item, *dimensions: str) -> set[str]:
    return {
        v.casefold()
        for name, values in item.attributes.items()
        if name.casefold() in dimensions
        for v in values
    }


def _contradiction(claim: Claim, item: Item | None) -> str:
    if item is None:
        return say("content.not-borne-out")
    data = {
        ClaimKind.KIND: ("genre", "genres", "cuisine", "type", "category", "kind", "style", "theme"),
        ClaimKind.YEAR: YEAR_DIMENSIONS,
        ClaimKind.DIRECTOR: ("director", "directors"),
        ClaimKind.AUTHOR: ("author", "authors", "writer", "writers"),
    }[claim.kind]
    known = ", ".join(sorted(_values(item, *data))) or item.title
    return say("content.contradicted-by-data", title=item.title, known=known)
