"""Agreement of judges with people."""

import asyncio
from collections.abc import Callable

from ..factors import FactorCatalogue
from ..statistics.agreement import AgreementReport, measure
from ..statistics.bootstrap import DRAWS
from .deployment import Deployment
from .wire.agreement import AgreementAnswer, AgreementRequest


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
