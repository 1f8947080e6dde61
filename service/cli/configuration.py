"""`crs-eval.toml`: how conversations are scored, and the gate's rules."""

import json
import math
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from ..domain.nearest import nearest
from .exits import CommandError
from .files import read_toml
from .scores import ANSWERED, BELONGING, MEAN

NAME = "crs-eval.toml"
SHARE_MARGIN = 0.03
"""Default for the share of sound replies, and of answered requests, that may be lost."""


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class ScoringDefaults(_Table):
    """`[score]`: what `crs-eval score` and `crs-eval gate` ask for unless an option says otherwise."""

    factors: tuple[str, ...] | None = None
    judge: str | None = None
    panel: tuple[str, ...] | None = None
    aggregate: Literal["mean", "median"] | None = None
    factor_judges: dict[str, str] | None = None
    factor_panels: dict[str, tuple[str, ...]] | None = None
    mixture: Literal["core"] | None = None
    samples: Annotated[int, Field(ge=1, le=20)] | None = None
    catalog: str | None = None
    cache: Literal["use", "refresh", "off", "only"] | None = None
    grouping: str | None = None
    variant: Literal["crs-eval", "published"] | None = None
    judging: Literal["rating", "itemised", "faults"] | None = None
    factor_judging: dict[str, Literal["rating", "itemised", "faults"]] | None = None
    expected: bool | None = None
    anchors: bool | None = None
    list_cutoff: Annotated[int, Field(ge=1)] | None = None
    list_source: str | None = None


_BARS = ("mean", "share", "at_or_above")
_LIMITS = ("maximum", "minimum", "of", "k")


class Rule(_Table):
    """`[[gate.rules]]`, of one of three kinds. `factor` (or `overall`, `mean`): a least mean, or a least share of conversations with a
    score at or above a level. `fault`: a largest share of the conversations, or of the replies, that show it. `metric`: bounds of
    a computed metric, cut at `k` where it is a list's."""

    factor: str | None = None
    mean: float | None = None
    share: Annotated[float, Field(ge=0, le=1)] | None = None
    at_or_above: float | None = None
    fault: str | None = None
    metric: str | None = None
    maximum: float | None = None
    minimum: float | None = None
    of: Literal["conversations", "replies"] | None = None
    k: Annotated[int, Field(ge=1)] | None = None
    minimum_n: Annotated[int, Field(ge=1)] | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        kinds = [name for name in ("factor", "fault", "metric") if getattr(self, name) is not None]
        if len(kinds) != 1:
            raise ValueError("a rule must have exactly one of `factor`, `fault` and `metric`")
        takes = {"factor": _BARS, "fault": ("maximum", "of"), "metric": ("maximum", "minimum", "k")}[kinds[0]]
        for name in (*_BARS, *_LIMITS):
            if getattr(self, name) is not None and name not in takes:
                raise ValueError(
                    f"`{name}` cannot be combined with `{kinds[0]}`, which takes {', '.join(f'`{one}`' for one in takes)}"
                )
        self._check_bounds(kinds[0])
        return self

    def _check_bounds(self, kind: str) -> None:
        if kind == "factor" and (self.mean is None) == (self.share is None):
            raise ValueError("a rule on a factor needs either `mean`, or `share` with `at_or_above`")
        if (self.share is None) != (self.at_or_above is None):
            raise ValueError("`share` and `at_or_above` require each other")
        if kind == "fault" and not (self.maximum is not None and 0 <= self.maximum <= 1):
            raise ValueError("a rule on a fault needs a `maximum` from 0 to 1, such as 0.01 for 1 %")
        if kind == "metric" and self.maximum is None and self.minimum is None:
            raise ValueError("a rule on a metric needs `maximum`, `minimum` or both")
        if self.maximum is not None and self.minimum is not None and self.minimum > self.maximum:
            raise ValueError(f"`minimum` {self.minimum:g} is over `maximum` {self.maximum:g}: exchange them")


