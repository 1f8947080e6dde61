"""`crs-eval calibrate`."""

from pathlib import Path
from typing import Annotated

import typer

from ..exits import CommandError
from ..file_formats import json_text
from ..files import check_outputs, without_collection
from ..judge_commands import output, print_lines
from ..options import judge_option
from ..records import write_atomically


def calibrate(
    results: Annotated[
        list[str], typer.Argument(help="Results of crs-eval score or debate.", show_default=False)
    ],
    *,
    labels: Annotated[
        list[str],
        typer.Option(
            help="Ratings by people: exports of the sheet, the filled-in CSV, or ratings for crs-eval agreement. May be "
            "repeated.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="File for the calibration (.json), for the service and crs-eval gate."
        ),
    ] = None,
    examples: Annotated[
        Path | None,
        typer.Option(
            help="File (.json) for labelled conversations to show a model as anchors. Requires --logs."
        ),
    ] = None,
    shots: Annotated[int, typer.Option(help="Number of anchors for each factor.", min=2, max=20)] = 4,
    logs: Annotated[
        list[str] | None, typer.Option(help="The logs that were judged, for --examples. May be repeated.")
    ] = None,
    same: Annotated[
        list[str] | None,
        judge_option(help="factor=label, if people rated a factor under another name. May be repeated."),
    ] = None,
    scale: Annotated[
        list[str] | None,
        judge_option(help="label=low:high, if a label has another scale. May be repeated."),
    ] = None,
) -> None:
    """Estimate the scores that people would give, from their labels of some conversations and a judge's scores of all."""
    from ...usecases.wire.calibrate import CalibrateAnswer
    from ..labelling.judged import judged_records, with_logs
    from ..labelling.labels import holds_labels, read_labels
    from ..scores import is_results
    from .calibration_file import CalibrationMaterial, Wishes, anchors_of, file_text
    from .matching import consistency, judged_scores, matched
    from .tables import print_calibration

    check_outputs([out, examples], [*results, *labels, *(logs or ())])
    for path in (out, examples):
        if path is not None and path.suffix.lower() != ".json":
            raise CommandError(f"{path}: the name of this file must end in .json.")
    for given in results:
        # A pattern after --labels that fits several files makes all but the first of them results.
        if holds_labels(given):
            raise CommandError(
                f"{given} contains labels, not results. Repeat --labels for each file of labels."
            )
    if any(is_results(path) for path in labels):
        raise CommandError("--labels names results of a judge. Pass the labels of people instead.")
    with without_collection():
        records = judged_records(results)
        matching = matched(read_labels(labels), records)
        scores = list(judged_scores(records))
        material = CalibrationMaterial.of(scores, matching, Wishes.of(same or (), scale or ()))
        answer = CalibrateAnswer.of(material.report).model_dump(mode="json")
    print_calibration(output(), answer, consistency(matching), matching.remarks())
    if out is not None:
        write_atomically(out, file_text(answer, material))
        print_lines(f"The calibration is in {out}.")
    if examples is not None:
        labelled = {(one.record.conversation, one.record.system): one.record for one in matching.first}
        anchors = anchors_of(material, with_logs(list(labelled.values()), logs or ()), shots)
        write_atomically(examples, json_text({"anchors": anchors}))
        print_lines(f"The anchors are in {examples}.")
