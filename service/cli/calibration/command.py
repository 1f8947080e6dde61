"""`crs-eval calibrate`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..exits import CommandError
from ..file_formats import json_text
from ..files import without_collection
from ..judge_commands import output, say
from ..options import judge_option
from ..records import write_atomically

if TYPE_CHECKING:
    from .calibration_file import CalibrationMaterial, Wishes


def calibrate(
    results: Annotated[
        list[str], typer.Argument(help="Results of crs-eval score or debate.", show_default=False)
    ],
    *,
    labels: Annotated[
        list[str],
        typer.Option(
            help="Ratings of people: exports of the sheet, filled-in CSV, ratings as crs-eval agreement takes them. May be "
            "repeated.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The calibration, a .json file for the service and crs-eval gate."),
    ] = None,
    examples: Annotated[
        Path | None,
        typer.Option(help="Labelled conversations to show a model as anchors: a .json file. Needs --logs."),
    ] = None,
    shots: Annotated[int, typer.Option(help="Anchors for each factor.", min=2, max=20)] = 4,
    logs: Annotated[
        list[str] | None, typer.Option(help="The logs that were judged, for --examples. May be repeated.")
    ] = None,
    same: Annotated[
        list[str] | None,
        judge_option(help="factor=label: what people rated under another name. May be repeated."),
    ] = None,
    scale: Annotated[
        list[str] | None,
        judge_option(help="label=low:high: the ends of a label's own scale. May be repeated."),
    ] = None,
) -> None:
    """Say what people would give, from their labels of some conversations and a judge's scores of all."""
    from ..labelling.judged import judged_records
    from ..labelling.labels import holds_labels, read_labels
    from ..scores import is_results
    from .calibration_file import CalibrationMaterial, file_text
    from .matching import consistency, judged_scores, matched
    from .tables import print_calibration

    for path in (out, examples):
        if path is not None and path.suffix.lower() != ".json":
            raise CommandError(f"{path}: this file's name ends in .json.")
    for given in results:
        # A pattern after --labels that fits several files makes all but the first of them results.
        if holds_labels(given):
            raise CommandError(
                f"{given} holds labels, not results. Give --labels once for each file of labels."
            )
    if any(is_results(path) for path in labels):
        raise CommandError("--labels names results of a judge: give what people said.")
    with without_collection():
        records = judged_records(results)
        matching = matched(read_labels(labels), records)
        scores = list(judged_scores(records))
        material = CalibrationMaterial.of(scores, matching, _wishes(same, scale))
        answer, steady, remarks = material.answer(), consistency(matching), list(matching.remarks())
    print_calibration(output(), answer, steady, remarks)
    if out is not None:
        write_atomically(out, file_text(answer, material))
        say(f"The calibration is in {out}.")
    if examples is not None:
        _write_examples(examples, material, logs or (), shots)


def _write_examples(path: Path, material: "CalibrationMaterial", logs: Sequence[str], shots: int) -> None:
    from ..labelling.judged import with_logs
    from .calibration_file import anchors_of

    labelled = {(one.record.conversation, one.record.system): one.record for one in material.matched.first}
    anchors = anchors_of(material, with_logs(list(labelled.values()), logs), shots)
    write_atomically(path, json_text({"anchors": anchors}))
    say(f"The anchors are in {path}.")


def _wishes(
    same: Sequence[str] | None,
    scale: Sequence[str] | None,
) -> "Wishes":
    from .calibration_file import Wishes

    pairs = dict(_pair("--same", "FACTOR=LABEL", text) for text in same or ())
    scales = {
        name: _ends(name, text)
        for name, text in (_pair("--scale", "LABEL=0:4", text) for text in scale or ())
    }
    return Wishes(pairs, scales)


def _pair(option: str, form: str, text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name or not value:
        raise CommandError(f"{option} {text}: it is written {form}.")
    return name, value


def _ends(name: str, text: str) -> tuple[int, int]:
    low, _, high = text.partition(":")
    try:
        ends = int(low), int(high)
    except ValueError:
        raise CommandError(f"--scale {name}={text}: it is written LABEL=0:4, in whole numbers.") from None
    if ends[0] >= ends[1]:
        raise CommandError(f"--scale {name}={text}: the lower end comes first.")
    return ends
