"""The families of metrics, a module each: adding a family is adding a file here, adding a metric a row in one."""

from collections.abc import Mapping
from functools import cache

from ...domain.declared import declared
from ..metric import Family, Metric


@cache
def metrics() -> Mapping[str, Metric]:
    """All metrics by name, in the order of their families. Raises as `declared` does, and ImportError for a name that is declared
    twice."""
    found: dict[str, Metric] = {}
    for module, family in declared(__name__, __path__, "FAMILY", Family).items():
        for metric in family.metrics:
            if metric.name in found:
                raise ImportError(f"{__name__}.{module} declares {metric.name!r}, which another row declares")
            found[metric.name] = metric
    return found
