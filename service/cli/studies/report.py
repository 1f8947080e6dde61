"""A run as one HTML file, a methods paragraph and its references."""

import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from ... import __version__
from ...llm.asking import WARMER
from ..inputs import Json
from ..plain_page import plain_page
from ..records import Record, judge_text
from ..tabulating.formats import as_html
from .options import BUILTIN
from .papers import papers
from .study import Findings, Study


def methods(study: Study, findings: Findings) -> str:
    """The paragraph for a paper, with the keys of its references."""
    cited = "; ".join(
        f"{papers()[key].name}, {papers()[key].cite}, {papers()[key].id}" for key in study.papers
    )
    made = f"The evaluation follows {cited}, as crs-eval {__version__} implements it."
    return "\n".join(["# Methods", "", " ".join([made, *findings.methods]), ""])


def references(study: Study) -> str:
    """BibTeX of the papers that the study follows, and of this software."""
    own = f"@software{{crs_eval,\n  title = {{crs-eval}},\n  version = {{{__version__}}}\n}}"
    return "\n\n".join([*(papers()[key].bibtex for key in study.papers), own]) + "\n"


def page(study: Study, findings: Findings, configuration: Mapping[str, Any]) -> str:
    """The report: methods, tables, figures, what was left out, the configuration. It fetches and runs nothing."""
    text = methods(study, findings).split("\n", 2)[2].strip()
    parts = [f"<h2>Methods</h2><p>{escape(text)}</p>", "<h2>Tables</h2>"]
    for sheet in findings.sheets:
        table = as_html(sheet)
        folded = f"<details><summary>{escape(sheet.title)}</summary>{table}</details>"
        parts.append(folded if sheet.folded else table)
    if findings.figures:
        parts.append("<h2>Figures</h2>")
    for name, svg in findings.figures.items():
        parts.append(f'<figure id="{escape(name)}" class="scroll" tabindex="0">{svg}</figure>')
    if findings.left_out:
        rows = "".join(
            f"<tr><td>{escape(part)}</td><td>{escape(why)}</td></tr>" for part, why in findings.left_out
        )
        parts.append(f"<h2>Left out</h2><table><tbody>{rows}</tbody></table>")
    settings = json.dumps(configuration, ensure_ascii=False, indent=1, sort_keys=True)
    parts.append(f"<h2>Configuration</h2><pre>{escape(settings)}</pre>")
    parts.append(f"<h2>References</h2><pre>{escape(references(study))}</pre>")
    return plain_page(f"crs-eval study {study.name}", parts)


def sampling(records: Iterable[Record]) -> list[str]:
    """Sentences of a methods paragraph: each model's temperature, and the models that take no seed."""
    judged: dict[str, list[Json]] = {}
    seedless = set()
    for record in records:
        for verdict in (one for whole in record.verdicts for one in whole.get("panel") or [whole]):
            if verdict["judge"]["name"] != BUILTIN and verdict["status"] == "scored":
                judged.setdefault(judge_text(verdict["judge"]), []).append(verdict)
        player = (record.answer or {}).get("judge")
        if player and any(warning["code"] == "seed_not_taken" for warning in record.warnings):
            seedless.add(judge_text(player))
    return [
        *(drawn(name, verdicts) for name, verdicts in judged.items()),
        *(f"{name} takes no seed: users of it differ by draw alone." for name in sorted(seedless)),
    ]


def drawn(name: str, verdicts: Sequence[Json]) -> str:
    """The sentence on a judge's temperature."""

    def flagged(code: str) -> int:
        return sum(any(flag["code"] == code for flag in verdict["flags"]) for verdict in verdicts)

    asked = sorted({1 if verdict["samples"]["requested"] > 1 else 0 for verdict in verdicts})
    at = f"temperature {' or '.join(map(str, asked))}"
    again = ""
    if raised := flagged("temperature_raised"):
        again = f" {raised} of {len(verdicts)} answers were cut off and asked for again at temperature {WARMER:g} with another seed."
    bare = flagged("temperature_not_taken")
    if bare == len(verdicts):
        return f"{name} takes no temperature and was asked at its server's own.{again}"
    if bare:
        return f"{name} was asked at {at}, for {bare} of {len(verdicts)} verdicts at its server's own temperature.{again}"
    return f"{name} was asked at {at}.{again}"
