"""The judges that a command asks: its options, over what `crs-eval.toml` says."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..domain.rubric import Judging
from ..scoring.mixture import Mixture
from .exits import CommandError


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


def judging_in(options: Sequence[str]) -> dict[str, str]:
    """The ways of judging that options name, by factor. Raises CommandError for one that names no factor, or no way."""
    found = {}
    for option in options:
        factor, _, way = option.partition("=")
        if not factor or way not in set(Judging):
            ways = " or ".join(Judging)
            raise CommandError(f"--factor-judging takes FACTOR=WAY, WAY being {ways}, not {option!r}.")
        found[factor] = way
    return found


def _by_factor(options: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for option in options:
        factor, equals, judge = option.partition("=")
        if not (factor and equals and judge):
            raise CommandError(
                f"--factor-judge takes FACTOR=NAME, as in groundness=openai:MODEL, not {option!r}."
            )
        found.setdefault(factor, []).append(judge)
    return found
