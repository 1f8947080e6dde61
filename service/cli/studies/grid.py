"""CONCEPT's grid of users: personas, age groups, and attribute groups of a catalogue."""

from collections import Counter
from collections.abc import Sequence
from itertools import product
from pathlib import Path

from ...importing.entries import plain_name
from ...simulators.phrases import age_groups, persona_names
from ..exits import CommandError
from ..inputs import Json, Source, objects


def grid_of(
    catalog: str | None, count: int, sizes: Sequence[int], dimension: str, own: Sequence[Json] = ()
) -> list[Source]:
    """A user for each persona, age group and attribute group, always in the same order. `own` personas take the place
    of the twelve.

    Raises CommandError without the file of a catalogue, and where it has too few groups. Raises it also for a persona without a
    description that is none of the twelve."""
    personas = [_persona(one) for one in own] or [{"persona": name} for name in persona_names()]
    if catalog is None or not Path(catalog).is_file():
        raise CommandError(
            "The grid of users is made from a catalogue: give its file by --catalog, or users by --users."
        )
    groups = attribute_groups(objects([catalog]), count, sizes, dimension)
    domain = plain_name(Path(catalog)).stem
    users = []
    for group in groups:
        for persona, age in product(personas, age_groups()):
            name = f"{persona['persona']}-{age}-{'+'.join(group)}"
            user = {**persona, "age_group": age, "attributes": list(group)}
            log = {"id": name, "user": user, "messages": [], "metadata": {"dataset": domain}}
            users.append(Source(f"user {name}", name, log, None, None))
    return users


def _persona(given: Json) -> Json:
    name, description = given.get("persona"), given.get("description")
    if not isinstance(name, str) or not (isinstance(description, str) or name.casefold() in persona_names()):
        raise CommandError(
            f"--personas: {name!r} is none of {', '.join(persona_names())}: describe it, as in "
            '{"persona": "haste", "description": "You are in a hurry."}.'
        )
    return {"persona": name} | ({"persona_description": description} if isinstance(description, str) else {})


def attribute_groups(
    items: Sequence[Json], count: int, sizes: Sequence[int], dimension: str
) -> list[tuple[str, ...]]:
    """The `count` most frequent sets of so many values of a dimension that items have whole. The first by name comes first of
    equally frequent ones (CONCEPT, appendix B.2.2: 19 groups of three genres on ReDial).

    Raises CommandError where there are too few."""
    found = (tuple(sorted({*((item.get("attributes") or {}).get(dimension) or ())})) for item in items)
    counts = Counter(group for group in found if len(group) in sizes)
    ranked = sorted(counts, key=lambda group: (-counts[group], group))
    if len(ranked) < count:
        wanted = " or ".join(map(str, sizes))
        raise CommandError(
            f"The catalogue has {len(ranked)} sets of {wanted} values of {dimension!r}, and --groups asks for "
            f"{count}. Ask for fewer, or for other --group-sizes or another --dimension."
        )
    return ranked[:count]
