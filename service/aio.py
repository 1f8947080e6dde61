"""The library as coroutines: `await crs_eval.aio.score(log)`."""

import asyncio
from pathlib import Path
from typing import Any

from .library.aio import behavior_alignment as behavior_alignment
from .library.aio import compare as compare
from .library.aio import debate as debate
from .library.aio import evaluate as evaluate
from .library.aio import exam as exam
from .library.aio import metrics as metrics
from .library.aio import score as score
from .library.aio import simulate as simulate


async def study(name: str, **options: Any) -> Path:
    """Run a study in a thread. Arguments, results and errors are those of `crs_eval.study`."""
    from .cli.studies.functions import study as run_study

    return await asyncio.to_thread(run_study, name, **options)
