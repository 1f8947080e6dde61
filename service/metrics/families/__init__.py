"""The families of metrics, a module each: adding a family is adding a file here, adding a metric a row in one."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from ..metric import Family, Metric


@cache
def metrics() -> Mapping[str, Metric]:
    """All metrics by name, in the order of their families. Raises ImportError, naming it, for a module that declares
    no family, and for a name that is declared twice."""
    families = [(_family(name), name) for name in sorted(module.name for module in iter_modules(__path__))]
    found: dict[str, Metric] = {}
    for family, module in sorted(families, key=lambda one: (one[0].place, one[1])):
        for metric in family.metrics:
            if metric.name in found:
                raise ImportError(f"{__name__}.{module} declares {metric.name!r}, which another row declares")
            found[metric.name] = metric
    return found


def _family(name: str) -> Family:
    module = import_module(f".{name}", __package__)
    found = getattr(module, "FAMILY", None)
    if not isinstance(found, Family) or not found.metrics:
        raise ImportError(f"{module.__name__} declares no FAMILY with metrics")
    return found
