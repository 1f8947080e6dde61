"""The calibration that a request names, checked against what the request asks for."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from ...domain.calibration import Calibration, CalibrationMap
from ...domain.conversation import ConversationLog
from ...domain.plurals import listed
from ...domain.rubric import Factor
from ...domain.verdict import JudgeName
from ...errors import FieldError, InvalidRequest
from ..validation_errors import read_folder
from ..wire import calibration as wire
from ..wire.model import FEW

OVERALL = "overall"
"""The factor of a map that is made for a debate's score."""

AT = "/calibration"


class _File(BaseModel):
    """A file of maps: an answer of `/calibrate`, of which the maps alone are read."""

    model_config = ConfigDict(extra="ignore", strict=True, allow_inf_nan=False)

    maps: Annotated[list[wire.CalibrationMap], Field(max_length=FEW * FEW)]


def load_calibrations(folder: Path) -> Mapping[str, Sequence[CalibrationMap]]:
    """Every `*.json` of a folder under its file's stem. A file that is wrong is a ConfigurationError that names file and place."""
    files = read_folder(folder, "calibrations", _File)
    return {name: tuple(one.value() for one in file.maps) for name, file in files.items()}


def plan_calibration(
    choice: wire.CalibrationMaps,
    calibrations: Mapping[str, Sequence[CalibrationMap]],
    factors: Mapping[str, Factor],
    log: ConversationLog,
    judges: Mapping[str, JudgeName],
    *,
    debate: bool,
) -> Calibration:
    """Return the maps that concern the request, which is about `log`, factors with the `judges` that answer them, and perhaps
    a debate. Raises InvalidRequest for an unknown name, and for maps of nothing
    that is asked for. Raises it also for maps that were made for another judge, scale, system or domain."""
    maps = _maps(choice, calibrations)
    protocols = {factors[slug].protocol.value for slug in judges}
    wanted = {*judges, *protocols, *([OVERALL] if debate else [])}
    concerned = tuple(one for one in maps if one.factor in wanted)
    if not concerned:
        made = ", ".join(dict.fromkeys(one.factor for one in maps)) or "nothing"
        raise InvalidRequest.at(
            AT,
            f"made for {made}, and none of that is asked for",
            "name a calibration of the factors that you ask for",
        )
    elsewhere = bool(choice.elsewhere)
    # The model that answers is known from verdicts alone.
    kept = tuple(
        one for one in concerned if one.factor not in judges or judges[one.factor].name == one.judge.name
    )
    faults = [*_other_judges(concerned, kept, judges), *_other_scales(kept, factors)]
    fix = "label some of these conversations, or send `elsewhere: true`"
    faults += [
        FieldError(AT, f"the map of {one.factor} was {place}", fix)
        for one in (() if elsewhere else kept)
        for place in places(one, log)
    ]
    if faults:
        raise InvalidRequest.of(faults)
    return Calibration(kept, elsewhere)


def places(one: CalibrationMap, log: ConversationLog) -> Iterator[str]:
    """Say what of the log is other than in the conversations that the map was made from."""
    if one.systems and log.system is not None and log.system not in one.systems:
        yield f"made from conversations of {listed(one.systems)}, not of {log.system}"
    if one.domains and log.domain not in one.domains:
        yield f"made from the domain {listed(one.domains)}, not {log.domain}"


def _maps(
    choice: wire.CalibrationMaps, calibrations: Mapping[str, Sequence[CalibrationMap]]
) -> Sequence[CalibrationMap]:
    if choice.maps is not None:
        return [one.value() for one in choice.maps]
    if choice.name is None or choice.name not in calibrations:
        known = ", ".join(sorted(calibrations)) or "none is configured"
        fix = f"name one of these: {known}, or send `maps`; operators set CRS_EVAL_CALIBRATIONS"
        raise InvalidRequest.at(f"{AT}/name", "unknown calibration", fix)
    return calibrations[choice.name]


def _other_judges(
    concerned: Sequence[CalibrationMap], kept: Sequence[CalibrationMap], judges: Mapping[str, JudgeName]
) -> Iterator[FieldError]:
    served = {one.factor for one in kept}
    for one in concerned:
        if one.factor not in served:
            detail = f"the map of {one.factor} was made for the judge {one.judge}, and {judges[one.factor]} is asked"
            yield FieldError(
                AT, detail, f"ask {one.judge}, or make a map for the other judge with /calibrate"
            )


def _other_scales(kept: Sequence[CalibrationMap], factors: Mapping[str, Factor]) -> Iterator[FieldError]:
    for one in kept:
        factor = factors.get(one.factor)
        if factor is not None and one.judge_scale != factor.scale:
            detail = (
                f"the map of {one.factor} reads scores from {one.judge_scale.min} to {one.judge_scale.max}, and the factor's "
                f"scale is {factor.scale.min} to {factor.scale.max}"
            )
            yield FieldError(AT, detail, "make the map with /calibrate from this factor's scores")