class Regression(_Table):
    """`[gate.regression]`: which losses against a baseline fail."""

    factors: tuple[str, ...] | None = None
    """Those that both runs scored, `overall` and `mean` by default."""
    faults: tuple[str, ...] | None = None
    """Default: every fault that occurs in either run."""
    margin: Annotated[float, Field(ge=0)] = 0.2
    """Points of the scale that may be lost; half as many of `mean`, which is steadier."""
    margins: dict[str, Annotated[float, Field(ge=0)]] = {}
    largest_blind_drop: Annotated[float, Field(gt=0)] | None = None
    """Inconclusive where the run could have hidden a loss of this much."""
    vanished: Literal["fail", "inconclusive"] = "fail"
    """The verdict on a factor that most conversations had and most have no more."""

    def margin_of(self, factor: str) -> float:
        """Return what this factor, `mean`, `belonging` or `answered` may lose."""
        usual = {MEAN: self.margin / 2, BELONGING: SHARE_MARGIN, ANSWERED: SHARE_MARGIN}
        return self.margins.get(factor, usual.get(factor, self.margin))


class GateSettings(_Table):
    """`[gate]`: rules, and how much must be known for a verdict."""

    minimum_n: Annotated[int, Field(ge=2)] = 30
    minimum_coverage: Annotated[float, Field(ge=0, le=1)] = 0.8
    """Share of the conversations that must have a score."""
    maximum_failed: Annotated[float, Field(ge=0, le=1)] = 0.02
    """Share of a factor's verdicts that may have failed."""
    maximum_missing: Annotated[float, Field(ge=0, le=1)] = 0.05
    """Share of the baseline's conversations that the candidate may lack."""
    maximum_new: Annotated[int, Field(ge=0)] | None = None
    """Certain faults that a conversation may show and the baseline's did not, over the whole run. Default: unlimited."""
    alpha: Annotated[float, Field(ge=0.0001, lt=0.5)] = 0.02
    """The chance of a false alarm against a baseline, one-sided: over all factors, and again over all faults."""
    rules: tuple[Rule, ...] = ()
    regression: Regression = Regression()

    @property
    def draws(self) -> int:
        """Resamples: enough for p-values far below alpha."""
        return max(5000, math.ceil(100 / self.alpha))


class Configuration(_Table):
    """The whole file."""

    score: ScoringDefaults = ScoringDefaults()
    gate: GateSettings = GateSettings()


def load_configuration(path: Path | None) -> Configuration:
    """Load the named file, else `crs-eval.toml` if it is here, else defaults. Raises CommandError that names the wrong entry."""
    if path is None:
        path = Path(NAME)
        if not path.is_file():
            return Configuration()
    elif not path.is_file():
        raise CommandError(f"--config {path} does not exist.")
    try:
        # As JSON, an array is an array, not a tuple, and `true` is no number.
        return Configuration.model_validate_json(json.dumps(read_toml(path), default=str), strict=True)
    except ValidationError as error:
        text = "\n".join(f"{path}: {_fault_text(fault['loc'], fault['msg'])}" for fault in error.errors())
        raise CommandError(text) from None


def _fault_text(place: tuple[int | str, ...], message: str) -> str:
    name = ".".join(str(part) for part in place) or "the file"
    if message == "Extra inputs are not permitted":
        tables: dict[str, type[_Table]] = {
            "score": ScoringDefaults,
            "gate": GateSettings,
            "gate.rules": Rule,
            "gate.regression": Regression,
        }
        if homes := [table for table, model in tables.items() if place[-1] in model.model_fields]:
            return f"{name} is unknown here; move `{place[-1]}` to [{homes[0]}]"
        near = nearest(str(place[-1]), [field for model in tables.values() for field in model.model_fields])
        table = tables.get(".".join(part for part in place[:-1] if isinstance(part, str)), Configuration)
        hint = f"did you mean {near}?" if near else f"available: {', '.join(table.model_fields)}"
        return f"{name} is unknown; {hint}"
    if place == ("gate", "rules"):
        return f"{name}: start each rule with [[gate.rules]], in double brackets"
    detail = message.removeprefix("Value error, ").replace("an object", "a table, such as [" + name + "]")
    return f"{name}: {detail}"
