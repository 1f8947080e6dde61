"""Dialogue acts: coherence, recoverability, proactiveness."""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from math import fsum
from statistics import fmean

from ....domain.rubric import Factor
from ....domain.verdict import Flag, TurnScore
from ....text.words import Span, straight
from ..observations.acts.acts import Fit, ReplyAct, UserAct
from ..observations.reading import Read, Reading
from ..rules.answering import stated_words
from ..rules.findings import (
    REACH,
    Exhibit,
    Finding,
    Gap,
    by_share,
    cite,
    count,
    evidence,
    exhibit,
    of,
    pair,
    say,
    sure,
    tell,
)
from ..rules.intent import DESCRIBED
from ..rules.replies import IDLE, SURELY_MISSED, SURELY_SERVED, Judged, Lead, carries_on

#: Highest confidence of these rules, given any number of replies.
COHERENCE_AT_MOST = 0.7
RECOVERY_AT_MOST = 0.65
INITIATIVE_AT_MOST = 0.75
#: Value of a suggestion where the recommender never asks about wishes.
UNASKED = 1 / 3
#: Share of a leading reply's value that depends on how far it carried the user on, and the points that earn that share in full.
BY_CARRYING, CARRIES = 0.5, 2.5
#: Weight of an occasion where a pleased user wants more or objects in the same message, or praises without saying goodbye.
MIXED = 1 / 3
#: Replies that do not fit which a rationale shows, and the points from which on it says that they moved the score.
SHOWN, TOLD = 2, 0.005
#: Sentence of a rationale where the user's next messages were read, too.
WITH_NEXT = say("dialogue.next-counted")
#: A reply that begins by owning up to a mistake: "You're right, I'm sorry."
_OWNS_UP = re.compile(
    r"\A\W*(?:\w+\W+){0,4}?(?:i(?:'m| am) (?:\w+ )?sorry (?:about|for)\b|sorry (?:about|for)\b|i apologi[sz]e|apologies|my (?:mistake|bad)"
    r"|you(?:'re| are) (?:\w+ )?right\W{1,2}(?:i'm |i am |i |so |my )?(?:so )?(?:sorry|apologi|mistake|bad))",
    re.IGNORECASE,
)
_LEAVES = frozenset({UserAct.CLOSE, UserAct.THANK})
_DONE = frozenset({UserAct.THANK, UserAct.ACCEPT})
_WANTS_MORE = frozenset({UserAct.REQUEST, UserAct.INQUIRE, UserAct.WHY, UserAct.COMPLAIN})
_ASK = pair("dialogue.ask")
_SUGGEST = pair("dialogue.suggest")
_QUESTION = pair("dialogue.question")


def rate_coherence(reading: Reading, judged: Sequence[Judged], factor: Factor) -> Finding | Gap:
    """The number of replies that miss what the user wanted gives the level; where all miss, it is the lowest, however few
    they are. Which replies miss is doubtful where their points are neither low nor high: of these the weakest count,
    as many as bring the level near the mean of all points. The score is that mean, held between the levels of the least and
    the most misses. Every assistant message gets the points of the reply that it is part of as its turn's score. A reply that
    does not belong to its conversation loses points before all that; the rationale says how many the score lost by it."""
    top = factor.scale.max
    unguarded = _misses(judged, factor)[1]
    judged, strays = guarded(reading, judged)
    missed, score = _misses(judged, factor)
    weaker = [each for each in judged if not any(each is one for one in missed) and each.score < top]
    shaky = [each for each in weaker if each.kinds or each.score < SURELY_SERVED]
    exhibits = [each.exhibit for each in missed]
    if missed:
        rationale = say(
            "dialogue.missed",
            share=of(len(missed), len(judged), pair("nouns.replies"), pair("dialogue.miss")),
            missed=tell(exhibits),
        )
    else:
        rationale = say(
            "dialogue.served",
            replies=count(len(judged), *pair("dialogue.replies-serve")).capitalize(),
            messages=_cite_replies(judged),
        )
    if shaky:
        rationale += say("dialogue.weaker", tell=tell([each.exhibit for each in shaky[:2]]))
    rationale += _told_of(strays, unguarded - score)
    rationale += WITH_NEXT if any(each.signals.get("goes-on") == 1.0 for each in judged) else ""
    turns = tuple(
        TurnScore(read.index, round(min(each.score, top), 3))
        for each in judged
        for read in each.exchange.reply
    )
    costly = sorted([*missed, *shaky] or weaker, key=lambda each: each.exchange.reply[0].index)
    return Finding(
        score=score,
        rationale=rationale,
        confidence=sure(len(judged), 2, COHERENCE_AT_MOST),
        evidence=evidence([*(each.exhibit for each in costly), *_requests(strays, costly)], score - top),
        turns=turns,
        counts={"replies": len(judged), "misses": len(missed), **share_belonging(reading)},
    )


