"""Seven sets of attempts, and of talk that means no harm, written without a look at what detects them.

The first six were used afterwards to widen the detectors; the seventh never was, so that it says how many to expect to see of
attempts that nobody has seen. What moved scores further than it may was mended in all seven. The harmless talk of the first
set was made to look like orders."""

import json
from pathlib import Path
from typing import Any

from .attempts import Attempt

_SETS: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_suffix(".json").read_text())

APART: dict[str, list[Attempt]] = {
    name: [Attempt(**each) for each in one["attempts"]] for name, one in _SETS.items()
}
HARMLESS_APART: dict[str, list[str]] = {name: one["harmless"] for name, one in _SETS.items()}
