"""Verdicts that a caller brings, checked: they go into prompts and means as they are."""

from collections.abc import Iterator, Mapping, Sequence

from ...domain.nearest import nearest
from ...domain.rubric import Scale
from ...domain.verdict import Verdict
from ...errors import FieldError, InvalidRequest
from ..deployment import Deployment
from ..wire.verdict import MemberVerdict
from ..wire.verdict import Verdict as WireVerdict


def checked_verdicts(
    sent: Sequence[WireVerdict] | None,
    deployment: Deployment,
    at: str,
    more: Mapping[str, Scale] | None = None,
) -> tuple[Verdict, ...]:
    """Verdicts that a caller brings, in the list at the pointer `at`. Raises InvalidRequest unless each is of a
    factor of this service, or one of `more`, on its scale, with all scores inside it: they go into prompts and means as
    they are."""
    scales = {slug: factor.scale for slug, factor in deployment.factors.items()} | dict(more or {})
    faults = [
        fault for index, one in enumerate(sent or ()) for fault in _faults(one, scales, f"{at}/{index}")
    ]
    if faults:
        raise InvalidRequest.of(faults)
    return tuple(verdict.value() for verdict in sent or ())


def _faults(verdict: MemberVerdict, scales: Mapping[str, Scale], at: str) -> Iterator[FieldError]:
    scale = scales.get(verdict.factor)
    if scale is None:
        near = nearest(verdict.factor, scales)
        hint = f"did you mean {near!r}? " if near else ""
        yield FieldError(f"{at}/factor", "no such factor", f"{hint}GET /factors lists the slugs")
        return
    low, high = scale.min, scale.max
    if (verdict.scale.min, verdict.scale.max) != (low, high):
        yield FieldError(
            f"{at}/scale", "not the factor's scale", f"send a verdict on the scale {low} to {high}"
        )
    scores = {
        f"{at}/score": verdict.score,
        **{f"{at}/samples/scores/{index}": score for index, score in enumerate(verdict.samples.scores)},
        **{f"{at}/turns/{index}/score": turn.score for index, turn in enumerate(verdict.turns or ())},
    }
    for pointer, score in scores.items():
        if score is not None and not low <= score <= high:
            yield FieldError(pointer, "off the factor's scale", f"send a score from {low} to {high}")
    for index, member in enumerate((verdict.panel if isinstance(verdict, WireVerdict) else None) or ()):
        if member.factor != verdict.factor:
            fix = f"send what the panel said of {verdict.factor}"
            yield FieldError(f"{at}/panel/{index}/factor", "not the factor of the panel", fix)
        else:
            yield from _faults(member, scales, f"{at}/panel/{index}")