# A reply that clearly does not belong to its conversation, as the encoder reads the two. The bounds were chosen on our
# own contrasts: a reply from elsewhere loses points, and no good reply loses many (docs/embedded-judge.md).
ELSEWHERE = "elsewhere"
#: Key in `counts` of coherence's verdicts: the mean probability that a reply belongs to the conversation.
BELONGING = "belonging"
#: Under the first probability a reply loses points, from the second on all of `COST`.
DOUBTFUL, CLEAR = 0.16, 0.01
COST = 2.5
#: Words of topic from which on a reply says enough to be out of place: "Have fun!" fits anywhere.
ENOUGH = 4


@dataclass(frozen=True, slots=True)
class Stray:
    """A reply that does not fit, and the message of the user that it follows, both as they are shown."""

    reply: Exhibit
    request: Exhibit


def guarded(reading: Reading, judged: Sequence[Judged]) -> tuple[list[Judged], list[Stray]]:
    """The replies with what belonging takes off their scores, and those that lost by it."""
    found, strays = [], []
    for each in judged:
        fit = reading.fits.get(each.exchange.reply[0].index)
        cost = min(each.score, points_lost(fit)) if fit and _says_enough(each) else 0.0
        if fit and cost > 0:
            strays.append(_stray(reading, fit, cost))
            found.append(replace(each, score=each.score - cost, kinds=(*each.kinds, ELSEWHERE)))
        else:
            found.append(each)
    return found, strays


def share_belonging(reading: Reading) -> dict[str, float]:
    """The mean probability, 0 to 1, that a reply belongs, under the name that verdicts count it by; empty where the encoder
    read no reply."""
    chances = [fit.probability for fit in reading.fits.values()]
    return {BELONGING: fmean(chances)} if chances else {}


def points_lost(fit: Fit) -> float:
    """Points that a reply loses, 0 to `COST`."""
    return COST * min(1.0, max(0.0, (DOUBTFUL - fit.probability) / (DOUBTFUL - CLEAR)))


def _says_enough(each: Judged) -> bool:
    return len(frozenset(word for read in each.exchange.reply for word in read.topic)) >= ENOUGH


def _stray(reading: Reading, fit: Fit, cost: float) -> Stray:
    reply, request = (reading.messages[index] for index in (fit.reply, fit.request))
    return Stray(
        exhibit(reply, 0, len(reply.text), say("belonging.does-not-fit", index=request.index), cost),
        exhibit(request, 0, len(request.text), say("belonging.followed"), 0.0),
    )


def _told_of(strays: Sequence[Stray], points: float) -> str:
    """Return what belonging took off the score, with the texts that do not fit."""
    if not strays:
        return ""
    told = [f"{tell([stray.reply])} ({stray.request.quoted})" for stray in strays[:SHOWN]]
    rest = say("dialogue.and-more", rest=len(strays) - SHOWN) if len(strays) > SHOWN else ""
    lost = say("dialogue.takes-off", points=points) if points >= TOLD else say("dialogue.costs-nothing")
    return say("dialogue.encoder", lost=lost, join="; ".join(told), rest=rest)


def _requests(strays: Sequence[Stray], costly: Sequence[Judged]) -> list[Exhibit]:
    """The user's messages that the replies in evidence do not fit."""
    shown = {each.exchange.reply[0].index for each in costly}
    return [stray.request for stray in strays if stray.reply.read.index in shown]


def _misses(judged: Sequence[Judged], factor: Factor) -> tuple[list[Judged], float]:
    """The replies that count as misses, in order, and the score."""
    common = fmean([min(each.score, factor.scale.max) for each in judged])
    ranked = sorted(judged, key=lambda each: each.score)
    least = sum(each.score < SURELY_MISSED for each in ranked)
    most = sum(each.score < SURELY_SERVED for each in ranked)

    def level(misses: int) -> int:
        return factor.scale.min if misses == len(ranked) else factor.ladders["count"].level(misses)

    number = min(range(least, most + 1), key=lambda some: (abs(level(some) - common), some))
    chosen = ranked[:number]
    score = max(level(most) - REACH, min(level(least) + REACH, common))
    return [each for each in judged if any(each is one for one in chosen)], score


