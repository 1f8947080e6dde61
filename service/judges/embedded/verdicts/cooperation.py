"""CONCEPT's cooperation, the judged maxims: manner, response quality, relevance; and PEPPER's coherence.

All four mark the same replies for different faults: how a reply is put, how much it tells, and whether it takes up what was said.
Also whether it hangs together with what came before. Which of the faults of `replies.py` counts for which is said here, so that
one factor does not bleed into another."""

from collections.abc import Sequence

from ....domain.rubric import Factor
from ....text.words import sentences, word_spans
from ..observations.acts.acts import list_entries
from ..observations.reading import Read, Reading
from ..rules.findings import Finding, Gap, Mark, Wording, by_marks, exhibit, mark, pair, say, table, worst
from ..rules.replies import LOSSES, Judged
from ..rules.reply_faults import BROKEN

#: Highest confidence of these rules. Relevance and coherence were set against people's labels.
MANNER_AT_MOST = 0.5
QUALITY_AT_MOST = 0.5
RELEVANCE_AT_MOST = 0.65
COHERENCE_AT_MOST = 0.65
#: A sentence of more words is a tangle, unless it is a list; a reply of more words, or with more
#: new suggestions, buries what the user needs.
TANGLED = 45
BURIED = 150
MANY = 7

#: Faults of wording that take a reply's whole worth, or half of it.
UNCLEAR = frozenset({"dangling", "contradicts-itself"})
WORDY = frozenset({"repeats", "echoes", "nearly-repeats", "no-item-named"})
#: Faults of amount: a reply that gives nothing to work with, or too little.
EMPTY_HANDED = frozenset({"echoes", "repeats", "nothing-offered", "no-item-named", "talks-past", "farewell",
                          "question-ignored", "question-thin", "no-reason", "not-repaired"})  # fmt: skip
THIN = frozenset({"little-new", "nearly-repeats", "only-chats", "asks-known", "question-unknown", "other-item",
                  "asked-again"})  # fmt: skip
#: Faults that are not relevance's to judge: of wording, of quantity, of the fit of items.
NO_MATTER_OF_RELEVANCE = frozenset({"nearly-repeats", "little-new", "contradicts-itself", "unknown-items",
                                    "partly-wrong"})  # fmt: skip
#: Faults that coherence leaves to PEPPER's other factors: of initiative and of fit.
NO_BREAK = frozenset(
    {"unknown-items", "partly-wrong", "wrong-kind", "wrong-time", "only-chats", "too-soon", "no-item-named"}
)


def rate_manner(_reading: Reading, judged: Sequence[Judged], factor: Factor) -> Finding | Gap:
    """The share of replies that can be followed at the first reading. A broken reply, one that speaks of
    a person whom nobody named and one that contradicts itself are lost; a broken stretch, a tangle of a sentence,
    something said over again and an item left unnamed cost half. Replies without words are left out."""
    spoken = [each for each in judged if each.exchange.said]
    if not spoken:
        return Gap("no_text", say("expression.no-words"))
    marks = [worst(_wording(each), _sentences(each)) for each in spoken]
    return by_marks(factor, marks, Wording(pair("cooperation.clear-brief")), MANNER_AT_MOST)


def _wording(each: Judged) -> Mark:
    lost = UNCLEAR & set(each.kinds)
    if lost or WORDY & set(each.kinds):
        kind = next(kind for kind in each.kinds if kind in (lost or WORDY))
        return mark(each, 0.0 if lost else 0.5, LOSSES[kind][1])
    return mark(each, 1.0)


def _sentences(each: Judged) -> Mark:
    """Broken stretches and tangled sentences."""
    broken = each.exchange.broken
    for read in each.exchange.reply if broken else ():
        for fault in read.faults[:1]:
            place = exhibit(
                read, fault.start, fault.end, say("expression.shows", what=table("faults")[fault.kind])
            )
            return mark(each, 0.0 if broken > BROKEN else 0.5, place=place)
    for read in each.exchange.reply:
        tangle = _tangle(read)
        if tangle is not None:
            return mark(each, 0.5, place=exhibit(read, *tangle, say("cooperation.tangled")))
    return mark(each, 1.0)


def _tangle(read: Read) -> tuple[int, int] | None:
    if len(read.words) <= TANGLED or list_entries(read.text):
        return None
    for sentence in sentences(read.untitled):
        if len(word_spans(sentence.of(read.untitled))) > TANGLED:
            return sentence.start, sentence.end
    return None


def rate_response_quality(_reading: Reading, judged: Sequence[Judged], factor: Factor) -> Finding | Gap:
    """The share of replies that give what the user needs then. One that is broken or empty, that ignores
    a question or an objection, or suggests nothing where suggestions were wanted is lost; one that knows no answer,
    says little new, suggests without a word of what the item is, or buries it costs half."""
    marks = [worst(_amount(each), _filling(each)) for each in judged]
    return by_marks(factor, marks, Wording(pair("cooperation.informs")), QUALITY_AT_MOST)


def _amount(each: Judged) -> Mark:
    kinds = set(each.kinds)
    if "empty" in kinds and any(read.message.recommendations for read in each.exchange.reply):
        return mark(each, 0.5, say("cooperation.bare-list"))
    lost = ("empty", "broken", *sorted(EMPTY_HANDED))
    for some, worth in ((lost, 0.0), (sorted(THIN), 0.5)):
        kind = next((kind for kind in some if kind in kinds), None)
        if kind:
            return mark(each, worth, LOSSES[kind][1])
    return mark(each, 1.0)


def _filling(each: Judged) -> Mark:
    """Suggestions without a word of what they are (their kind, their content, why they fit); too many of them; too many words."""
    if len(each.fresh) > MANY:
        return mark(each, 0.5, say("cooperation.too-many-items", number=len(each.fresh)))
    if len(each.exchange.said) > BURIED:
        return mark(each, 0.5, say("cooperation.too-long", number=len(each.exchange.said)))
    if each.fresh and not any(read.reason for read in each.exchange.reply):
        return mark(each, 0.5, say("cooperation.kind-unsaid"))
    return mark(each, 1.0)


def rate_relevance(_reading: Reading, judged: Sequence[Judged], factor: Factor) -> Finding | Gap:
    """The mean over the replies of the points that each keeps: it loses some for each thing that shows it to pass
    over what the user said or to lead nowhere (`replies.py`); wording, amount and fit of items left out."""
    marks = [_kept(each, NO_MATTER_OF_RELEVANCE) for each in judged]
    return by_marks(factor, marks, Wording(pair("cooperation.serves-search")), RELEVANCE_AT_MOST)


def rate_pepper_coherence(_reading: Reading, judged: Sequence[Judged], factor: Factor) -> Finding | Gap:
    """The mean over the replies of the points that each keeps: it loses some for each break with what came before
    (`replies.py`), initiative and fit of items left out."""
    marks = [_kept(each, NO_BREAK) for each in judged]
    return by_marks(factor, marks, Wording(pair("cooperation.follow")), COHERENCE_AT_MOST)


def _kept(each: Judged, left_out: frozenset[str]) -> Mark:
    told = " and ".join(LOSSES[kind][1] for kind in each.costly(left_out)[:2])
    return mark(each, each.kept(left_out), told)
