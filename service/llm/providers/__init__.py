"""The providers of models, a module each: adding one is adding a file here. Listing them imports no SDK."""

from collections.abc import Mapping
from functools import cache

from ...domain.declared import declared
from ..declaration import ProviderDeclaration


@cache
def providers() -> Mapping[str, ProviderDeclaration]:
    """All providers by name, in the order of their places. Raises as `declared` does."""
    return declared(__name__, __path__, "PROVIDER", ProviderDeclaration)
