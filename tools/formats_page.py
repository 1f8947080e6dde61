"""docs/importing.md, the part that the formats themselves say: what each reads and what of its sample a log keeps."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from service.importing.format import Format, Line
from service.importing.formats import formats
from service.importing.imported import Imported, Wanted
from service.importing.importer import Import
from service.importing.kept import kept_of
from tools.marked_part import with_part

PAGE = Path(__file__).parent.parent / "docs" / "importing.md"
SAID: Sequence[Line] = (
    ("user", "A quiet film, please"),
    ("assistant", "Try Paper Lanterns (2009)"),
    ("user", "No, another"),
    ("assistant", "Then Glass Harvest (2018)"),
)
_NAMES = {"1": "Paper Lanterns (2009)", "3": "Glass Harvest (2018)"}


def importing_page() -> str:
    """The page with its table as the formats are."""
    return with_part(
        PAGE.read_text(),
        "formats",
        [
            "| `--from` | reads | of its sample are kept | and left out |",
            "| --- | --- | --- | --- |",
            *(_row(known) for known in formats().values()),
        ],
    )


def _row(known: Format) -> str:
    made, around = _of_sample(known)
    kept = sum((kept_of(one) for one in made), Counter[str]())
    left = sum((Counter(one.left) for one in made), around)
    name = (
        f"[`{known.name}`]({known.described})"
        if known.described.startswith("https://")
        else f"`{known.name}`"
    )
    return f"| {name} | {known.reads} | {_named(kept)} | {_named(left) or 'nothing'} |"


def _of_sample(known: Format) -> tuple[list[Imported], Counter[str]]:
    under_way = Import([("sample", known.sample(SAID).encode())], known.name, Wanted(names=_NAMES))
    return list(under_way.logs()), under_way.left


def _named(counts: "Counter[str]") -> str:
    """The names of what is counted, metadata last."""
    plain = [name for name in counts if "metadata" not in name]
    noted = [re.sub(r"^(?:\w+\.)?metadata\.", "", name) for name in counts if name not in plain]
    told = [", ".join(f"`{name}`" for name in plain)]
    return "; as metadata ".join(
        [*filter(None, told), *([", ".join(f"`{name}`" for name in dict.fromkeys(noted))] if noted else [])]
    )