def rate_recoverability(reading: Reading, judged: Sequence[Judged], factor: Factor) -> Finding | Gap:
    """The number of the user's objections that the next reply did not mend."""
    objections = _objections(reading, judged)
    if not objections:
        return Finding(
            score=factor.scale.max,
            rationale=say("dialogue.no-mistake"),
            confidence=sure(len(judged), 4, RECOVERY_AT_MOST),
            flags=(Flag("no_occasion", say("dialogue.no-mistake-flag")),),
        )
    open_ones = [
        (read, answer) for read, answer in objections if answer is None or not _mends(answer, judged)
    ]
    level = factor.ladders["count"].level(len(open_ones))
    exhibits = [_objection(read, answer) for read, answer in open_ones]
    total = count(len(objections), *pair("dialogue.objections"))
    if open_ones:
        rationale = say(
            "dialogue.uncorrected",
            total=total,
            count=count(len(open_ones), *pair("nouns.is")),
            tell=tell(exhibits),
        )
    else:
        taken = "it" if len(objections) == 1 else say("dialogue.each")
        rationale = say(
            "dialogue.corrected", total=total, cite=cite((read for read, _ in objections)), taken=taken
        )
    return Finding(
        score=level,
        rationale=rationale,
        confidence=sure(len(objections), 1, RECOVERY_AT_MOST),
        evidence=evidence(exhibits, level - factor.scale.max),
    )


def _objections(reading: Reading, judged: Sequence[Judged]) -> list[tuple[Read, Judged | None]]:
    """The user's messages that point out a mistake of an earlier reply, each with the reply after it. Their words say so, or that
    reply begins by owning up to one. There is no reply where the log ends there and is complete."""
    found: list[tuple[Read, Judged | None]] = []
    spoken = bool(reading.history)
    for each in judged:
        objecting = [read for read in each.exchange.user if UserAct.COMPLAIN in read.does]
        if (
            not objecting
            and not each.exchange.wants & _LEAVES
            and _OWNS_UP.search(straight(each.exchange.reply[0].text))
        ):
            objecting = [*each.exchange.user]
        if spoken and objecting:
            found.append((objecting[0], each))
        spoken = True
    last = [read for read in reading.closing if UserAct.COMPLAIN in read.does]
    if last and spoken and reading.log.complete:
        found.append((last[0], None))
    return found


def _mends(answer: Judged, judged: Sequence[Judged]) -> bool:
    """Return whether a reply takes an objection up: it serves what the user wanted, or asks or owns up in
    sound words, and the user does not object again; who is pleased as well, or agrees, objects to
    something new."""
    position = judged.index(answer)
    following = judged[position + 1].exchange.wants if position + 1 < len(judged) else frozenset()
    agreed = UserAct.CONFIRM in following and UserAct.REJECT not in following
    again = "objected" in answer.kinds and not (agreed or _pleased(following))
    owns = bool(answer.exchange.acts & {ReplyAct.APOLOGISE, ReplyAct.ELICIT})
    return not again and _says_more(answer) and (answer.answers or (owns and not answer.missed))


def _says_more(answer: Judged) -> bool:
    """Return whether a reply does more than apologise: it offers, asks about the wish, or tells something."""
    exchange = answer.exchange
    told = stated_words(exchange, ()) - frozenset(exchange.heard)
    return answer.offers or ReplyAct.ELICIT in exchange.acts or len(told) >= DESCRIBED


def _objection(read: Read, answer: Judged | None) -> Exhibit:
    span = read.does.get(UserAct.COMPLAIN) or Span(0, len(read.text), "whole")
    matter = say("dialogue.no-reply-follows")
    if answer is not None:
        matter = say("dialogue.not-put-right", index=answer.exchange.reply[0].index)
    return exhibit(read, max(0, span.start - 30), span.end + 30, matter)


