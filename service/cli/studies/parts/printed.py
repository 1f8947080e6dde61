"""CoRE's own figures, which stand beside those of a run."""

from collections.abc import Sequence

from ...tabulating.formats import StudyTable
from ..papers import published, published_table, source
from .sessions import file_name

COMMON = "GPT-4o-mini"
"""The judge whose table is shown where none of the run's is among the paper's."""


def tables(judges: Sequence[str], factors: Sequence[str]) -> list[StudyTable]:
    """Systems by factors of each of the paper's ten judges (tables 23-32); those that are none of the run's are folded."""
    printed = published("core")["factors"]
    own = {name for name in printed["judges"] if any(_same(name, judge) for judge in judges)} or {COMMON}
    found = []
    for name, table in sorted(printed["judges"].items(), key=lambda one: one[0] not in own):
        rows = [[factor, *(f"{mean:.2f} ({sd:.2f})" for mean, sd in table[factor])] for factor in factors]
        title = f"Published: systems by factor, mean (SD), judge {name}"
        place = {"columns": printed["columns"], "place": f"table {table['table']}"}
        own_name, folded = f"factors-{file_name(name)}", name not in own
        found.append(
            published_table("core", own_name, title, ["factor"], printed=place, rows=rows, folded=folded)
        )
    return found


def _same(name: str, judge: str) -> bool:
    """Return True for a judge of the run that is one of the paper's, by its name."""
    plain = "".join(sign for sign in name.casefold() if sign.isalnum())
    return plain in "".join(sign for sign in judge.casefold() if sign.isalnum())


def mixture() -> StudyTable:
    """The paper's mixture of evaluators (figure 11): each dataset, then both weighed by their conversations."""
    found = published("core")["mixture"]
    title, labels = "Published: mixture of evaluators (CoRE, figure 11)", ["factor", "judge"]
    return published_table("core", "mixture", title, labels, printed=found, rows=found["rows"])


def of_plot(name: str) -> tuple[str, str]:
    """Return the words of the paper's text on a figure that is a plot, and their place."""
    found = published("core")["plots"][name]
    return f"Published: {found['told']}.", source("core", found["place"])
