"""Agreement of judges with people, and calibrations of judges to people."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from ..calibration.report import calibrate
from ..calibration.sheets import Terms
from ..domain.rubric import Scale
from ..errors import InvalidRequest
from ..factors import FactorCatalogue
from ..statistics.agreement import AgreementReport, measure
from ..statistics.bootstrap import DRAWS
from ..statistics.ratings import Ratings
from .deployment import Deployment
from .wire.agreement import AgreementAnswer, AgreementRequest
from .wire.calibrate import COLUMNS, CalibrateAnswer, CalibrateRequest


async def agree(body: AgreementRequest, deployment: Deployment) -> AgreementAnswer:
    """Measure agreement in a thread."""
    return agreement_answer(await asyncio.to_thread(agreement_report, body, deployment.factors))


def agreement_report(
    body: AgreementRequest, factors: FactorCatalogue, check: Callable[[], None] = lambda: None
) -> AgreementReport:
    """Measure agreement. `check` is called between steps, and raises to end the work."""
    levels = {slug: factor.scale.max - factor.scale.min + 1 for slug, factor in factors.items()}
    levels |= {factor: max(0, scale.max - scale.min + 1) for factor, scale in (body.scales or {}).items()}
    return measure(
        body.ratings,
        statistics=None if body.statistics is None else [str(name) for name in body.statistics],
        levels=levels,
        draws=DRAWS if body.bootstrap is None else body.bootstrap,
        check=check,
    )


def agreement_answer(report: AgreementReport) -> AgreementAnswer:
    """The answer of `/agreement`."""
    return AgreementAnswer.of(report, warnings=report.remarks)


async def calibrate_judges(body: CalibrateRequest, deployment: Deployment) -> CalibrateAnswer:
    """Calibrate judges in a thread. Raises InvalidRequest for a scale without two levels."""
    terms = terms_of(body, deployment.factors)
    return CalibrateAnswer.of(await asyncio.to_thread(lambda: calibrate(ratings_of(body), terms)))


def ratings_of(asked: CalibrateRequest) -> Ratings:
    """Return the ratings that a request sends one by one or as columns."""
    if asked.columns is not None:
        return Ratings.of({name: getattr(asked.columns, name) for name in COLUMNS})
    return Ratings.of(
        dict(zip(COLUMNS, zip(*asked.ratings or (), strict=True), strict=True)), by_column=False
    )


def terms_of(body: CalibrateRequest, factors: FactorCatalogue) -> Terms:
    """Return what the request asks for. Raises InvalidRequest for a scale without two levels."""
    given = body.scales or {}
    for name, scale in given.items():
        if scale.max <= scale.min:
            raise InvalidRequest.at(
                f"/scales/{name}",
                f"reaches from {scale.min} to {scale.max}",
                "send a scale whose max exceeds its min",
            )
    terms: dict[str, Any] = {"reference": body.reference, "target": body.target, "level": body.level}
    return Terms(
        same=body.same or {},
        scales=given,
        known=_known_scales(factors),
        half_width=body.half_width,
        **{name: value for name, value in terms.items() if value is not None},
    )


def _known_scales(factors: FactorCatalogue) -> Mapping[str, Scale]:
    """Return the scales of this service's factors, and of the summaries of protocols whose factors share one."""
    known = {slug: factor.scale for slug, factor in factors.items()}
    for protocol in factors.protocols:
        scales = {factor.scale for factor in factors.of(protocol)}
        if len(scales) == 1:
            known[protocol.value] = scales.pop()
    return known
