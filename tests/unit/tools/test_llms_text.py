"""`llms.txt` of the documentation: every page that the site lists, with a sentence."""

from pathlib import Path

from tools.site.llms import llms_text


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
