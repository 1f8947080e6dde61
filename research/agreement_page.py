"""The report of `make -C research agreement` as Markdown and plots."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

Rows = Sequence[Mapping[str, Any]]

# Pearson on CRSArena-Eval, all 467 conversations, ReDial half and OpenDialKG half.
PUBLISHED: Mapping[str, Mapping[str, tuple[float, float]]] = {
    "G-Eval": {
        "dialogue_overall": (0.58, 0.66),
        "understanding": (0.49, 0.54),
        "task_completion": (0.35, 0.43),
        "interest_arousal": (0.33, 0.42),
        "efficiency": (0.49, 0.49),
        "relevance": (0.49, 0.53),
        "interestingness": (0.30, 0.33),
    },
    "FACE": {
        "dialogue_overall": (0.71, 0.77),
        "understanding": (0.65, 0.72),
        "task_completion": (0.57, 0.59),
        "interest_arousal": (0.45, 0.45),
        "efficiency": (0.48, 0.52),
        "relevance": (0.55, 0.54),
        "interestingness": (0.44, 0.47),
    },
}
HALVES = ("redial", "opendialkg")
LABELS = {
    "dialogue_overall": "overall",
    "understanding": "understanding",
    "preference_elicitation": "preference elicitation",
    "explanation": "explanation",
    "efficiency": "efficiency",
    "task_completion": "task completion",
    "interest_arousal": "interest arousal",
    "relevance": "turn relevance",
    "interestingness": "turn interestingness",
    "satisfaction": "satisfaction at a turn",
}


@dataclass(frozen=True)
class Study:
    """The answer of `/agreement` on one file, judged with catalogues given or not."""

    name: str
    given: bool
    logs: int
    answered: int
    turns: int
    halves: Mapping[str, Rows]
    families: Mapping[str, Rows]
    everything: Rows
    judge: Rows
    people: Rows
    debate: Rows

    @property
    def stem(self) -> str:
        """Return what the names of this study's plots begin with."""
        return self.name.split(".")[0].replace("_", "-")


@dataclass(frozen=True)
class Report:
    """All studies of one judge."""

    judge: str
    studies: tuple[Study, ...]

    def plain(self) -> dict[str, Any]:
        """The same as plain values for JSON."""
        return asdict(self)

    def without_catalogue(self, study: Study) -> Study | None:
        """The same file judged without catalogues, where that was done too."""
        return next((s for s in self.studies if s.name == study.name and study.given and not s.given), None)

    @property
    def main(self) -> list[Study]:
        """One study a file: with catalogues where there are any."""
        return [
            s for s in self.studies if s.given or not any(o.name == s.name and o.given for o in self.studies)
        ]


def page(report: Report) -> str:
    """The whole page."""
    lines = [
        "# Agreement with people",
        "",
        "For everybody who wants to know how far to trust a score.",
        "",
        f"This page compares the judge `{report.judge}` with people's labels. Every figure comes from `POST /agreement`. Brackets "
        "hold the 95 % interval of a bootstrap over whole conversations. *Within* is Pearson's r after each system's own mean is "
        "taken away. *System mean* is the r of a judge that knows only which system talks. A pooled figure must exceed it before it "
        "says anything about a conversation. `make -C research agreement` writes this page from labelled conversations that are "
        "not part of the project.",
        "",
    ]
    for study in report.main:
        lines += _study(report, study)
    lines += _anchors()
    return "\n".join(lines).rstrip() + "\n"


def _study(report: Report, study: Study) -> list[str]:
    lines = [f"## {study.name}", ""]
    lines.append(
        f"{study.answered} of {study.logs} conversations judged, {study.turns} labels of turns; catalogues "
        f"{'given to the judge' if study.given else 'not given'}."
    )
    for half, rows in study.halves.items():
        lines += ["", f"### Pearson, {half}", ""]
        lines += _half_table(report, study, half, rows)
        lines += ["", f"![Pearson with people, {half}]({study.stem}-{half}.svg)"]
    if study.families:
        lines += [
            "",
            "### By family",
            "",
            "Pearson over the conversations of one family of systems alone.",
            "",
        ]
        lines += _family_table(study)
    lines += _ranks(study)
    lines += _debates(study)
    lines += _itself(study)
    return [*lines, ""]


