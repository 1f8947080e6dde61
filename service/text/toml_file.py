"""TOML files of the operator's or of our own, checked against a form. Errors name the file, the line and the field."""

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from ..errors import ConfigurationError

M = TypeVar("M")
_PART = r"\"[^\"]*+\"|'[^']*+'|[^.\s]++"
"""A part of a table's name, which may hold full stops in quotes."""


def read_toml(path: Path, form: type[M]) -> M:
    """Return what a file holds. Raises ConfigurationError where it cannot be read, is not TOML, or does not fit the form."""
    try:
        return TypeAdapter(form).validate_python(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise ConfigurationError(f"{path}: {error}") from error
    except (
        UnicodeDecodeError,
        tomllib.TOMLDecodeError,
    ) as error:  # the latter ends in "(at line N, column M)"
        raise ConfigurationError(f"{path}: not TOML: {error}") from error
    except ValidationError as error:
        # A misspelt key makes two errors; the one that is there leads to the line, the missing one not.
        first = min(error.errors(), key=lambda one: one["type"] == "missing")
        raise wrong_toml(path, [str(part) for part in first["loc"]], first["msg"]) from error


def wrong_toml(path: Path, keys: Sequence[str], problem: str) -> ConfigurationError:
    """Return the error about a key of a file, given by the tables that it is in and its name."""
    line = _line(path.read_text(encoding="utf-8"), tuple(keys))
    return ConfigurationError(f"{path}, line {line}: {'.'.join(keys) or 'the file'}: {problem}")


def _line(text: str, keys: tuple[str, ...]) -> int:
    """The line of a key, else of the table that should hold it, else 1."""
    table: tuple[str, ...] = ()
    best = (0, 1)
    for number, line in enumerate(map(str.strip, text.splitlines()), start=1):
        if header := re.match(r"\[{1,2}([^\[\]]+)\]{1,2}\s{0,99}(?:#|$)", line):
            table = tuple(part.strip("\"'") for part in re.findall(_PART, header[1]))
            here = table
        elif assigned := re.match(r"([\w\"'-]{1,99})\s{0,99}=", line):
            here = (*table, assigned[1].strip("\"'"))
        else:
            continue
        if here == keys[: len(here)] and len(here) > best[0]:
            best = (len(here), number)
    return best[1]
