import pytest

from service.llm.objects import LONGEST, objects_in, printable


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("no object", []),
        ('{"a": 1}', [{"a": 1}]),
        ('```json\n{"a": 1}\n```', [{"a": 1}]),
        ('first {"a": 1}, then {"a": 2}.', [{"a": 1}, {"a": 2}]),
        ('{"a": {"b": 1}}', [{"a": {"b": 1}}]),
        ('{"a": "raw\nline"}', [{"a": "raw\nline"}]),
        ('<think>{"a": 0}</think>{"a": 1}', [{"a": 1}]),
        ('{"a": 1} {"a": ', [{"a": 1}, None]),
        ('{"quoted": {"a": 4} cut', [None]),
        ("{'a': 1}", [None]),
        ("{" * 5000, [None]),
        ('{"a": ' * 5000, [None]),
        ('{"a": 1' + "0" * 5000 + "}", [None]),
    ],
)
def test_objects_are_read_in_order_and_what_cannot_be_read_ends_them(text: str, found: list[object]) -> None:
    assert list(objects_in(text)) == found


def test_only_the_end_of_a_flood_is_read() -> None:
    assert list(objects_in('{"a": 1}' + "x" * LONGEST + '{"a": 2}')) == [{"a": 2}]


def test_lone_surrogates_become_printable_wherever_they_stand() -> None:
    assert printable({"a": ["x\ud800", 1], "b": {"c": "\udfffy"}}) == {
        "a": ["x\ufffd", 1],
        "b": {"c": "\ufffdy"},
    }
