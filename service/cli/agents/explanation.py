"""A verdict in sentences: what was asked, what was found, what is missing."""

from collections.abc import Iterator

from ...api.wire.verdict import Evidence, Verdict
from ..inputs import Json


def explain(verdict: Verdict, factor: Json) -> str:
    """Return the sentences of a verdict, a line each. `factor` is what `GET /factors/{slug}` tells."""
    return "\n".join(_lines(verdict, factor))


def _lines(verdict: Verdict, factor: Json) -> Iterator[str]:
    yield f"{factor['name']}: {factor['definition']}"
    if verdict.score is not None:
        scale = verdict.scale
        yield f"The score is {verdict.score:.4g} on a scale from {scale.min:g} to {scale.max:g}."
        yield from (
            f"Level {level['level']} means: {level['standard']}"
            for level in factor["levels"]
            if level["level"] == verdict.level
        )
    if verdict.rationale is not None:
        yield f"The judge says: {verdict.rationale}"
    if verdict.evidence:
        yield "It rests on:"
        yield from (f"- {_place(one)}" for one in verdict.evidence)
    if verdict.reason is not None:
        yield f"There is no score ({verdict.reason.code}): {verdict.reason.detail}"
        if verdict.reason.missing:
            yield f"It could be judged with: {', '.join(verdict.reason.missing)}."
    yield from (f"Note ({flag.code}): {flag.detail}" for flag in verdict.flags)
    if verdict.confidence is not None:
        yield f"The judge's confidence is {verdict.confidence:.2g} of 1."
    model = f" ({verdict.judge.model})" if verdict.judge.model else ""
    yield f"Judge: {verdict.judge.name}{model}, revision {verdict.evaluator_revision}."


def _place(one: Evidence) -> str:
    where = "the whole log" if one.message is None else f"message {one.message}"
    said = f", “{one.quote}”" if one.quote else ""
    moved = f" ({one.effect:+.3g} points)" if one.effect else ""
    return f"{where}{said}{moved}"
