"""`llms.txt` of the documentation: every page that the site lists, with a sentence."""

import re
from pathlib import Path

import yaml

from tools.service_process import ROOT
from tools.site.__main__ import CONFIGURATION
from tools.site.llms import llms_text

NAV = yaml.safe_load(CONFIGURATION.read_text(encoding="utf-8"))["nav"]


def test_pages_are_listed_by_part_with_their_first_sentence(tmp_path: Path) -> None:
    (tmp_path / "index.md").write_text("# Start\n\nBegin [here](a.md). And more.\n")
    (tmp_path / "a.md").write_text("# A\n\n    code\n\n| a | b |\n\nSays **how**: in words. And more.\n")
    nav = [{"Start": "index.md"}, {"How-to": [{"Do it": "a.md"}, {"Decisions": ["b.md"]}]}]
    assert llms_text(nav, tmp_path).splitlines()[4:] == [
        "- [Start](index.html): Begin here.",
        "",
        "## How-to",
        "",
        "- [Do it](a/): Says how: in words.",
    ]


def test_every_page_of_the_docs_has_a_line() -> None:
    here = [part for part in NAV if "Start" in part or "How-to" in part]
    kept = [
        {
            title: entries
            if isinstance(entries, str)
            else [e for e in entries if (ROOT / "docs" / next(iter(e.values()))).is_file()]
        }
        for part in here
        for title, entries in part.items()
    ]
    text = llms_text(kept, ROOT / "docs")
    lines = re.findall(r"^- \[.+?\]\(.+?\)(.*)$", text, re.MULTILINE)
    assert len(lines) > 12
    assert not [line for line in lines if not re.match(r": \S.{10,}", line)], text
