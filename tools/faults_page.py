"""docs/faults.md: the tables of the fault catalogue and of its measurements."""

from pathlib import Path

from service.faults import Fault, load_faults
from service.faults.measured import Measurement, load_measurements
from tools.marked_part import with_part

PAGE = Path(__file__).parent.parent / "docs" / "faults.md"


def faults_page() -> str:
    """The page of faults with its tables as the files are."""
    faults = load_faults()
    by_home = sorted(faults.values(), key=lambda fault: (fault.home, -fault.costs[fault.home], fault.slug))
    listed = [
        "| fault | the reply ... | factor, cost | also costs | found by | certain |",
        "| --- | --- | --- | --- | --- | --- |",
        *map(_row, by_home),
    ]
    rows = [(slug, one) for slug, found in load_measurements().items() for one in found]
    measured = [
        "| fault | on | pairs | sensitivity | false alarms |",
        "| --- | --- | --- | --- | --- |",
        *(_measured(slug, one) for slug, one in rows),
    ]
    return with_part(with_part(PAGE.read_text(), "faults", listed), "measured", measured)


def _row(fault: Fault) -> str:
    also = ", ".join(f"{factor} {cost:g}" for factor, cost in fault.costs.items() if factor != fault.home)
    found = ", ".join(fault.found_by)
    home = f"{fault.home} {fault.costs[fault.home]:g}"
    return (
        f"| `{fault.slug}` | {fault.wording} | {home} | {also} | {found} | {'yes' if fault.certain else ''} |"
    )


def _measured(slug: str, one: Measurement) -> str:
    seen = (
        "unknown" if one.sensitivity is None else f"{one.sensitivity:.2f} ({one.low:.2f} to {one.high:.2f})"
    )
    alarms = "" if one.false_alarms is None else f"{one.false_alarms:.1%} of {one.good_replies}"
    return f"| `{slug}` | {one.on} | {one.n} | {seen} | {alarms} |"
