from service.store.memory import ENTRY_OVERHEAD, MemoryStore
from service.store.protocol import Claim
from tests.unit.store.clock import Clock


async def test_the_least_recently_used_value_leaves_first() -> None:
    store = MemoryStore(3 * (ENTRY_OVERHEAD + 11))
    for key in "abc":
        await store.put(key, bytes(10))
    await store.get_many(["a"])
    await store.put("d", bytes(10))
    assert [value is not None for value in await store.get_many(["a", "b", "c", "d"])] == [
        True,
        False,
        True,
        True,
    ]
    assert store.stats()["evictions"] == 1


async def test_never_holds_more_bytes_than_it_may() -> None:
    store = MemoryStore(5_000)
    for number in range(200):
        await store.put(str(number % 50), bytes(number * 7 % 900))
        assert store.stats()["bytes"] <= 5_000
    kept = {str(key): (await store.get_many([str(key)]))[0] for key in range(50)}
    sizes = [len(key) + len(value) + ENTRY_OVERHEAD for key, value in kept.items() if value is not None]
    assert store.stats()["bytes"] == sum(sizes)


async def test_a_value_larger_than_the_store_pushes_nothing_out() -> None:
    store = MemoryStore(1_000)
    await store.put("small", b"1")
    await store.put("large", bytes(2_000))
    assert await store.get_many(["small", "large"]) == [b"1", None]


async def test_values_expire() -> None:
    clock = Clock()
    store = MemoryStore(10_000, ttl=5, clock=clock)
    await store.put("a", b"1")
    clock.now += 4.9
    assert await store.get_many(["a"]) == [b"1"]
    clock.now += 0.2
    assert await store.get_many(["a"]) == [None]
    assert store.stats()["bytes"] == 0


async def test_a_claim_gives_the_value_or_a_lease() -> None:
    store = MemoryStore(10_000)
    claim = await store.claim("a")
    assert claim.value is None
    assert claim.lease is not None
    await store.put("a", b"1")
    await store.release(claim.lease)
    assert await store.claim("a") == Claim(b"1")


async def test_a_counter_starts_anew_after_its_window() -> None:
    clock = Clock()
    store = MemoryStore(10_000, clock=clock)
    assert [await store.count("caller", 60) for _ in range(3)] == [1, 2, 3]
    assert await store.count("other", 60) == 1
    clock.now += 60
    assert await store.count("caller", 60) == 1
