"""Durations as a histogram: all of them, or what is new since a receiver was last told."""

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import AggregationTemporality, Histogram, InMemoryMetricReader, Metric

from service.telemetry.durations import Differences, Durations

BOUNDS = (0.1, 1.0)


def points(metric: Metric) -> dict[object, tuple[int, float, tuple[int, ...]]]:
    assert isinstance(metric.data, Histogram)
    return {
        (point.attributes or {})["route"]: (point.count, point.sum, tuple(point.bucket_counts))
        for point in metric.data.data_points
    }


def durations(most: int = 100) -> Durations:
    return Durations("d", "Durations.", ("route",), BOUNDS, most)


def test_they_are_counted_as_the_sdk_counts_them() -> None:
    ours, reader = durations(), InMemoryMetricReader()
    theirs = (
        MeterProvider([reader])
        .get_meter("m")
        .create_histogram("d", "s", explicit_bucket_boundaries_advisory=BOUNDS)
    )
    for seconds in (0.05, 0.1, 0.5, 1.0, 3.0):
        ours.record(("/a",), seconds)
        theirs.record(seconds, {"route": "/a"})
    data = reader.get_metrics_data()
    assert data is not None
    [metric] = data.resource_metrics[0].scope_metrics[0].metrics
    assert points(ours.metric()) == points(metric)
    [own], [other] = ours.metric().data.data_points, metric.data.data_points
    assert (own.min, own.max) == (other.min, other.max)  # type: ignore[union-attr]


def test_a_receiver_of_differences_gets_each_once() -> None:
    ours, differences = durations(), Differences()
    ours.record(("/a",), 0.05)
    assert points(differences.of(ours.metric())) == {"/a": (1, 0.05, (1, 0, 0))}
    ours.record(("/a",), 0.5)
    ours.record(("/a",), 4.0)
    ours.record(("/b",), 0.5)
    found = differences.of(ours.metric())
    assert found.data.aggregation_temporality is AggregationTemporality.DELTA  # type: ignore[union-attr]
    assert points(found) == {"/a": (2, pytest.approx(4.5), (0, 1, 1)), "/b": (1, 0.5, (0, 1, 0))}
    first = found.data.data_points[0]
    assert (first.min, first.max) == (0.1, 4.0)  # type: ignore[union-attr]
    assert points(differences.of(ours.metric())) == {}


def test_series_beyond_the_bound_are_counted_together() -> None:
    ours = durations(most=2)
    for number in range(5):
        ours.record((f"/{number}",), 0.5)
    assert {route: count for route, (count, _, _) in points(ours.metric()).items()} == {
        "/0": 1,
        "/1": 1,
        "": 3,
    }
