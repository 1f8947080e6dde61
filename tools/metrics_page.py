"""docs/computational-metrics.md, the part that the registry of metrics says: what each is, needs, and an example by hand."""

from collections.abc import Sequence
from pathlib import Path

from service.metrics.families import metrics
from service.metrics.figures import Undefined
from service.metrics.metric import Metric
from tools.marked_part import with_part

PAGE = Path(__file__).parent.parent / "docs" / "computational-metrics.md"


def computational_metrics_page() -> str:
    """The page with its tables as the registry is."""
    known = metrics().values()
    return with_part(
        PAGE.read_text(),
        "metrics",
        [
            "| metric | view | unit | needs | definition |",
            "| --- | --- | --- | --- | --- |",
            *(
                f"| `{one.name}` | {_listed(one.views)} | {one.unit} | {_listed(one.needs)} | {one.says} |"
                for one in known
            ),
            "",
            "A metric that lacks what it needs has rows without a value. Each is worked by hand on a small example:",
            "",
            "| metric | example |",
            "| --- | --- |",
            *(_example(one) for one in known),
            "",
            f"`undefined` is one of {', '.join(f'`{code}`' for code in Undefined)}. The list may grow.",
        ],
    )


def _example(metric: Metric) -> str:
    return f"| `{metric.name}` | {metric.example.worked} |"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)
