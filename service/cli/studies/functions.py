"""Studies in a Python program, and recommenders that are functions."""

import asyncio
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import typer
from pydantic import BaseModel

from ...domain.conversation import ConversationLog
from ...domain.nearest import nearest
from ...errors import InvalidRequest
from ...library.aio import plain
from ...usecases.recommenders.functions import Function, FunctionRecommender
from ..exits import CommandError, Exit
from ..file_formats import json_lines
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
            try:
                FunctionRecommender(found[name])
            except InvalidRequest as wrong:
                raise CommandError(f"--crs {name}: {wrong.errors[0].detail}.") from None
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
    return found


def study(
    name: str,
    *,
    recommender: Function | str | Mapping[str, Function | str] | None = None,
    out: str | Path,
    **options: Any,
) -> Path:
    """Run a study on recommenders that are functions, or on your own conversations.

    Args:
        name: `core`, `concept`, `pepper`, `alignment` or `ievalm`.
        recommender: A function or coroutine function. It gets the messages so far, `[{"role": ..., "content": ...}]`, and
            returns the reply as a text or as `{"content": ..., "recommendations": [...]}`. Or the address of one; several by
            their names. None with `logs`.
        out: The run's folder. The same call goes on where it stopped.
        options: Those of `crs-eval study NAME` with underscores, such as `catalog="films.jsonl"`. Options that may be
            repeated take one value or a list. Files of users, logs, items, reviews and labels may be lists of dicts.

    Returns:
        The folder, with `report.html`.

    Raises:
        CommandError: For wrong input, and where sessions or verdicts failed; the same call asks for these again.

    Example:
        `crs_eval.study("core", recommender=reply, users=["users.jsonl"], catalog="films.jsonl", out="run")`
    """
    group: Any = typer.main.get_command(app)
    known = [one for one, of in group.commands.items() if "crs" in {option.name for option in of.params}]
    if name not in known:
        raise CommandError(f"There is no study {name!r} of recommenders. Available: {', '.join(known)}.")
    given = {"crs": _named(recommender), "out": out, **options}
    with TemporaryDirectory() as folder:
        arguments = list(_arguments(group.commands[name], given, Path(folder)))
        try:
            _apart(partial(_run, group.commands[name], name, arguments, options.get("url")))
        except CommandError as wrong:
            raise CommandError(str(wrong).replace(f"{folder}/", ""), wrong.code) from None
    return Path(out)


def _named(recommender: Function | str | Mapping[str, Function | str] | None) -> list[str]:
    """Return recommenders as `--crs` takes them. Raises CommandError for what is none."""
    if recommender is None:
        return []
    several = recommender if isinstance(recommender, Mapping) else {"recommender": recommender}
    found = []
    for own, one in several.items():
        if not own or "=" in own or not (callable(one) or isinstance(one, str)):
            detail = "pass a function or an address, or several by the names of their systems, without `=`"
            raise CommandError(f"recommender: {detail}.")
        kind = one if hasattr(one, "__qualname__") else type(one)
        found.append(
            f"{own}={one if isinstance(one, str) else f'{PREFIX}{kind.__module__}:{kind.__qualname__}'}"
        )
        if callable(one):
            GIVEN[found[-1]] = one
    return found


def _arguments(command: Any, given: Mapping[str, Any], folder: Path) -> Iterator[str]:
    """Yield what the command line would have for these options; lists of objects become files in a folder."""
    known = {option.name: option for option in command.params}
    for name, value in given.items():
        if name not in known:
            near = nearest(name, known)
            hint = f"Did you mean {near}?" if near else f"Available: {', '.join(known)}."
            raise CommandError(f"{name}: no such option of this study. {hint}")
        option = known[name]
        single = isinstance(value, str | Mapping | BaseModel) or not isinstance(value, Iterable)
        values = [value] if single else list(value)
        if objects := [one for one in values if isinstance(one, Mapping | ConversationLog | BaseModel)]:
            file = folder / f"{name}.jsonl"
            file.write_text(json_lines(plain(objects, f"/{name}")), encoding="utf-8")
            values = [*(one for one in values if isinstance(one, str | Path)), file]
        elif not option.multiple and len(values) > 1:  # screens=[4, 0]
            values = [",".join(map(str, values))]
        for one in values:
            if isinstance(one, bool):
                yield from (option.opts if one else option.secondary_opts)[:1]
            elif one is not None:
                yield f"{option.opts[0]}={one}"


def _run(command: Any, name: str, arguments: list[str], url: str | None) -> None:
    """Run a command with these arguments. Raises CommandError unless it succeeds."""
    try:
        with command.make_context(name, arguments) as context:
            context.params["url"] = url  # not that of the environment
            command.invoke(context)
    except typer.Exit as ended:
        if ended.exit_code:
            detail = "Not everything was answered. The same call asks for the rest again."
            raise CommandError(detail, Exit(ended.exit_code)) from None
    except typer.BadParameter as wrong:
        raise CommandError(wrong.format_message()) from None


def _apart(command: Callable[[], None]) -> None:
    """Run a command; in a thread where an event loop runs already, as in notebooks."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        command()
    else:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(command).result()
