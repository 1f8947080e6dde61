"""Write docs/calibration-figures.md: simulations, and real conversations in a folder of data.

`python -m research.calibration --data DATA` takes some ten minutes on one core."""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from service.domain.calibration import Form
from service.telemetry.logging import configure_logging

from . import real, simulate
from .worlds import DRAWS, RATINGS

OUT = Path("docs/calibration-figures.md")
_HEAD = """# Calibration: what was measured

For researchers who check the statistics behind `/calibrate`.

Written by `python -m research.calibration`; the page for users is [calibration.md](calibration.md). Simulated ratings have the levels
0 to 4. Their judge has the correlation r with people after its scores are cut to the scale. All figures come from the code that
serves `/calibrate`.
"""
_WORTH = """The formula 1/(1 - r^2 m/N) takes the best weight as known. With the known weight, every row lies within 10 % of it. The service
estimates the weight from the labels. The worth found is then within 10 % of the formula in 42 of the 48 rows. In six it is
not (*share* under .9):

- r = .9 and 80 % of ratings at one end, with 20 and 30 labels;
- r = .9 and 5 % at one end, with 20, 30 and 60 labels;
- r = .67 and 5 % at one end, with 30 labels: just under .9.

There the weight rests on six unlike labels or fewer, and no larger number of trials changes that. The *fitted* formula, which allows for
the estimated weight, holds within 10 % wherever r is at most .67. It also holds where 8 labels or more differ from the commonest one.

The worth that the service reports does not repeat the formula. It exceeds the worth found by 5 % at most in every row. Where 8 labels
or more differ it lies within 10 % of it.

With 20 or 30 labels and 5 % of ratings at one end, all labels are equal in 36 or 22 % of samples. They say nothing of the
judge, and its weight is 0 there."""


def page(folder: Path) -> str:
    """Return the whole page."""
    parts = [_HEAD, *_coverage(), *_worths(), *_held(), *_warnings(), *_maps(), *_singles(), *_real(folder)]
    return "\n".join(parts).rstrip() + "\n"


def _coverage() -> Iterator[str]:
    cells = list(simulate.coverage_cells())
    yield (
        f"\n## Intervals of means\n\n{simulate.TRIALS:,} trials a cell, {simulate.OTHERS} judged conversations without labels, 95 % "
        "intervals. *Calibrated* and *plain* are the shares of intervals that hold the true mean, with the judge and from the "
        "labels alone. *Width* is the calibrated interval's over the plain one's. *t* is Student's interval on the plain labels. "
        "*Worth* is the variance of the plain mean over that of the calibrated one, found over all trials. *Bias* is the distance of "
        "the calibrated mean above the true one, on average, in points. The judge alone is 0.8 too high on ratings like "
        "CRSArena's, and 1.6 to 2.0 too low on the others.\n"
    )
    for ratings in RATINGS:
        for draw in DRAWS:
            yield f"\n### Ratings {ratings}, drawn {_drawn(draw)}\n"
            here = [cell for cell in cells if (cell.ratings, cell.draw) == (ratings, draw)]
            equal = DRAWS[draw] is None
            heads = [
                "labels",
                "r",
                "calibrated",
                "plain",
                *(["t"] if equal else []),
                "width",
                "worth",
                "bias",
            ]
            yield from _table(
                heads,
                [
                    [
                        str(cell.labels),
                        f"{cell.correlation:g}",
                        f"{cell.calibrated:.3f}",
                        f"{cell.plain:.3f}",
                        *([f"{cell.student:.3f}"] if equal else []),
                        f"{cell.ratio:.3f}",
                        f"{cell.worth:.2f}",
                        f"{cell.bias:+.3f}",
                    ]
                    for cell in here
                ],
            )


def _worths() -> Iterator[str]:
    yield (
        f"\n## The worth of a label\n\n{simulate.WORTH_TRIALS:,} random samples a row, {simulate.OTHERS} judged conversations without "
        "labels. *Unlike* is how many labels differ from the commonest one, on average. *Best weight* is the k that makes the "
        "variance least, and *known* the worth where it is known. *Fitted* is the formula with the variance of a weight that is "
        "estimated (Cochran, Sampling Techniques, 12.6): `1/((1 - r^2)(1 + (m/N)/(n - 3)) + r^2 n/N)`. *Found* is the variance of the "
        "plain mean over that of the calibrated one. *Reported* is the median of the `worth` that samples report, and *share* the "
        "worth found over the first formula's."
        f"\n\n{_WORTH}\n"
    )
    rows = [
        [
            *(cell.ratings, str(cell.labels), f"{cell.correlation:g}", f"{cell.unlike:.1f}"),
            *(f"{one:.2f}" for one in (cell.weight, cell.formula, cell.fixed, cell.fitted, cell.found)),
            *(f"{cell.reported:.2f}", f"{cell.share:.2f}"),
        ]
        for cell in simulate.worth_cells()
    ]
    heads = ["ratings", "labels", "r", "unlike", "best weight", "1/(1 - r^2 m/N)", "known", "fitted", "found", "reported", "share"]  # fmt: skip
    yield from _table(heads, rows)