def _half_table(report: Report, study: Study, half: str, rows: Rows) -> list[str]:
    twin = report.without_catalogue(study)
    published = half in HALVES
    head = ["label", "output", "n", "Pearson", *(["no catalogue"] if twin else []), "Spearman", "within"]
    head += ["system mean", *(PUBLISHED if published else [])]
    body = []
    for label, rater in compared(rows):
        found = {"factor": label, "rater": rater, "other": "people"}
        main = find(rows, statistic="pearson", over="pooled", **found)
        cells = [LABELS.get(label, label), rater, str(main["n"]) if main else "0", _shown(main, bounds=True)]
        if twin:
            cells.append(_shown(find(twin.halves[half], statistic="pearson", over="pooled", **found)))
        cells.append(_shown(find(rows, statistic="spearman", over="pooled", **found)))
        cells += [
            _shown(find(rows, statistic="pearson", over=over, **found))
            for over in ("within_system", "system_mean")
        ]
        if published:
            column = HALVES.index(half)
            cells += [f"{by[label][column]:.2f}" if label in by else "" for by in PUBLISHED.values()]
        body.append(cells)
    lines = _table(head, body)
    alphas = [
        f"{LABELS.get(str(row['factor']), row['factor'])} {_shown(row)}"
        for row in rows
        if row["statistic"] == "krippendorff_alpha" and row["rater"] == "people" and row["over"] == "pooled"
    ]
    if alphas:
        lines += ["", f"Krippendorff's alpha among the annotators: {'; '.join(alphas)}."]
    return lines


def _family_table(study: Study) -> list[str]:
    families = list(study.families)
    pairs = dict.fromkeys(pair for rows in study.families.values() for pair in compared(rows))
    body = []
    for label, rater in pairs:
        cells = [LABELS.get(label, label), rater]
        for family in families:
            wanted = {"factor": label, "rater": rater, "other": "people"}
            cells.append(_shown(find(study.families[family], statistic="pearson", over="pooled", **wanted)))
        body.append(cells)
    return _table(["label", "output", *families], body)


def _ranks(study: Study) -> list[str]:
    body = []
    for label, rater in compared(study.everything):
        if label != "dialogue_overall":
            continue
        found = {"factor": label, "rater": rater, "other": "people"}
        body.append(
            [
                rater,
                *(
                    _shown(find(study.everything, statistic=name, over=over, **found), bounds=True)
                    for name, over in (
                        ("spearman", "pooled"),
                        ("kendall_tau_b", "pooled"),
                        ("spearman", "systems"),
                        ("preference_kappa", "pooled"),
                    )
                ),
            ]
        )
    if not body:
        return []
    head = [
        "output",
        "Spearman",
        "tau-b",
        "Spearman of systems' means",
        "kappa of preferences between systems",
    ]
    return ["", "### Overall impression, all systems", "", *_table(head, body)]


def _debates(study: Study) -> list[str]:
    numbers = sorted({row["round"] for row in study.debate if row["round"] is not None})
    if not numbers:
        return []
    names = ("debate_all_agree", "debate_major_agree", "debate_spread")
    body = [
        [str(n), *(_shown(find(study.debate, statistic=name, round=n), bounds=True) for name in names)]
        for n in numbers
    ]
    lines = ["", "### Debate", "", "Shares of debates; one that has ended keeps its last round.", ""]
    lines += _table(["round", "all agree", "three quarters agree", "spread (points of 100)"], body)
    means = [row for row in study.debate if row["statistic"] == "mean_score" and row["rater"]]
    systems = list(dict.fromkeys(row["system"] for row in means if row["system"]))
    if systems:
        body = [
            [rater, *(_points(find(means, rater=rater, system=system)) for system in systems)]
            for rater in dict.fromkeys(str(row["rater"]) for row in means)
        ]
        lines += ["", "Mean score of each role by system, last round.", "", *_table(["role", *systems], body)]
        lines += ["", f"![Systems by people and by the debate]({study.stem}-systems.svg)"]
    return lines


