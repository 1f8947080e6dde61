"""The kinds of simulated users, a module each: adding one is adding a file here."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from ..kind import Kind


@cache
def kinds() -> Mapping[str, Kind]:
    """All kinds by name, in the order of their places. Raises ImportError, naming it, for a module that declares none or
    another's name."""
    found = [_kind(name) for name in sorted(module.name for module in iter_modules(__path__))]
    return {kind.name: kind for kind in sorted(found, key=lambda kind: (kind.place, kind.name))}


def _kind(module: str) -> Kind:
    name = module.replace("_", "-")
    found = getattr(import_module(f".{module}", __package__), "KIND", None)
    if not isinstance(found, Kind) or found.name != name:
        raise ImportError(f"{__name__}.{module} declares no KIND of the name {name!r}")
    return found
