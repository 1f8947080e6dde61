"""`crs-eval.toml`: how conversations are scored, and the gate's rules."""

import math
import tomllib
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from rapidfuzz.process import extractOne

from .exits import CommandError
from .files import read_text
from .scores import BELONGING, OVERALL

NAME = "crs-eval.toml"
BELONGING_MARGIN = 0.03
"""Share of belonging replies that may be lost unless the file says otherwise."""


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Scoring(_Table):
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
    layout: str | None = None
    grouping: str | None = None
    variant: Literal["crs-eval", "published"] | None = None
    judging: Literal["rating", "itemised"] | None = None
    factor_judging: dict[str, Literal["rating", "itemised"]] | None = None
    expected: bool | None = None
    anchors: bool | None = None
    list_cutoff: Annotated[int, Field(ge=1)] | None = None
    list_source: str | None = None


class Rule(_Table):
    """`[[gate.rules]]`: a bar for one factor or `overall`: a least mean, or a least share of
    conversations with a score at or above a level."""

    factor: str
    mean: float | None = None
    share: Annotated[float, Field(ge=0, le=1)] | None = None
    at_or_above: float | None = None
    minimum_n: Annotated[int, Field(ge=1)] | None = None
    minimum_coverage: Annotated[float, Field(ge=0, le=1)] | None = None

    @model_validator(mode="after")
    def _one_bar(self) -> Self:
        if (self.mean is None) == (self.share is None):
            raise ValueError("a rule has either `mean`, or `share` with `at_or_above`")
        if (self.share is None) != (self.at_or_above is None):
            raise ValueError("`share` and `at_or_above` go together")
        return self


class Regression(_Table):
    """`[gate.regression]`: which losses against a baseline fail."""

    factors: tuple[str, ...] | None = None
    """Those that both runs scored, and `overall`, unless said."""
    margin: Annotated[float, Field(ge=0)] = 0.2
    """Points of the scale that may be lost; half as many of `overall`, which is a mean and steadier."""
    margins: dict[str, Annotated[float, Field(ge=0)]] = {}
    largest_blind_drop: Annotated[float, Field(gt=0)] | None = None
    """Inconclusive where the run could have hidden a loss of this much."""
    vanished: Literal["fail", "inconclusive"] = "fail"
    """What to say of a factor that most conversations had and most have no more."""

    def margin_of(self, factor: str) -> float:
        """Return what this factor, `overall` or `belonging` may lose."""
        usual = {OVERALL: self.margin / 2, BELONGING: BELONGING_MARGIN}
        return self.margins.get(factor, usual.get(factor, self.margin))


class Pairwise(_Table):
    """`[gate.pairwise]`: which conversation of each pair is better, asked of `/compare`. Not asked without this table."""

    factors: Annotated[tuple[str, ...], Field(min_length=1)] = (OVERALL,)
    margin: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Share of the pairs by which losses may outnumber wins."""
    judge: str | None = None
    """The judge that compares; that of `[score]` unless said."""


class Gate(_Table):
    """`[gate]`: rules, and how much must be known for a verdict."""

    minimum_n: Annotated[int, Field(ge=2)] = 30
    minimum_coverage: Annotated[float, Field(ge=0, le=1)] = 0.8
    """Share of the conversations that must have a score."""
    maximum_failed: Annotated[float, Field(ge=0, le=1)] = 0.02
    """Share of a factor's verdicts that may have failed."""
    maximum_missing: Annotated[float, Field(ge=0, le=1)] = 0.05
    """Share of the baseline's conversations that the candidate may lack."""
    alpha: Annotated[float, Field(gt=0, lt=0.5)] = 0.025
    """One-sided, over all factors together: the loss of a 95 % interval that leaves 0 out."""
    resamples: Annotated[int, Field(ge=500, le=100_000)] = 5000
    seed: int = 0
    rules: tuple[Rule, ...] = ()
    regression: Regression = Regression()
    pairwise: Pairwise | None = None

    @property
    def draws(self) -> int:
        """Resamples: enough for p-values far below alpha."""
        return max(self.resamples, math.ceil(100 / self.alpha))


class Configuration(_Table):
    """The whole file."""

    score: Scoring = Scoring()
    gate: Gate = Gate()


def load_configuration(path: Path | None) -> Configuration:
    """The file that is named, else `crs-eval.toml` here, else defaults. Raises CommandError that says
    which entry is wrong."""
    if path is None:
        path = Path(NAME)
        if not path.is_file():
            return Configuration()
    elif not path.is_file():
        raise CommandError(f"--config {path} does not exist.")
    try:
        values = tomllib.loads(read_text(path))
        return Configuration.model_validate(values)
    except RecursionError:
        raise CommandError(f"{path} is not TOML: it is nested too deeply") from None
    except tomllib.TOMLDecodeError as error:
        raise CommandError(f"{path} is not TOML: {error}") from None
    except ValidationError as error:
        told = "\n".join(f"{path}: {_told(fault['loc'], fault['msg'])}" for fault in error.errors())
        raise CommandError(told) from None


def _told(place: tuple[int | str, ...], message: str) -> str:
    name = ".".join(str(part) for part in place) or "the file"
    if message == "Extra inputs are not permitted":
        known = [
            field
            for model in (Scoring, Rule, Regression, Pairwise, Gate, Configuration)
            for field in model.model_fields
        ]
        near = extractOne(str(place[-1]), known, score_cutoff=60)
        return f"{name} is no entry{f'; did you mean {near[0]}?' if near else ''}"
    return f"{name}: {message.removeprefix('Value error, ')}"
