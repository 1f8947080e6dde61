"""The formats: a module that reads one, or a TOML file that declares one. Adding one is adding a file here."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.resources import files
from pkgutil import iter_modules

from ..format import Format

AUTO = "auto"
"""The name that distinguishes formats."""
_DECLARED = ".toml"


def format_names() -> list[str]:
    """The names of all formats, by the names of their files."""
    declared = (
        file.name.removesuffix(_DECLARED)
        for file in files(__package__).iterdir()
        if file.name.endswith(_DECLARED)
    )
    return sorted([*declared, *(module.name.replace("_", "-") for module in iter_modules(__path__))])


@cache
def formats() -> Mapping[str, Format]:
    """All formats by name. Raises ImportError, naming it, for a module that declares none or another's name."""
    return {name: _format(name) for name in format_names()}


def _format(name: str) -> Format:
    file = files(__package__) / f"{name}{_DECLARED}"
    if file.is_file():
        from ..declared.formats import declared_format

        return declared_format(file)
    module = import_module(f".{name.replace('-', '_')}", __package__)
    found = getattr(module, "FORMAT", None)
    if not isinstance(found, Format) or found.name != name:
        raise ImportError(f"{module.__name__} declares no FORMAT of the name {name!r}")
    return found
