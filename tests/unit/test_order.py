"""The order of `make test`."""

from pathlib import Path

from tests.order import LONGEST, SINGLE, ByFile, file_of, place

TESTS = Path(__file__).parent.parent


def test_every_file_that_is_named_is_there() -> None:
    assert [name for name in (*LONGEST, *SINGLE) if not (TESTS / f"{name}.py").is_file()] == []
    assert len(set(LONGEST)) == len(LONGEST)


def test_the_longest_come_first_and_files_stay_whole() -> None:
    long, short = f"tests/{LONGEST[0]}.py::test_a[x::y]", "tests/unit/text/test_words.py::test_b"
    assert place(long) < place(short) == place("tests/unit/text/test_spans.py::test_c")
    hands_out = ByFile.__new__(ByFile)
    assert hands_out._split_scope(short) == file_of(short) == "unit/text/test_words"
    assert hands_out._split_scope(long) == long, "a test of a file that may be parted"
