"""Computed metrics of a study, in full precision: `/computational-metrics` answers with four digits."""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ....api.wire.metrics import MetricsAnswer, MetricsRequest
from ....catalogue.catalogue import Catalogue
from ....catalogue.file import read_items
from ....errors import CrsEvalError
from ....metrics import compute
from ....metrics.matching import Matching
from ...exits import CommandError
from ...inputs import Json
from ..steps import Asking


async def metrics(asking: Asking, body: dict[str, Any]) -> Json:
    """The answer to a body of `/computational-metrics`, computed here, with the run's catalogue. The catalogue of a
    service that knows it by name alone is not at hand: then that service answers. Raises CommandError."""
    present = {key: value for key, value in body.items() if value is not None}
    if asking.catalog is not None and asking.catalog_file is None:
        answer: Json = await asking.once("/computational-metrics", {**present, "catalog": asking.catalog})
        return answer
    asked = MetricsRequest.model_validate_json(json.dumps(present))
    try:
        report = compute(
            asked.logs,
            verdicts=[[verdict.value() for verdict in each] for each in asked.verdicts or ()],
            reply_pairs=[pair.value() for pair in asked.reply_pairs or ()],
            metrics=asked.metrics,
            k=asked.k,
            turns=asked.turns,
            group_by=asked.group_by or (),
            spread_over=asked.spread_over or (),
            catalogue=None if asking.catalog_file is None else catalogue_of(asking.catalog_file),
            matching=asked.matching or Matching.STRICT,
        )
    except CrsEvalError as wrong:
        raise CommandError(f"These conversations cannot be measured: {wrong.detail}") from None
    return MetricsAnswer.of(report).model_dump()


async def recalls(asking: Asking, log: Json, cuts: Sequence[int], scope: str) -> dict[int, float]:
    """One conversation's recall in lists at each cut, of the last list or of all (`session`); those that are defined."""
    rows = (await metrics(asking, {"logs": [log], "metrics": ["recall"], "k": list(cuts)}))["rows"]
    return {
        row["k"]: row["value"]
        for row in rows
        if row["scope"] == scope and row["view"] == "lists" and row["k"] in cuts and row["value"] is not None
    }


@cache
def catalogue_of(path: Path) -> Catalogue:
    """The catalogue in a file."""
    return Catalogue.of(read_items(path), path.stem)
