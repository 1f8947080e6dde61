"""The counters that cache, flights, limit and store keep of themselves, as metrics."""

from collections.abc import Callable, Iterable, Mapping

from opentelemetry.metrics import CallbackOptions, Meter, Observation

from . import names

Stats = Callable[[], Mapping[str, int]]
_Observe = Callable[[CallbackOptions], Iterable[Observation]]

_STORE_LEVELS = frozenset({"bytes", "entries", "down", "leases"})


def watch(meter: Meter, stats: Stats) -> None:
    """Read `stats` (see `Stack.stats`) whenever metrics are collected."""
    for name, member, description in (
        (names.SAVED_TOKENS, "cache_saved_tokens", "Tokens that hits did not spend."),
        (names.SHARED_CALLS, "shared", "Calls that joined an identical one in flight."),
        (names.RETRIES, "retries", "Calls made again after a failure."),
    ):
        meter.create_observable_counter(name, [_one(stats, member)], description=description)
    for name, member, description in (
        (names.IN_FLIGHT, "in_flight", "Calls upstream now."),
        (names.QUEUED, "queued", "Calls that wait for a place."),
        (names.STORE_DOWN, "store_down", "1 while the store does not answer."),
        (names.STORE_BYTES, "store_bytes", "Bytes held by the store in this process."),
    ):
        meter.create_observable_gauge(name, [_one(stats, member)], description=description)
    meter.create_observable_counter(
        names.LOOKUPS, [_lookups(stats)], description="Answers looked up in the cache, by result."
    )
    meter.create_observable_counter(
        names.STORE_EVENTS,
        [_store_events(stats)],
        description="What happened at the store, by kind: hits, misses, puts, failures, outages...",
    )


def _one(stats: Stats, member: str) -> _Observe:
    def observe(_: CallbackOptions) -> Iterable[Observation]:
        yield Observation(stats().get(member, 0))

    return observe


def _lookups(stats: Stats) -> _Observe:
    def observe(_: CallbackOptions) -> Iterable[Observation]:
        found = stats()
        yield Observation(found.get("cache_hits", 0), {names.RESULT: "hit"})
        yield Observation(found.get("cache_misses", 0), {names.RESULT: "miss"})

    return observe


def _store_events(stats: Stats) -> _Observe:
    def observe(_: CallbackOptions) -> Iterable[Observation]:
        for member, number in stats().items():
            event = member.removeprefix("store_")
            if event != member and event not in _STORE_LEVELS:
                yield Observation(number, {names.EVENT: event})

    return observe
