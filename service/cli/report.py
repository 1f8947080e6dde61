"""A report as one HTML file that needs nothing else: the results, and the script of the page that draws them.

Its frame is `service/web/page/report.html`, made from `clients/page/src/report.ts`. The page fills the same frame
for its download, so that the same results are the same file."""

from dataclasses import asdict
from pathlib import Path

from .browser_json import script_json
from .scores import Run

FRAME = Path(__file__).parent.parent / "web" / "page" / "report.html"
_PLACE = "{{results}}"
_FIELDS = ("conversation", "system", "answer", "failure")


def report(run: Run) -> str:
    """The whole document. What logs and judges wrote is data in it: its policy lets no other script run."""
    records = [asdict(record) for record in run.records]
    results = [{name: record[name] for name in _FIELDS} for record in records]
    return FRAME.read_text(encoding="utf-8").replace(_PLACE, script_json(results))