def rate_proactiveness(_reading: Reading, judged: Sequence[Judged], factor: Factor) -> Finding | Gap:
    """The share of replies that move the user on: ask about wishes, offer a next step, suggest something
    new. Suggestions of a recommender that never asks what the user wants lead in part only and count
    `UNASKED` each. A reply to a user who takes leave is no occasion and left out; one to a user who is pleased,
    and wants more or objects at once or says no word of leave, counts `MIXED`. `turns` say how far each reply carried
    the user on, as a learned model reads it and what the user did next; `BY_CARRYING` of what a reply counts hangs on that, within the highest level where every reply leads."""
    occasions = [each for each in judged if not takes_leave(each)]
    if not occasions:
        return Gap("no_occasion", say("dialogue.no-occasion"))
    asking = [each for each in occasions if each.lead is Lead.ASKS]
    suggesting = [each for each in occasions if each.lead is Lead.SUGGESTS]
    questioning = [each for each in occasions if each.lead is Lead.QUESTIONS]
    elicits = any(ReplyAct.ELICIT in each.exchange.acts for each in asking)
    points = carries_on([each.signals for each in judged])
    led = fsum(_leads(each, carried, elicits=elicits) for each, carried in zip(judged, points, strict=True)
               if not takes_leave(each))  # fmt: skip
    score = by_share(factor, led / fsum(_weight(each) for each in occasions))
    if len(asking) + elicits * (len(suggesting) + len(questioning)) == len(occasions):
        score = max(score, factor.scale.max - REACH)
    weak = [_idle(each, 1.0) for each in occasions if each.lead is Lead.NOT]
    if not elicits:
        in_part = {Lead.SUGGESTS: say("dialogue.never-asks"), Lead.QUESTIONS: say("dialogue.asks-else")}
        weak += [Exhibit(each.exchange.reply[0], each.exhibit.quote, in_part[each.lead], 1 - UNASKED)
                 for each in occasions if each.lead in in_part]  # fmt: skip
    rationale = of(len(asking), len(occasions), pair("nouns.replies"), _ASK) + _where(asking)
    if suggesting or not asking:
        rationale += f", {len(suggesting) or 'none'} {_SUGGEST[len(suggesting) > 1]}" + _where(suggesting)
    if questioning:
        rationale += f", {len(questioning)} {_QUESTION[len(questioning) > 1]}" + _where(questioning)
    if (suggesting or questioning) and not elicits:
        rationale += say("dialogue.counts-a-third")
    return Finding(
        score=score,
        rationale=rationale
        + (f"; {tell([each for each in weak if each.weight == 1.0] or weak)}." if weak else "."),
        confidence=sure(len(occasions), 2, INITIATIVE_AT_MOST),
        evidence=evidence(weak, score - factor.scale.max),
        turns=tuple(
            TurnScore(read.index, round(carried, 3))
            for each, carried in zip(judged, points, strict=True)
            for read in each.exchange.reply
        ),
    )


def _leads(each: Judged, carried: float, *, elicits: bool) -> float:
    """Return what a reply that carried the user on by so many points counts as leading."""
    if each.lead is Lead.NOT:
        return 0.0
    credit = 1.0 if elicits or each.lead is Lead.ASKS else UNASKED
    return _weight(each) * credit * (1 - BY_CARRYING * (1 - min(1.0, carried / CARRIES)))


def _weight(each: Judged) -> float:
    """Return how much of an occasion to lead a reply is."""
    wants = each.exchange.wants
    return MIXED if _pleased(wants) or wants >= _DONE else 1.0


def _where(judged: Sequence[Judged]) -> str:
    return f" ({_cite_replies(judged)})" if judged else ""


def takes_leave(each: Judged) -> bool:
    """Return whether the user of the turn is done, so that the reply has nobody to lead on."""
    wants = each.exchange.wants
    return bool(wants & _LEAVES) and _pleased(wants) and not wants & _WANTS_MORE


def _pleased(wants: AbstractSet[UserAct]) -> bool:
    """Return whether a message closes, thanks or accepts, whatever else it does."""
    # "No thanks, that is all" turns down further help, not what was suggested.
    return UserAct.CLOSE in wants or bool(
        wants & {UserAct.THANK, UserAct.ACCEPT} and UserAct.REJECT not in wants
    )


def _idle(each: Judged, weight: float) -> Exhibit:
    matter = say("dialogue.idle")
    if "broken" in each.kinds or "empty" in each.kinds:
        matter = say("dialogue.unusable")
    elif IDLE & set(each.kinds):
        matter = say("dialogue.only-repeats")
    return Exhibit(each.exchange.reply[0], each.exhibit.quote, matter, weight)


def _cite_replies(judged: Sequence[Judged]) -> str:
    return cite(each.exchange.reply[0] for each in judged)
