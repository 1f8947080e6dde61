"""`crs-eval calibrate`."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..exits import CommandError
from ..judge_commands import console
from ..options import ASKING, AT_ONCE, AtOnce, Judge, Key, MaxCost, Url

if TYPE_CHECKING:
    from ..records import Record
    from .calibrating import Material, Wishes
    from .matching import Matched
    from .proof import Asking


class Reference(StrEnum):
    """The raters behind the labels."""

    PEOPLE = "people"
    JUDGE = "judge"


class Target(StrEnum):
    """The conversations that a mean is of."""

    FUTURE = "future"
    THESE = "these"


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
        typer.Option(
            "--out", "-o", help="The calibration, a .json file: for the service, and for crs-eval gate."
        ),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="The calibration with figures, as an .html file.")
    ] = None,
    examples: Annotated[
        Path | None,
        typer.Option(
            help="Labelled conversations to show a model as anchors, a .json file; it takes --logs.",
        ),
    ] = None,
    shots: Annotated[int, typer.Option(help="Anchors for each factor.", min=2, max=20)] = 4,
    logs: Annotated[
        list[str] | None, typer.Option(help="The logs that were judged, for --examples. May be repeated.")
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Cross-validate --examples without asking first.")
    ] = False,
    judge: Judge = None,
    url: Url = None,
    api_key: Key = None,
    at_once: AtOnce = AT_ONCE,
    max_cost: MaxCost = None,
    same: Annotated[
        list[str] | None,
        typer.Option(
            help="factor=label: what people rated under another name. May be repeated.",
            rich_help_panel=ASKING,
        ),
    ] = None,
    scale: Annotated[
        list[str] | None,
        typer.Option(
            help="label=low:high: the ends of a label's scale, if it is not a factor of crs-eval. May be repeated.",
            rich_help_panel=ASKING,
        ),
    ] = None,
    reference: Annotated[
        Reference,
        typer.Option(
            help="judge: --labels are results of a stronger judge, in place of people.",
            rich_help_panel=ASKING,
        ),
    ] = Reference.PEOPLE,
    target: Annotated[
        Target,
        typer.Option(help="Means of conversations like these, or of exactly these.", rich_help_panel=ASKING),
    ] = Target.FUTURE,
    within: Annotated[
        float | None,
        typer.Option(
            help="Say how many labels this precision takes, in points of people's scale; a twentieth of it by default.",
            rich_help_panel=ASKING,
        ),
    ] = None,
) -> None:
    """Say what people would give, from their labels of some conversations and a judge's scores of all."""
    from ..labelling.judged import judged_records
    from ..labelling.labels import holds_labels
    from ..reading import without_collection
    from ..records import write_atomically
    from .calibrating import Material
    from .calibration_file import file_text
    from .consistency import consistency
    from .judged_scores import judged_scores
    from .page import calibration_page
    from .proof import Asking
    from .tables import print_calibration

    for path, suffix in ((out, ".json"), (report, ".html"), (examples, ".json")):
        if path is not None and path.suffix.lower() != suffix:
            raise CommandError(f"{path}: this file's name ends in {suffix}.")
    for given in results:
        # A pattern after --labels that fits several files makes all but the first of them results.
        if holds_labels(given):
            raise CommandError(
                f"{given} holds labels, not results. Give --labels once for each file of labels."
            )
    with without_collection():
        records = judged_records(results)
        matched, name = _labels(labels, records, reference)
        scores = list(judged_scores(records))
        material = Material.of(scores, matched, _wishes(same, scale, name, target, within))
        answer, steady, remarks = material.answer(), consistency(matched), list(matched.remarks())
    shown = console()
    print_calibration(shown, answer, steady, remarks, name or Reference.PEOPLE.value)
    if out is not None:
        write_atomically(out, file_text(answer, material))
        shown.print(f"The calibration is in {out}.", highlight=False, markup=False)
    if report is not None:
        write_atomically(report, calibration_page(answer, material, steady, remarks))
        shown.print(f"The report is in {report}.", highlight=False, markup=False)
    if examples is not None:
        asked = judge or material.scores[0].judge
        asking = Asking(asked, url, api_key, at_once, max_cost, yes)
        _write_examples(examples, material, logs or (), shots, asking)


def _write_examples(
    path: Path, material: "Material", logs: Sequence[str], shots: int, asking: "Asking"
) -> None:
    from ..labelling.judged import with_logs
    from ..records import write_atomically
    from .examples import examples_of, examples_text
    from .proof import prove, told

    shown = console()
    labelled = {(one.record.conversation, one.record.system): one.record for one in material.matched.first}
    found = examples_of(material, with_logs(list(labelled.values()), logs))
    write_atomically(path, examples_text(found, shots, {}, asking.judge))
    shown.print(f"The anchors are in {path}.", highlight=False, markup=False)
    if gains := prove(found, shots, asking, shown):
        write_atomically(path, examples_text(found, shots, gains, asking.judge))
        for line in told(gains, found, asking.judge):
            shown.print(line, highlight=False, markup=False, soft_wrap=True)


def _labels(
    paths: Sequence[str], records: "Sequence[Record]", reference: Reference
) -> "tuple[Matched, str | None]":
    """The labels beside their conversations, and the name of the judge who gave them; None for people."""
    from ..labelling.judged import judged_records
    from ..labelling.labels import read_labels
    from ..scores import is_results
    from .matching import matched
    from .stronger_judge import judge_labels

    if reference is Reference.PEOPLE:
        if any(is_results(path) for path in paths):
            raise CommandError(
                "--labels names results of a judge; --reference judge takes them in place of people."
            )
        return matched(read_labels(paths), records), None
    for path in paths:
        if not is_results(path):
            raise CommandError(f"--reference judge takes results of crs-eval score, which {path} is not.")
    labels, name = judge_labels(judged_records(paths))
    return matched(labels, records), name


def _wishes(
    same: Sequence[str] | None,
    scale: Sequence[str] | None,
    reference: str | None,
    target: Target,
    within: float | None,
) -> "Wishes":
    from .calibrating import Wishes

    pairs = dict(_pair("--same", "FACTOR=LABEL", text) for text in same or ())
    scales = {
        name: _ends(name, text)
        for name, text in (_pair("--scale", "LABEL=0:4", text) for text in scale or ())
    }
    return Wishes(pairs, scales, reference, target.value, half_width=within)


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
