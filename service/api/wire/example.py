"""A rated conversation that a request brings, to be shown to a language model."""

from pydantic import Field

from .log import Log
from .model import Incoming


class Example(Incoming):
    """A conversation that people rated on a factor."""

    factor: str = Field(description="The slug of the factor.", examples=["coherence"])
    score: float = Field(description="People's mean, on the factor's scale.", examples=[1.5])
    log: Log
