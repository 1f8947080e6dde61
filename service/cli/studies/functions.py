"""Studies in a Python program, and recommenders that are functions."""

import asyncio
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import typer

from ...simulators.function_recommender import Function
from ..exits import CommandError, Exit
from .command import app

PREFIX = "python:"
GIVEN: dict[str, Function] = {}
"""Functions of this process, by what `--crs` is given for them."""


def functions_of(crs: Sequence[str]) -> dict[str, Function]:
    """Return the recommenders that are functions, by name. Raises CommandError for what is no function."""
    found = {}
    for one in crs:
        name, _, address = one.partition("=")
        if address.startswith(PREFIX):
            found[name] = GIVEN.get(one) or _imported(address.removeprefix(PREFIX))
    return found


def _imported(target: str) -> Function:
    module, _, function = target.partition(":")
    sys.path.insert(0, str(Path.cwd()))  # where `python -m` would find it
    try:
        found: Function = getattr(import_module(module), function)
    except Exception as wrong:  # noqa: BLE001 - the module may fail in any way
        detail = f"{type(wrong).__name__}: {wrong}"
        raise CommandError(
            f"--crs {PREFIX}{target}: {detail}. Write it as {PREFIX}MODULE:FUNCTION."
        ) from None
    if not callable(found):
        raise CommandError(f"--crs {PREFIX}{target}: {function} is no function.")
    return found


def study(
    name: str, *, recommender: Function | Mapping[str, Function], out: str | Path, **options: Any
) -> Path:
    """Run a study on recommenders that are functions.

    Args:
        name: `core`, `concept`, `pepper`, `alignment` or `ievalm`.
        recommender: A function or coroutine function. It gets the messages so far, `[{"role": ..., "content": ...}]`, and
            returns the reply as a text or as `{"content": ..., "recommendations": [...]}`; several by their names.
        out: The run's folder. The same call goes on where it stopped.
        options: Those of `crs-eval study NAME` with underscores, such as `catalog="films.jsonl"`. Options that may be
            repeated take one value or a list: `users=["first.jsonl", "more.jsonl"]`.

    Returns:
        The folder, with `report.html`.

    Raises:
        CommandError: For wrong input, and where sessions or verdicts failed; the same call asks for these again.

    Example:
        `crs_eval.study("core", recommender=reply, users=["users.jsonl"], catalog="films.jsonl", out="run")`
    """
    commands = {one.name: one.callback for one in app.registered_commands if one.callback}
    taken = {one: inspect.signature(command).parameters for one, command in commands.items()}
    if "crs" not in taken.get(name, ()):
        known = ", ".join(str(one) for one, options_of in taken.items() if "crs" in options_of)
        raise CommandError(f"There is no study {name!r} of recommenders. Available: {known}.")
    functions = recommender if isinstance(recommender, Mapping) else {"recommender": recommender}
    if not functions or not all(map(callable, functions.values())):
        raise CommandError("recommender: pass a function, or functions by the names of their systems.")
    for option, value in options.items():
        if isinstance(value, str | Path) and "list[str]" in str(taken[name].get(option)):
            options[option] = [value]
    named = ((own, one, one if hasattr(one, "__qualname__") else type(one)) for own, one in functions.items())
    given = {f"{own}={PREFIX}{kind.__module__}:{kind.__qualname__}": one for own, one, kind in named}
    GIVEN.update(given)
    try:
        _apart(partial(commands[name], out=Path(out), crs=list(given), **options))
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
