"""The providers of models, a module each: adding one is adding a file here. Listing them imports no SDK."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from ..declaration import ProviderDeclaration


@cache
def providers() -> Mapping[str, ProviderDeclaration]:
    """All providers by name, in the order of their places. Raises ImportError, naming it, for a module that declares none
    or another's name."""
    found = [_provider(name) for name in sorted(module.name for module in iter_modules(__path__))]
    return {one.name: one for one in sorted(found, key=lambda one: (one.place, one.name))}


def _provider(module: str) -> ProviderDeclaration:
    name = module.replace("_", "-")
    found = getattr(import_module(f".{module}", __package__), "PROVIDER", None)
    if not isinstance(found, ProviderDeclaration) or found.name != name:
        raise ImportError(f"{__name__}.{module} declares no PROVIDER of the name {name!r}")
    return found
