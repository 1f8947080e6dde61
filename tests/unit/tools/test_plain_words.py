"""The sentences of the appendix `docs/plain-words.md` that replaced others are those that the product says."""

import re

from service.judges.embedded.rules.findings import texts
from tools.service_process import ROOT

ROWS = re.findall(
    r"^\| \d+ \| (?P<where>[^|]+) \| (?P<before>[^|]+) \| (?P<after>[^|]+) \|$",
    (ROOT / "docs" / "plain-words.md").read_text(encoding="utf-8"),
    re.MULTILINE,
)


def _spoken() -> str:
    said = [text for table in texts().values() for text in table.values() if isinstance(text, str)]
    files = [*(ROOT / "docs").glob("*.md"), *(ROOT / "service").rglob("*.py")]
    pages = [path.read_text(encoding="utf-8") for path in files if path.name != "plain-words.md"]
    return " ".join("\n".join([*said, *pages]).split())


def test_twenty_sentences_stand_in_the_product_in_their_new_words_alone() -> None:
    spoken = _spoken()
    assert len(ROWS) == 20
    assert [after for _, _, after in ROWS if " ".join(after.split()) not in spoken] == []
    assert [before for _, before, _ in ROWS if " ".join(before.split()) in spoken] == []
