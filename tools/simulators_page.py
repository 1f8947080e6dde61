"""docs/simulated-users.md, the part that the registry of kinds says: what each is, knows, takes, and an example by hand."""

from pathlib import Path

from service.simulators.kind import Kind, Setting
from service.simulators.kinds import kinds
from tools.marked_part import with_part

PAGE = Path(__file__).parent.parent / "docs" / "simulated-users.md"


def simulated_users_page() -> str:
    """The page with its tables as the registry is."""
    known = kinds().values()
    return with_part(
        PAGE.read_text(),
        "simulators",
        [
            "| `type` | who it is | spoken by | what it knows beside the messages | settings, their bounds and defaults |",
            "| --- | --- | --- | --- | --- |",
            *(_row(kind) for kind in known),
            "",
            "Each is followed by hand on a small example:",
            "",
            "| `type` | example |",
            "| --- | --- |",
            *(f"| `{kind.name}` | {kind.example.worked} |" for kind in known),
        ],
    )


def _row(kind: Kind) -> str:
    knows = ", ".join(f"`{name}`" for name in kind.knows)
    readings = [f"`variant` {', '.join(f'`{name}`: {says}' for name, says in kind.variants.items())}"]
    settings = ", ".join(
        [*(_setting(*one) for one in kind.settings.items()), *(readings if kind.variants else ())]
    )
    return f"| `{kind.name}` | {kind.says} | {kind.speaks} | {knows} | {settings} |"


def _setting(name: str, setting: Setting) -> str:
    return f"`{name}` {setting.least} to {setting.most}, {setting.default}"
