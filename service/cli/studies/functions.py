"""Studies in a Python program or a notebook."""

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import typer

from ..exits import CommandError, Exit
from .command import app
from .serving import GIVEN, PREFIX, Replies


def study(
    name: str, *, recommender: "Replies | Mapping[str, Replies]", out: str | Path, **options: Any
) -> Path:
    """Run a study on recommenders that are functions.

    Args:
        name: `core`, `concept`, `pepper`, `alignment` or `ievalm`.
        recommender: Gets the messages so far, `[{"role": ..., "content": ...}]`, and returns the reply as a text or as
            `{"content": ..., "recommendations": [...]}`; several by their names.
        out: The run's folder. The same call goes on where it stopped.
        options: Those of `crs-eval study NAME` with underscores: `users=["users.jsonl"]`, `catalog="films.jsonl"`.

    Returns:
        The folder, with `report.html`.

    Raises:
        CommandError: For wrong input, and where sessions or verdicts failed; the same call asks for these again.

    Example:
        `crs_eval.study("core", recommender=reply, users=["users.jsonl"], catalog="films.jsonl", out="run")`
    """
    commands = {one.name: one.callback for one in app.registered_commands}
    if (command := commands.get(name)) is None:
        raise CommandError(f"There is no study {name!r}. Known here: {', '.join(map(str, commands))}.")
    functions = recommender if isinstance(recommender, Mapping) else {"recommender": recommender}
    named = ((own, one, one if hasattr(one, "__qualname__") else type(one)) for own, one in functions.items())
    given = {f"{own}={PREFIX}{name.__module__}:{name.__qualname__}": one for own, one, name in named}
    GIVEN.update(given)
    try:
        _apart(partial(command, out=Path(out), crs=list(given), **options))
    except typer.Exit as ended:
        if ended.exit_code:
            detail = "Not everything was answered. The same call asks for the rest again."
            raise CommandError(detail, Exit(ended.exit_code)) from None
    return Path(out)


def _apart(command: Callable[[], None]) -> None:
    """Run a command; in a thread where an event loop runs already, as in notebooks."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        command()
    else:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(command).result()
