"""The library as coroutines: `await crs_eval.aio.score(log)`."""

import asyncio
from pathlib import Path
from typing import Any

from .library.aio import behavior_alignment, compare, debate, evaluate, exam, metrics, score, simulate

__all__ = [
    "behavior_alignment", "compare", "debate", "evaluate", "exam",
    "metrics", "score", "simulate", "study",
]  # fmt: skip


async def study(name: str, **options: Any) -> Path:
    """Run a study in a thread. Arguments, results and errors are those of `crs_eval.study`."""
    from .cli.studies.functions import study as run_study

    return await asyncio.to_thread(run_study, name, **options)
