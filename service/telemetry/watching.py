"""The counters that cache, flights, limit and store keep of themselves, as metrics."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from opentelemetry.metrics import CallbackOptions, Meter, Observation

from . import names

Stats = Callable[[], Mapping[str, int]]
Observe = Callable[[CallbackOptions], Iterable[Observation]]

REASONS = (
    "shed", "slow_bodies", "cut_off", "stalled_peers", "large_headers", "slow_headers", "idle_peers", "crowded_out",
)  # fmt: skip
"""Reasons why a caller was turned away: no room; a body that did not arrive; no answer in time; an answer that the
caller did not take."""

_STORE_LEVELS = frozenset({"bytes", "entries", "down", "leases"})


def watch(meter: Meter, stats: Stats) -> None:
    """Read `stats` (see `Stack.stats`) whenever metrics are collected."""

    def observe(read: Callable[[Mapping[str, int]], Iterable[Observation]]) -> Observe:
        return lambda _: read(stats())

    def one(member: str) -> Observe:
        return lambda _: [Observation(stats().get(member, 0))]

    for name, member, description in (
        (names.SAVED_TOKENS, "cache_saved_tokens", "Tokens that hits did not spend."),
        (names.SHARED_CALLS, "shared", "Calls that joined an identical one in flight."),
        (names.RETRIES, "retries", "Calls made again after a failure."),
    ):
        meter.create_observable_counter(name, [one(member)], description=description)
    for name, member, description in (
        (names.IN_FLIGHT, "in_flight", "Calls upstream now."),
        (names.QUEUED, "queued", "Calls that wait for a place."),
        (names.STORE_DOWN, "store_down", "1 while the store does not answer."),
        (names.STORE_BYTES, "store_bytes", "Bytes held by the store in this process."),
    ):
        meter.create_observable_gauge(name, [one(member)], description=description)
    for name, observed, description in (
        (
            names.BUDGET_EVENTS,
            _budgets,
            "Calls that waited for the budget of an upstream, or were shed for it, by event.",
        ),
        (names.LOOKUPS, _lookups, "Answers looked up in the cache, by result."),
        (
            names.STORE_EVENTS,
            _store_events,
            "What happened at the store, by kind: hits, misses, puts, failures, outages...",
        ),
    ):
        meter.create_observable_counter(name, [observe(observed)], description=description)


def watch_callers(meter: Meter, counts: Mapping[str, int]) -> None:
    """Export how many callers were turned away or cut off, by reason; all `REASONS` are there from the start."""
    meter.create_observable_counter(
        names.TURNED_AWAY,
        [lambda _: [Observation(counts.get(reason, 0), {names.REASON: reason}) for reason in REASONS]],
        description="Callers that were turned away or cut off, by reason.",
    )


def _budgets(stats: Mapping[str, int]) -> Iterator[Observation]:
    """The figures of each gate, which `Stack.stats` names `budget:<upstream>:<event>`."""
    for member, number in stats.items():
        if member.startswith("budget:"):
            _kind, upstream, event = member.split(":")
            yield Observation(number, {names.PROVIDER: upstream, names.EVENT: event})


def _lookups(stats: Mapping[str, int]) -> Iterator[Observation]:
    for member, result in (("cache_hits", "hit"), ("cache_misses", "miss")):
        yield Observation(stats.get(member, 0), {names.RESULT: result})


def _store_events(stats: Mapping[str, int]) -> Iterator[Observation]:
    for member, number in stats.items():
        event = member.removeprefix("store_")
        if event != member and event not in _STORE_LEVELS:
            yield Observation(number, {names.EVENT: event})