def _held() -> Iterator[str]:
    yield (
        f"\n## The largest weight of a judge\n\n{simulate.WORTH_TRIALS:,} random samples a row, {simulate.OTHERS} judged conversations "
        "without labels. PPI++ holds the weight k in 0 to 1; the service lets it reach 4. The first figure of each pair is for k up "
        "to 1, the second for k up to 4. *Coverage* is that of 95 % intervals, *width* theirs over the plain ones'.\n\n"
        "The best k exceeds 1 where the judge uses less of the scale than people do. A bound of 1 then gives up worth and widens "
        "intervals; coverage changes by .005 at most. Where the best k is near 1, the bound of 1 gains 2 % of worth at most.\n"
    )
    rows = [
        [
            *(cell.ratings, str(cell.labels), f"{cell.correlation:g}"),
            *(f"{one:.2f}" for one in cell.worth),
            *(f"{one:.3f}" for pair in (cell.coverage, cell.width) for one in pair),
        ]
        for cell in simulate.held_cells()
    ]
    heads = ["worth, k to 1", "to 4", "coverage, k to 1", "to 4", "width, k to 1", "to 4"]
    yield from _table(["ratings", "labels", "r", *heads], rows)


def _drawn(draw: str) -> str:
    shares = DRAWS[draw]
    if shares is None:
        return "at random"
    return (
        "from thirds by the judge's score, "
        + " / ".join(f"{share:.0%}" for share in shares)
        + " of the labels"
    )


def _warnings() -> Iterator[str]:
    yield (
        "\n## Warnings of labels that are no random sample\n\n60 labels, 2,000 trials a row. A row's shift is that of the labelled "
        "conversations' mean score, in standard deviations.\n"
    )
    rows = [
        [str(row.systems), str(row.others), f"{row.shift:.2f}", f"{row.share:.1%}"]
        for row in simulate.warnings()
    ]
    yield from _table(["systems", "others", "shift", "warned"], rows)


def _maps() -> Iterator[str]:
    yield (
        "\n## Maps\n\n200 sets of labels a row, 40,000 fresh conversations. *Worse* is the share of maps whose error on these exceeds "
        "that of the judge's own score by more than 2 %. *Error* is the mean of the errors over that of the judge's own score.\n"
    )
    rows = [
        [
            row.kind,
            str(row.labels),
            f"{row.worse:.1%}",
            f"{row.ratio:.3f}",
            *(str(row.forms[form]) for form in Form),
        ]
        for row in simulate.maps()
    ]
    yield from _table(["judge", "labels", "worse", "error", *(form.value for form in Form)], rows)


def _singles() -> Iterator[str]:
    yield (
        "\n## Intervals of single verdicts\n\nCV+ at 90 %, 300 sets of labels a row, 20,000 fresh conversations. Ratings in the last "
        "two kinds are whole levels, to which bounds are rounded outward.\n"
    )
    rows = [
        [row.kind, str(row.labels), f"{row.coverage:.3f}", f"{row.spread:.3f}", f"{row.width:.2f}"]
        for row in simulate.singles()
    ]
    yield from _table(["judge", "labels", "coverage", "standard deviation between sets", "width"], rows)


def _real(folder: Path) -> Iterator[str]:
    means, maps = [], []
    for data in real.read(folder):
        means += [_mean_row(row) for row in real.resampled(data)]
        made = real.real_map(data)
        maps.append([made.data, str(made.labels), made.form, f"{made.before:.2f}", f"{made.after:.2f}", f"{made.coverage:.3f}"])  # fmt: skip
    yield (
        "\n## Real conversations\n\nThe embedded judge's debate, moved to people's scale, on three sets with people's labels. Each "
        f"of {real.TRIALS:,} trials draws as many conversations as there are, with replacement, and labels the first of them.\n"
    )
    heads = ["data", "system", "judged", "labels", "r", "judge", "people", "calibrated", "coverage", "plain coverage", "width", "worth", "1/(1 - r^2 m/N)"]  # fmt: skip
    yield from _table(heads, means)
    yield "\nMaps from all labels; errors are root mean squared ones by cross-validation.\n"
    yield from _table(["data", "labels", "form", "error before", "error", "coverage at 90 %"], maps)


def _mean_row(row: real.Resampled) -> list[str]:
    figures = (row.judge_mean, row.people_mean, row.calibrated_mean)
    return [
        *(row.data, row.part, str(row.judged), str(row.labels), f"{row.correlation:.2f}"),
        *(f"{figure:.2f}" for figure in figures),
        *(f"{row.coverage:.3f}", f"{row.plain_coverage:.3f}", f"{row.ratio:.3f}"),
        *(f"{row.worth:.2f}", f"{row.expected:.2f}"),
    ]


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield "| " + " | ".join(heads) + " |"
    yield "| " + " | ".join("---" for _ in heads) + " |"
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=OUT)
    given = parser.parse_args()
    configure_logging("json", "error")
    given.out.write_text(page(given.data), encoding="utf-8")


if __name__ == "__main__":
    main()