def _itself(study: Study) -> list[str]:
    lines = []
    coupling = find(study.judge, statistic="mean_coupling")
    if coupling:
        people = find(study.people, statistic="mean_coupling")
        beside = (
            f"; between people's labels {_shown(people)}" if people and people["value"] is not None else ""
        )
        lines += [
            "",
            "### The judge with itself",
            "",
            f"Mean |tau-b| between its factors: {_shown(coupling, bounds=True)}{beside}.",
            "",
            f"![Coupling of factors]({study.stem}-coupling.svg)",
        ]
    lengths = [
        row for row in study.judge if row["statistic"] == "length_correlation" and row["over"] == "pooled"
    ]
    if lengths:
        lines += [
            "",
            "Spearman of its scores with the mean length of replies:",
            "",
            f"| {' | '.join(row['factor'] for row in lengths)} |",
            f"|{' ---: |' * len(lengths)}",
            f"| {' | '.join(_shown(row) for row in lengths)} |",
        ]

    wanted = {"statistic": "length_correlation", "factor": "dialogue_overall", "over": "pooled"}
    overall = {
        rater: find(study.everything, rater=rater, **wanted)
        for rater in ("people", "debate", "mean of factors")
    }
    if known := {rater: row for rater, row in overall.items() if row}:
        shown = "; ".join(f"{rater} {_shown(row)}" for rater, row in known.items())
        lines += ["", f"The same for the overall impression: {shown}."]
    return lines


def _anchors() -> list[str]:
    return [
        "## Published figures, and what keeps them from being like for like",
        "",
        "- **G-Eval, FACE** (language models): Pearson on all 467 conversations of CRSArena-Eval. Ours are on "
        "the half that is at hand for development, where figures run higher than on the other. On that other half FACE "
        "reaches .72 overall (.47 within systems), turn relevance .54 (.42), turn interestingness .44 (.37); "
        "on USS .51 overall.",
        "- **CoRE** (GPT-4o-mini): debate Spearman .698, tau-b .538, mean of twelve factors .663, .505. Its 80 logs are "
        "of simulated users, with ranked lists and known wanted items. The conversations here are of real "
        "people, without lists, on other systems. Factors that need lists use titles in the text or are not "
        "assessable. Recall@1 reaches .140 there, persuasiveness .281. Mean |tau| between factors: .28 "
        "for LLM judges, .22 for people.",
        "- **CONCEPT** correlation .612 and alpha .531. **PEPPER** kappa .81, .87, .93 (proactiveness, coherence, "
        "personalization). **Behavior Alignment** kappa .74 with human preference. These are other labels, other "
        "conversations, other scales. They say what judges of this kind reach, not what this one should.",
        "- Kappa is left out above: the judge's scales (0-4) are not those of the labels (0-1, 0-2, 0-3), and "
        "kappa is for one scale. Efficiency* is the mean of coherence's first three turns and effectiveness, since people were "
        "asked whether fitting suggestions came that early. Interest* and interest*, turns are means of several factors "
        "with equal weights (`research/labelled.py`). Their parts were chosen by hand with these conversations in view.",
        "- Some outputs rest in part on weights learned from the turn labels of these conversations. Those are coherence "
        "and its turns, `proactiveness, turns`, and through them the debate, effectiveness and explainability. *With families held out* gives "
        "what they reach on systems that they have not seen.",
        "- Conversations on which a factor is not assessable are no part of its row: compare n.",
        "",
    ]


def compared(rows: Rows) -> list[tuple[str, str]]:
    """Labels with the outputs that are compared with people on them, in the order of `LABELS`."""
    found = {
        (str(row["factor"]), str(row["rater"]))
        for row in rows
        if row["other"] == "people" and row["over"] == "pooled" and row["rater"] is not None
    }
    order = list(LABELS)
    return sorted(found, key=lambda pair: (order.index(pair[0]) if pair[0] in order else len(order), pair))


def find(rows: Rows, **wanted: object) -> Mapping[str, Any] | None:
    """The first row with these values."""
    return next((row for row in rows if all(row[key] == value for key, value in wanted.items())), None)


def _shown(row: Mapping[str, Any] | None, *, bounds: bool = False) -> str:
    if row is None:
        return ""
    if row["value"] is None:
        return f"- ({row['undefined']})"
    interval = row["interval"]
    if not bounds or interval is None:
        return f"{row['value']:.2f}"
    return f"{row['value']:.2f} [{interval['low']:.2f}, {interval['high']:.2f}]"


def _points(row: Mapping[str, Any] | None) -> str:
    return "" if row is None or row["value"] is None else f"{row['value']:.0f}"


def _table(head: Sequence[str], body: Iterable[Sequence[str]]) -> list[str]:
    return [
        f"| {' | '.join(head)} |",
        f"| {' | '.join('---' for _ in head)} |",
        *(f"| {' | '.join(cells)} |" for cells in body),
    ]
