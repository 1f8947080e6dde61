"""The kinds of simulated users, a module each: adding one is adding a file here."""

from collections.abc import Mapping
from functools import cache

from ...domain.declared import declared
from ..kind import Kind


@cache
def kinds() -> Mapping[str, Kind]:
    """All kinds by name, in the order of their places. Raises as `declared` does."""
    return declared(__name__, __path__, "KIND", Kind)
