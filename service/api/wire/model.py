"""What all wire models share."""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


WHOLE = BeforeValidator(_whole)
"""Marks a whole number in what callers send: JSON knows no integers, and 2.0 is one to its schemas.
Stands after the bounds, `Annotated[int, Field(ge=1), WHOLE]`, or they do not reach the document."""

Whole = Annotated[int, WHOLE]


FEW = 100
MANY = 1_000
PLENTY = 20_000
MOST = 100_000
"""How many entries the lists of requests may have: choices; parts of a message, an item or a verdict; items and
pairs; messages and logs. What they may take together is bounded by their bytes (`api.shape`)."""


class Incoming(BaseModel):
    """A model that callers send: strict types, no unknown fields, no NaN."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class Outgoing(BaseModel):
    """A model that the service answers with: every field always present, null where empty."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
