"""The form of results: the fields of a record that commands read, and their bounds. Fields that only people read are left out."""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

_Share = Annotated[float, Field(ge=0, le=1)]


class _Form(BaseModel):
    model_config = ConfigDict(strict=True, allow_inf_nan=False)


class _Scale(_Form):
    min: float
    max: float


class _Reason(_Form):
    code: str


class _Judge(_Form):
    name: str
    model: str | None


class _Fault(_Form):
    fault: str
    message: int | None
    probability: _Share
    certain: bool
    severity: Literal["mild", "plain", "grave"] | None = None


class _Turn(_Form):
    message: int
    score: float


class _Verdict(_Form):
    factor: str
    status: Literal["scored", "not_assessable", "failed"]
    score: float | None
    scale: _Scale
    reason: _Reason | None
    judge: _Judge
    evaluator_revision: str
    faults: list[_Fault] | None = None
    turns: list[_Turn] | None = None
    counts: dict[str, float] | None = None

    @model_validator(mode="after")
    def _has_what_its_status_says(self) -> Self:
        low, high = self.scale.min, self.scale.max
        if low >= high:
            raise ValueError(f"a scale from {low:g} to {high:g} has no room for scores")
        if self.status != "scored":
            if self.reason is None:
                raise ValueError("a verdict without a score needs its `reason`")
        elif self.score is None or not low <= self.score <= high:
            raise ValueError(f"the score {self.score} is outside the scale, {low:g} to {high:g}")
        return self


class _Summary(_Form):
    overall: Annotated[float, Field(ge=0, le=4)] | None = None


class _Answer(_Form):
    verdicts: list[_Verdict] | None = None
    summaries: list[_Summary] | None = None
    comparison_key: str | None = None


class _Record(_Form):
    conversation: str
    system: str | None
    answer: _Answer | None
    position: int | None = None
    replies: Annotated[int, Field(ge=0)] | None = None
    answered: _Share | None = None
    user: str | None = None


def form_fault(value: Any) -> str | None:
    """Return the first field of a parsed line of results that `crs-eval score` would not write so, and why; None if all is well."""
    try:
        _Record.model_validate(value)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        return f"{'.'.join(map(str, fault['loc']))}: {fault['msg'].removeprefix('Value error, ')}"
    return None
