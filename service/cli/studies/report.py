"""A run as one HTML file, a methods paragraph and its references."""

import json
from collections.abc import Mapping
from html import escape
from typing import Any

from ... import __version__
from ..plain_page import plain_page
from ..tabulating.formats import StudyTable, as_html
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
    parts += [_shown(sheet) for sheet in findings.sheets]
    if findings.figures:
        parts.append("<h2>Figures</h2>")
        parts += [_figure(name, svg) for name, svg in findings.figures.items()]
    if findings.left_out:
        rows = "".join(
            f"<tr><td>{escape(part)}</td><td>{escape(why)}</td></tr>" for part, why in findings.left_out
        )
        parts.append(f"<h2>Left out</h2><table><tbody>{rows}</tbody></table>")
    told = json.dumps(configuration, ensure_ascii=False, indent=1, sort_keys=True)
    parts.append(f"<h2>Configuration</h2><pre>{escape(told)}</pre>")
    parts.append(f"<h2>References</h2><pre>{escape(references(study))}</pre>")
    return plain_page(f"crs-eval study {study.name}", parts)


def _shown(sheet: StudyTable) -> str:
    table = as_html(sheet)
    return f"<details><summary>{escape(sheet.title)}</summary>{table}</details>" if sheet.folded else table


def _figure(name: str, svg: str) -> str:
    return f'<figure id="{escape(name)}" class="scroll" tabindex="0">{svg}</figure>'
