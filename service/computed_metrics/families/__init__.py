"""The families of metrics, a module each: adding a family is adding a file here, adding a metric a row in one."""

from collections.abc import Mapping
from functools import cache

from ...domain.declared import declared
from ..metric import Family, Metric


@cache
def metrics() -> Mapping[str, Metric]:
    """All metrics by name, in the order of their families. Raises as `declared` does."""
    families = declared(__name__, __path__, "FAMILY", Family).values()
    return {metric.name: metric for family in families for metric in family.metrics}
