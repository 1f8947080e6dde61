"""Set how a process takes memory from the system, so that it gives back what a request took."""

import ctypes
from collections.abc import Mapping

PIECE = 256 * 1024
"""Bytes from which a piece is mapped by itself."""

SETTINGS: Mapping[int, int] = {-8: 1, -3: PIECE, -1: PIECE}
"""For `mallopt` of glibc: M_ARENA_MAX, M_MMAP_THRESHOLD and M_TRIM_THRESHOLD of its `malloc.h`."""


def give_back_memory() -> None:
    """Have glibc keep one heap for all threads, map large pieces by themselves, and return what is free at the heap's
    end. By itself it has a heap for each thread, and keeps larger and larger pieces there once it has seen
    some: a process that had answered large requests stayed 40 MB larger. Does nothing without glibc."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return
    for name, value in SETTINGS.items():
        mallopt(name, value)
