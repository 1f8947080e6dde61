"""Factors of a caller's own, read from files."""

import json
import tomllib
from collections.abc import Sequence
from pathlib import Path

from .exits import CommandError
from .files import read_text
from .inputs import Json


def rubrics_in(paths: Sequence[Path] | None) -> list[Json] | None:
    """Return the factors in files of TOML (`.toml`) or JSON, as a request holds them; None without any. Raises CommandError for
    a file that cannot be read; what it says is checked by the service."""
    return [_rubric_in(path) for path in paths or ()] or None


def _rubric_in(path: Path) -> Json:
    if not path.is_file():
        raise CommandError(f"--rubric {path} does not exist.")
    try:
        text = read_text(path)
        found = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    except RecursionError:
        raise CommandError(f"{path}: it is nested too deeply") from None
    except ValueError as error:
        raise CommandError(f"{path} is not {'TOML' if path.suffix == '.toml' else 'JSON'}: {error}") from None
    if not isinstance(found, dict):
        raise CommandError(
            f"{path} holds no factor: it has no fields such as `slug`, `definition`, `levels`."
        )
    return found
