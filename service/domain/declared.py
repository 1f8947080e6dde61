"""Registries of modules that declare a value each: adding a value is adding a file."""

from collections.abc import Iterable
from importlib import import_module
from pkgutil import iter_modules
from typing import Protocol, TypeVar


class Placed(Protocol):
    """A value that lists show by its place."""

    @property
    def place(self) -> int: ...


Value = TypeVar("Value", bound=Placed)


def declared(package: str, path: Iterable[str], attribute: str, kind: type[Value]) -> dict[str, Value]:
    """Return what the modules of a package declare as `attribute`, by name, in the order of their places, then of their names.

    Raises ImportError, naming the module, where it declares nothing of this kind, or a value that has another name."""
    found: dict[str, Value] = {}
    for module in iter_modules(path):
        name = module.name.replace("_", "-")
        value = getattr(import_module(f"{package}.{module.name}"), attribute, None)
        if not isinstance(value, kind) or getattr(value, "name", name) != name:
            raise ImportError(f"{package}.{module.name} declares no {attribute} of the name {name!r}")
        found[name] = value
    return dict(sorted(found.items(), key=lambda one: (one[1].place, one[0])))
