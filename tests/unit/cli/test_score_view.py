"""One line a conversation, for people."""

import pytest
from rich.console import Console

from service.cli.score_view import print_scores
from tests.unit.cli.making import fault, run


@pytest.mark.parametrize("width", [60, 100, 160])
def test_a_long_fault_leaves_the_numbers_their_room(width: int) -> None:
    made = run("r", {"first": {"coherence": 2.5}, "second": {"coherence": 4}})
    first = next(one for one in made.records if one.conversation == "first")
    assert first.answer is not None
    first.answer["verdicts"][0]["faults"] = [fault("loops", 3, 1, "How about the same film again? " * 9)]
    console = Console(width=width, record=True)
    print_scores(console, made, None, whole=False)
    line = next(line for line in console.export_text().splitlines() if line.startswith("first"))
    assert "2.50" in line
    assert "loops" in line
    assert len(line) <= width
