"""Computational metrics: figures computed from logs, verdicts and reply pairs, no model asked."""

from .computation import METRICS, MetricsReport, compute
from .item_index import Matching

__all__ = ["METRICS", "Matching", "MetricsReport", "compute"]
