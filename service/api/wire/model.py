"""What all wire models share."""

from pydantic import BaseModel, ConfigDict


class Incoming(BaseModel):
    """A model that callers send: strict types, no unknown fields, no NaN."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class Outgoing(BaseModel):
    """A model that the service answers with: every field always present, null where empty."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
