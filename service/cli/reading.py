"""Reading files into many objects that stay."""

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def without_collection() -> Iterator[None]:
    """Hold the garbage collector while many objects are made that stay. It looks at all of them again and again: 100,000
    results take four times as long with it."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()  # else the first collection afterwards looks at all of them
        if was:
            gc.enable()
