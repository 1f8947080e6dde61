"""Verdicts that a caller brings, checked: they go into prompts and means as they are."""

from collections.abc import Iterator, Sequence

from rapidfuzz.process import extractOne

from ...domain.verdict import Verdict
from ...errors import FieldError, InvalidRequest
from ..services import Services
from ..validation_errors import MOST
from ..wire.verdict import MemberVerdict
from ..wire.verdict import Verdict as WireVerdict


def checked_verdicts(sent: Sequence[WireVerdict] | None, here: Services, at: str) -> tuple[Verdict, ...]:
    """Verdicts that a caller brings, in the list at the pointer `at`. Raises InvalidRequest unless each is of a
    factor of this service, on its scale, with all scores inside it: they go into prompts and means as they are."""
    faults = [fault for index, one in enumerate(sent or ()) for fault in _faults(one, here, f"{at}/{index}")]
    if faults:
        first = faults[0]
        raise InvalidRequest(f"{first.pointer}: {first.detail}", errors=faults[:MOST])
    return tuple(verdict.value() for verdict in sent or ())


def _faults(verdict: MemberVerdict, here: Services, at: str) -> Iterator[FieldError]:
    factor = here.factors.get(verdict.factor)
    if factor is None:
        near = extractOne(verdict.factor[:80], list(here.factors), score_cutoff=60)
        hint = f"did you mean {near[0]!r}? " if near else ""
        yield FieldError(f"{at}/factor", "no such factor", f"{hint}GET /factors lists the slugs")
        return
    low, high = factor.scale.min, factor.scale.max
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
            yield from _faults(member, here, f"{at}/panel/{index}")
