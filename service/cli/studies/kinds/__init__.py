"""The studies, a module each: adding one is adding a file here."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from ..study import Study


@cache
def studies() -> Mapping[str, Study]:
    """All studies by name, in the order of their places. Raises ImportError, naming it, for a module that declares
    none or another's name."""
    found = [_study(module.name) for module in iter_modules(__path__)]
    return {study.name: study for study in sorted(found, key=lambda study: (study.place, study.name))}


def _study(module: str) -> Study:
    found = getattr(import_module(f".{module}", __package__), "STUDY", None)
    if not isinstance(found, Study) or found.name != module.replace("_", "-"):
        raise ImportError(f"{__name__}.{module} declares no STUDY of the name {module!r}")
    return found
