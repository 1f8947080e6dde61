from pathlib import Path

import pytest

from service.catalogue.file import read_items
from service.errors import ConfigurationError


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        (b"{", "not JSON"),
        (b"[]", "an item is a JSON object"),
        (b'"Rosalind"', "an item is a JSON object"),
        (b"{}", "needs a title"),
        (b'{"title": ""}', "needs a title"),
        (b'{"title": " \\t"}', "needs a title"),
        (b'{"title": 7}', "title is a text"),
        (b'{"title": "A", "id": 7}', "id is a text"),
        (b'{"title": "A", "description": []}', "description is a text"),
        (b'{"title": "A", "year": 1999}', "unknown field 'year'"),
        (b'{"title": "A", "attributes": []}', "attributes is an object"),
        (b'{"title": "A", "attributes": {"genre": [1]}}', "attribute 'genre'"),
        (b'{"title": "A", "attributes": {"genre": 1}}', "attribute 'genre'"),
        (b'{"title": "A", "popularity": 1.5}', "popularity is a number from 0 to 1"),
        (b'{"title": "A", "popularity": NaN}', "popularity is a number from 0 to 1"),
        (b'{"title": "A", "popularity": true}', "popularity is a number from 0 to 1"),
        (b'{"title": "\xff"}', "not UTF-8"),
        (rb'{"title": "A\ud800"}', "half a surrogate pair"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"title": "B", "id": "one"}', "the id 'one' is already in line 1"),
    ],
)
def test_a_broken_line_is_named_with_what_is_wrong(tmp_path: Path, line: bytes, wrong: str) -> None:
    path = tmp_path / "shelf.jsonl"
    path.write_bytes(b'{"title": "Fine", "id": "one"}\n\n' + line + b"\n")
    with pytest.raises(ConfigurationError, match=r"^shelf\.jsonl, line 3: ") as raised:
        read_items(path)
    assert wrong in str(raised.value)


def test_line_separators_inside_a_title_do_not_break_the_line(tmp_path: Path) -> None:
    path = tmp_path / "shelf.jsonl"
    path.write_text('{"title": "A\u2028B"}\n', encoding="utf-8")
    assert [item.title for item in read_items(path)] == ["A\u2028B"]
