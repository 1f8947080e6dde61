"""Grammatical correctness where the operator put a checker beside the rules."""

import structlog

from ....domain.rubric import Factor
from ....domain.verdict import Flag
from ...proofreader import Proofreader, ProofreadingFailed
from ..observations.reading import Reading
from ..rules.findings import Finding, Gap
from ..wording import say
from .expression import rate_grammar

FACTOR = "grammatical-correctness"
#: Characters that a checker reads of one reply, and of a log.
REPLY_LIMIT = 4_000
LOG_LIMIT = 20_000
log = structlog.get_logger("crs_eval.grammar")


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
