"""A factor of the caller's own, inside a request."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from ...domain.rubric import Need, Scale
from .model import WHOLE, Incoming, Whole

MOST_RUBRICS = 12
Line = Annotated[str, StringConstraints(min_length=1, max_length=500)]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z]+(-[a-z]+)*$", max_length=60)]


class Rubric(Incoming):
    """A factor in the form of a factor file. `slug`, `definition` and `levels` are enough."""

    slug: Annotated[str, StringConstraints(pattern=r"^custom(-[a-z]+)+$", max_length=60)] = Field(
        description="Begins with `custom-`.", examples=["custom-brand-voice"]
    )
    definition: Annotated[str, StringConstraints(min_length=1, max_length=2000)] = Field(
        description="The question that a judge answers.",
        examples=["Do the replies sound like our brand: warm, brief, without slang?"],
    )
    levels: dict[str, Line] = Field(
        min_length=2,
        max_length=11,
        description="The standard of each level, by its number, without gaps.",
        examples=[{"0": "No reply does.", "1": "Some replies do.", "2": "All replies do."}],
    )
    name: Line | None = Field(None, description="Made from the slug by default.")
    protocol: Literal["custom"] | None = Field(None, description="`custom`.")
    dimension: Slug | None = None
    """The group that a summary averages it in; `custom` by default."""
    position: Whole | None = None
    """Read and not used: factors are judged in the order given."""
    scale: Scale | None = None
    """The lowest and the highest level; those of `levels` by default."""
    needs: list[Need] | None = Field(None, max_length=7)
    """Inputs without which it is not assessable; `messages` by default."""
    uses: list[Need] | None = Field(None, max_length=7)
    """Inputs that the judge sees when the log has them."""
    rates: Line | None = Field(None, description="Subject of the rating; `the conversation` by default.")
    steps: list[Line] | None = Field(None, min_length=1, max_length=12)
    """Steps that a judge follows."""
    excludes: list[Line] | None = Field(None, min_length=1, max_length=12)
    """Aspects that it does not cover."""
    notes: dict[str, Line] | None = Field(None, max_length=12, description="By domain: what changes there.")
    source: Line | None = Field(None, description="Source of the rubric.")
    revision: Annotated[int, Field(ge=1), WHOLE] | None = None
    """Raise it when the meaning changes."""
    no_occasion: Whole | None = Field(None, description="The level of a log that gives no occasion for it.")
    weight: Annotated[float, Field(gt=0, le=1000, allow_inf_nan=False)] | None = None
    """Its weight in the mean of the summary; 1 by default."""


Rubrics = list[Rubric]
