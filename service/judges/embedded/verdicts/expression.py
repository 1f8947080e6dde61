"""Language expression: grammatical correctness, naturalness, appropriateness."""

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import structlog

from ....domain.rubric import Factor
from ....domain.verdict import Flag
from ....text.words import Span, outside, sentences
from ...proofreader import Proofreader, ProofreadingFailed
from ..observations.acts.acts import ReplyAct
from ..observations.reading import Read, Reading
from ..observations.wording import manners
from ..rules.findings import Exhibit, Finding, Gap, count, evidence, exhibit, pair, say, sure, table, tell

GRAMMAR_AT_MOST = 0.6
NATURALNESS_AT_MOST = 0.6
COURTESY_AT_MOST = 0.8
#: Replies of so many words may be said again without reading like a machine: "You are welcome."
SHORT = 3
#: Characters that a checker reads of one reply, and of a log.
REPLY_LIMIT = 4_000
LOG_LIMIT = 20_000
log = structlog.get_logger("crs_eval.grammar")
_QUOTES = '"“”'
_NOTHING: Mapping[int, Sequence[Span]] = MappingProxyType({})


def rate_grammar(
    reading: Reading,
    factor: Factor,
    more: Mapping[int, Sequence[Span]] = _NOTHING,
    *,
    flags: tuple[Flag, ...] = (),
) -> Finding | Gap:
    """The number of obvious errors, each kind of wrong stretch counted once however often the same
    reply is repeated word for word. `more` are errors that a checker found beside the rules, by the index of the
    message: what touches a name or an error that is known already does not count."""
    exhibits: list[Exhibit] = []
    known: set[tuple[str, str]] = set()
    for read in reading.replies:
        found = outside(more.get(read.index, ()), (*read.names, *read.errors))
        for error in sorted((*read.errors, *found)):
            wrong = (error.kind, error.of(read.text).casefold())
            if wrong not in known:
                known.add(wrong)
                exhibits.append(
                    exhibit(
                        read, error.start, error.end, say("expression.has", what=table("grammar")[error.kind])
                    )
                )
    level = factor.ladders["count"].level(len(exhibits))
    if exhibits:
        errors = count(len(exhibits), *pair("expression.errors")).capitalize()
        rationale = say("expression.found", errors=errors, told=tell(exhibits))
    else:
        rationale = say("expression.no-error", count=count(len(reading.replies), *pair("nouns.messages")))
    return Finding(
        score=level,
        rationale=rationale,
        confidence=sure(_words(reading), 60, GRAMMAR_AT_MOST),
        evidence=evidence(exhibits, level - factor.scale.max),
        flags=flags,
    )


async def rate_checked_grammar(
    proofreader: Proofreader, reading: Reading, factor: Factor
) -> tuple[Finding | Gap, str | None]:
    """The errors that the rules or the checker find, and who the checker was. Where it gives no answer the rules
    judge alone, a flag says so, and no checker is named."""
    texts = _texts(reading)
    try:
        proofread = await proofreader.read(texts)
    except ProofreadingFailed as failed:
        log.warning("grammar_checker_failed", reason=str(failed))
        missing = Flag("grammar_checker_failed", say("checked-grammar.failed", failed=failed))
        return rate_grammar(reading, factor, flags=(missing,)), None
    told = say("checked-grammar.checked", checker=proofread.checker)
    if sum(map(len, texts)) < sum(len(read.text) for read in reading.replies):
        told += say("checked-grammar.read-in-part", characters=sum(map(len, texts)))
    return (
        rate_grammar(
            reading,
            factor,
            dict(zip((read.index for read in reading.replies), proofread.errors, strict=True)),
            flags=(Flag("grammar_checker", told),),
        ),
        proofread.checker,
    )


def _texts(reading: Reading) -> list[str]:
    """Return what the checker reads of every reply."""
    left = LOG_LIMIT
    texts = []
    for read in reading.replies:
        texts.append(read.text[: min(left, REPLY_LIMIT)])
        left -= len(texts[-1])
    return texts


def rate_naturalness(reading: Reading, factor: Factor) -> Finding | Gap:
    """The share of the recommender's words that stand in sound sentences, said for the first time.
    Length does not count, in either direction."""
    total = _words(reading)
    if not total:
        return Gap("no_text", say("expression.no-words"))
    lost = 0
    exhibits: list[Exhibit] = []
    said: Counter[tuple[str, ...]] = Counter()
    for read in reading.replies:
        said[read.words] += 1
        again = said[read.words] > 1 and len(read.words) > SHORT and ReplyAct.CLOSE not in read.acts
        unnatural = len(read.words) if again else round(read.broken * len(read.words))
        if unnatural:
            lost += unnatural
            exhibits.append(_unnatural(read, unnatural, again=again))
    level = factor.ladders["share"].level((total - lost) / total)
    rationale = say("expression.natural-share", percent=_percent(total - lost, total), total=total)
    rationale += f"; {tell(exhibits)}." if exhibits else say("expression.all-natural")
    return Finding(
        score=level,
        rationale=rationale,
        confidence=sure(total, 60, NATURALNESS_AT_MOST),
        evidence=evidence(exhibits, level - factor.scale.max),
    )


def _unnatural(read: Read, words: int, *, again: bool) -> Exhibit:
    if again:
        return exhibit(read, 0, len(read.text), say("expression.repeated"), words)
    fault = read.faults[0]
    return exhibit(
        read, fault.start, fault.end, say("expression.shows", what=table("faults")[fault.kind]), words
    )


def rate_appropriateness(reading: Reading, factor: Factor) -> Finding | Gap:
    """4 without a lapse of courtesy, one less for each, 1 at least; 0 for anything that offends. Orders to
    a judge are read too: they must not hide an offence."""
    offences: list[Exhibit] = []
    lapses: list[Exhibit] = []
    for read in reading.replies:
        for span in manners.find_discourtesy(read.unmasked, _protected(read)):
            one = exhibit(read, span.start, span.end, table("courtesy")[span.kind])
            (lapses if span.kind == "curt" else offences).append(one)
    level = 0 if offences else max(1, factor.scale.max - len(lapses)) if lapses else factor.scale.max
    found = offences or lapses
    if found:
        rationale = say("expression.offends" if offences else "expression.lapses", told=tell(found))
    else:
        rationale = say("expression.polite", count=count(len(reading.replies), *pair("nouns.messages")))
    return Finding(
        score=level,
        rationale=rationale,
        confidence=COURTESY_AT_MOST if offences else sure(_words(reading), 40, COURTESY_AT_MOST),
        evidence=evidence(found, level - factor.scale.max),
    )


def _protected(read: Read) -> list[Span]:
    """Titles, and whatever stands in quotation marks: named, not said. A list's entries are no
    shelter, save for the titles in them."""
    quoted = []
    for sentence in sentences(read.text) if any(sign in read.text for sign in _QUOTES) else ():
        start = None
        for position in range(sentence.start, sentence.end):
            sign = read.text[position]
            if sign in _QUOTES:
                if start is not None and sign != "“":
                    quoted.append(Span(start, position + 1, "quoted"))
                    start = None
                elif sign != "”":
                    start = position
    return [*(named.span for named in read.named), *quoted]


def _words(reading: Reading) -> int:
    return sum(len(read.words) for read in reading.replies)


def _percent(part: int, whole: int) -> str:
    share = 100 * part / whole
    if 99.5 <= share < 100:
        return "Over 99 %"
    if 0 < share < 0.5:
        return "Under 1 %"
    return f"{share:.0f} %"
