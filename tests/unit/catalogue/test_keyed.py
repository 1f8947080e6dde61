"""Things by keys of which nearly each has one."""

from service.catalogue.catalogue import Keyed


def test_keeps_the_things_of_each_key_in_the_order_given() -> None:
    things = Keyed([("a", 1), ("b", 2), ("a", 3), ("a", 1)])
    assert (things["a"], things["b"], things["c"]) == ([1, 3, 1], [2], [])
    assert (things.first("a"), things.first("c")) == (1, None)
    assert list(things) == [("a", [1, 3, 1]), ("b", [2])]
