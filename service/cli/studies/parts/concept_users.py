"""The grid of CONCEPT's users: twelve personas, four age groups, attribute groups of a catalogue."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ....importing.entries import plain_name
from ....simulators.phrases import age_groups, persona_names
from ...exits import CommandError
from ...files import read_text
from ...inputs import Json, Source


@dataclass(frozen=True)
class Grid:
    """The attribute groups of the users: the `count` most frequent sets of so many values of a dimension."""

    count: int
    sizes: tuple[int, ...]
    dimension: str


def grid_of(catalog: str | None, grid: Grid, own: Sequence[Json] = ()) -> list[Source]:
    """A user for each persona, age group and attribute group, always in the same order. `own` personas take the place
    of the twelve.

    Raises CommandError without the file of a catalogue, and where it has too few groups. Raises it also for a persona without a
    description that is none of the twelve."""
    personas = [_persona(one) for one in own] or [{"persona": name} for name in persona_names()]
    if catalog is None or not Path(catalog).is_file():
        raise CommandError(
            "The grid of users is made from a catalogue: give its file by --catalog, or users by --users."
        )
    groups = attribute_groups(items_of(Path(catalog)), grid)
    domain = plain_name(Path(catalog)).stem
    users = [
        (f"{persona['persona']}-{age}-{'+'.join(group)}", persona, age, group)
        for group in groups
        for persona in personas
        for age in age_groups()
    ]
    return [
        Source(
            place=f"user {name}",
            conversation=name,
            log={
                "id": name,
                "user": {**persona, "age_group": age, "attributes": list(group)},
                "messages": [],
                "metadata": {"dataset": domain},
            },
            catalog=None,
            position=None,
        )
        for name, persona, age, group in users
    ]


def _persona(given: Json) -> Json:
    name, description = given.get("persona"), given.get("description")
    if not isinstance(name, str) or not (isinstance(description, str) or name.casefold() in persona_names()):
        raise CommandError(
            f"--personas: {name!r} is none of {', '.join(persona_names())}: describe it, as in "
            '{"persona": "haste", "description": "You are in a hurry."}.'
        )
    return {"persona": name} | ({"persona_description": description} if isinstance(description, str) else {})


def attribute_groups(items: list[Json], grid: Grid) -> list[tuple[str, ...]]:
    """The most frequent sets of values that items have whole, the first by name of equally frequent ones (CONCEPT,
    appendix B.2.2: 19 groups of three genres on ReDial). Raises CommandError where there are too few."""
    counts = Counter(
        found
        for item in items
        if len(found := tuple(sorted(set((item.get("attributes") or {}).get(grid.dimension) or ()))))
        in grid.sizes
    )
    ranked = sorted(counts, key=lambda group: (-counts[group], group))
    if len(ranked) < grid.count:
        sizes = " or ".join(map(str, grid.sizes))
        raise CommandError(
            f"The catalogue has {len(ranked)} sets of {sizes} values of {grid.dimension!r}, and --groups asks for "
            f"{grid.count}. Ask for fewer, or for other --group-sizes or another --dimension."
        )
    return ranked[: grid.count]


def items_of(path: Path) -> list[Json]:
    """The items of a catalogue. Raises CommandError for a line that is none."""
    found = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if line.strip():
            try:
                item = json.loads(line)
            except ValueError:
                raise CommandError(f"{path}:{number}: not JSON.") from None
            if not isinstance(item, dict):
                raise CommandError(f"{path}:{number}: no item.")
            found.append(item)
    return found
