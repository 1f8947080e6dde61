"""Ratings and terms of `/calibrate`."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...calibration.ratings.sheets import Terms
from ...calibration.ratings.table import NAMES, NUMBERS, Table
from ...domain.rubric import Scale
from ...errors import InvalidRequest
from ...factors import FactorCatalogue
from ..wire.calibrate import CalibrateRequest, CalibrationColumns, CalibrationRating

_COLUMNS = (*NAMES, *NUMBERS, "score", "probability", "kind")


def add_columns(table: Table, columns: CalibrationColumns) -> None:
    """Add the ratings of a request that sends columns."""
    table.add({name: getattr(columns, name) for name in _COLUMNS})


def add_ratings(table: Table, ratings: Sequence[CalibrationRating]) -> None:
    """Add the ratings of a request that sends them one by one."""
    given = set().union(*(rating.model_fields_set for rating in ratings))
    table.add({name: [getattr(rating, name) for rating in ratings] for name in _COLUMNS if name in given})


def terms_of(body: CalibrateRequest, factors: FactorCatalogue) -> Terms:
    """Return what the request asks for. Raises InvalidRequest for a scale without two levels."""
    given = {name: scale.to(Scale) for name, scale in (body.scales or {}).items()}
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
        known=known_scales(factors),
        half_width=body.half_width,
        **{name: value for name, value in terms.items() if value is not None},
    )


def known_scales(factors: FactorCatalogue) -> Mapping[str, Scale]:
    """Return the scales of this service's factors, and of the summaries of protocols whose factors share one."""
    known = {slug: factor.scale for slug, factor in factors.items()}
    for protocol in factors.protocols:
        scales = {factor.scale for factor in factors.of(protocol)}
        if len(scales) == 1:
            known[protocol.value] = scales.pop()
    return known
