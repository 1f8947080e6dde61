"""The packages of `crs-eval[live]` are not in the base install, and the lock of the extra adds nothing else."""

import re
from pathlib import Path

REQUIREMENTS = Path(__file__).parents[2] / "requirements"
EXTRA = {"psycopg", "psycopg-binary", "sqlalchemy", "tzdata"}


def locked(name: str) -> dict[str, str]:
    return dict(
        re.findall(r"^([a-z0-9._-]+)(?:\[[^]]+\])?==(\S+)", (REQUIREMENTS / name).read_text(), re.MULTILINE)
    )


def test_the_extra_adds_its_own_packages_to_the_base_install_and_changes_none() -> None:
    base, live = locked("runtime.txt"), locked("live.txt")
    assert not EXTRA & base.keys()
    assert live.keys() - base.keys() == EXTRA
    assert {name: live[name] for name in base} == base
