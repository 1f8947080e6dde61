"""Cut evenly over the session what does not fit in a prompt, so that its end is as present as its
beginning."""

from collections.abc import Sequence


def even_shares(sizes: Sequence[int], room: int) -> list[int]:
    """Return how much of each may stay where all together may take `room`: one bound for all, so that only
    the longest are cut. In [1, 9, 9] with room for 11 the shares are [1, 5, 5]."""
    if sum(sizes) <= room:
        return list(sizes)
    left, bound = room, 0
    ordered = sorted(sizes)
    for place, size in enumerate(ordered):
        bound = left // (len(ordered) - place)
        if size > bound:
            break
        left -= size
    return [min(size, bound) for size in sizes]


def spread(count: int, room: int) -> list[int]:
    """`room` places out of `count`, as far apart as can be, the first and the last among them, in order; all where they fit."""
    if count <= room:
        return list(range(count))
    if room <= 1:
        return [0][:room]
    return [place * (count - 1) // (room - 1) for place in range(room)]
