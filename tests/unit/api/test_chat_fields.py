"""The page reads messages of other APIs as the service does: both leave out the same fields."""

import re
from pathlib import Path

from service.api.wire.chat_messages import _SILENT as OF_THE_SERVICE

PAGE = Path(__file__).parents[3] / "clients" / "page" / "src" / "reading" / "parts.ts"


def test_page_and_service_drop_the_same_fields() -> None:
    found = re.search(r"^const SILENT = \[(.*?)\];", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert found
    assert sorted(re.findall(r'"(\w+)"', found[1])) == sorted(OF_THE_SERVICE)
