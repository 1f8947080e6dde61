"""The judges that a command asks, and their ways of judging: its options, over what `crs-eval.toml` says."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..scoring.mixture import Mixture
from .exits import CommandError
from .files import FileError, read_json, read_toml
from .inputs import Json, present

_AS_SAID = ("samples", "variant", "judging", "grouping", "anchors", "expected", "cache")


def scoring_fields(given: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    """The judges and the way of judging that options name, over what `crs-eval.toml` says. Holds nothing that neither says."""
    own: dict[str, Any] = {
        "rubrics": [_rubric_in(path) for path in given.get("rubric") or ()] or None,
        "examples": examples_in(given["examples"]) if given.get("examples") else None,
        **{name: given.get(name) for name in _AS_SAID},
    }
    return present(judges_in(given, said)) | present(own)


def judges_in(given: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the file says with the judges that the options name. `--judge` replaces a panel of the file, `--panel` its
    judge, and `--factor-judge` whatever it says of that factor. Raises CommandError for an option that names no factor."""
    found = dict(said)
    if given["judge"] or given.get("panel"):
        for name in ("judge", "panel", "aggregate"):
            found.pop(name, None)
    for name in ("judge", "panel", "aggregate", "mixture"):
        if given.get(name):
            found[name] = given[name]
    own = _by_factor(given.get("factor_judge") or ())
    for field, chosen in (
        ("factor_judges", {slug: names[0] for slug, names in own.items() if len(names) == 1}),
        ("factor_panels", {slug: names for slug, names in own.items() if len(names) > 1}),
    ):
        kept = {slug: judge for slug, judge in (said.get(field) or {}).items() if slug not in own}
        found[field] = {**kept, **chosen} or None
    return found


def judges_named(body: Mapping[str, Any]) -> list[str]:
    """All judges that a body names, each once."""
    panels = [body.get("panel") or (), *(body.get("factor_panels") or {}).values()]
    mixture = Mixture(body["mixture"]).judges if body.get("mixture") else {}
    names = [
        body.get("judge"),
        *(name for panel in panels for name in panel),
        *(body.get("factor_judges") or {}).values(),
        *map(str, mixture.values()),
    ]
    return list(dict.fromkeys(name for name in names if name))


def _by_factor(options: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for option in options:
        factor, equals, judge = option.partition("=")
        if not (factor and equals and judge):
            raise CommandError(
                f"--factor-judge takes FACTOR=NAME, such as groundness=openai:MODEL, not {option!r}."
            )
        found.setdefault(factor, []).append(judge)
    return found


def _rubric_in(path: Path) -> Json:
    """Return the factor in a TOML or JSON file, unchecked: the service checks it. Raises CommandError for an unreadable file."""
    if not path.is_file():
        raise CommandError(f"--rubric {path} does not exist.")
    found = read_toml(path) if path.suffix == ".toml" else read_json(path)
    if not isinstance(found, dict):
        raise CommandError(
            f"{path} is not a factor: it has no fields such as `slug`, `definition`, `levels`."
        )
    return found


def examples_in(path: Path) -> list[Json]:
    """Return the anchors in a file, as a request holds them. Raises CommandError for a file that has none."""
    try:
        rows = read_json(path)["anchors"]
        found = [{name: row[name] for name in ("factor", "score", "log")} for row in rows]
    except (FileError, KeyError, TypeError):
        found = []
    if not found:
        raise CommandError(
            f"{path} contains no anchors. Write them with `crs-eval calibrate --examples {path}`."
        )
    return found
