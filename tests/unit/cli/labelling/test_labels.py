"""Samples for people, sheets as they are written, and labels as they come back."""

import csv
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from service.cli.exits import CommandError
from service.cli.labelling.command import sample
from service.cli.labelling.judged import draw, judged_records
from service.cli.labelling.labels import read_labels
from service.cli.labelling.sheet import item_key, key_content
from service.cli.records import write_records
from tests.factories import in_turns, known
from tests.unit.cli.making import rating, record


def write_logs(path: Path, count: int, system: str | None = "ours", **more: Any) -> None:
    said = in_turns("=1+1", "Hi")
    said[1]["recommendations"] = ["f1"]
    logs = [{"id": f"c{number}", "system": system, "messages": said, **more} for number in range(count)]
    path.write_text("".join(json.dumps(log) + "\n" for log in logs))


def drawn(folder: Path, count: int = 12, factors: tuple[str, ...] = ("coherence",), **options: Any) -> Path:
    """A sheet of `count` conversations, of which the results are made up."""
    write_logs(folder / "logs.jsonl", count, **options.pop("log", {}))
    scale = options.pop("scale", {"min": 0, "max": 4})
    scores = [scale["min"] + number % (scale["max"] - scale["min"] + 1) for number in range(count)]
    judged = [
        record(f"c{number}", dict.fromkeys(factors, score), scale=scale)
        for number, score in enumerate(scores)
    ]
    write_records(folder / "results.jsonl", judged)
    out = folder / "sheet.html"
    sample([str(folder / "results.jsonl")], logs=[str(folder / "logs.jsonl")], out=out, **options)
    return out


def content(sheet: Path) -> Any:
    """Return what the sheet's script reads."""
    return json.loads(sheet.read_text().partition('id="sheet">')[2].partition("</script>")[0])


def test_cards_are_shown_with_their_prices_and_tools_are_not(tmp_path: Path) -> None:
    card = {"id": "j1", "title": "Fellwind Shell", "price": 99.0, "currency": "EUR"}
    call = {"type": "tool_call", "name": "search", "arguments": "{}"}
    said = [
        {"role": "user", "content": "A rain jacket, please."},
        {"role": "assistant", "content": "", "parts": [call]},
        {"role": "tool", "content": "", "parts": [{"type": "tool_result", "content": "[]"}]},
        {"role": "assistant", "content": "", "parts": [{"type": "items", "items": [card, "Moorland Parka"]}]},
    ]
    sheet = drawn(tmp_path, count=2, log={"messages": said})
    shown = content(sheet)["items"][0]["log"]["messages"]
    assert [message["role"] for message in shown] == ["user", "assistant"]
    assert shown[1]["recommendations"] == ["Fellwind Shell (99 EUR)", "Moorland Parka"]
    table = sheet.with_suffix(".csv").read_text()
    assert "Recommender:  [shown: Fellwind Shell (99 EUR); Moorland Parka]" in table


def test_a_key_says_what_it_was_made_from_and_nothing_else_is_a_key() -> None:
    about = {"conversation": "ü/1", "system": None, "probability": 0.25}
    assert key_content(item_key(about)) == {"conversation": "ü/1", "probability": 0.25}
    for other in ("", "x", "eyJ9", item_key({"system": "a"}), "=cmd|"):
        assert key_content(other) is None


OWN_FACTOR = """
slug = "brand-voice"
name = "Brand voice"
definition = "Do the replies sound like our brand?"
steps = ["Read every reply aloud."]
excludes = ["whether the items fit"]
[scale]
min = 1
max = 3
[levels]
1 = "No reply does."
2 = "Some replies do."
3 = "All replies do."
"""


def test_an_operators_own_factor_is_asked_with_its_question_and_levels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "factors").mkdir()
    (tmp_path / "factors" / "brand-voice.toml").write_text(OWN_FACTOR)
    monkeypatch.setenv("CRS_EVAL_FACTORS", str(tmp_path / "factors"))
    out = drawn(tmp_path, 24, ("brand-voice",), size=24, scale={"min": 1, "max": 3})
    (asked,) = content(out)["questions"]
    assert (asked["name"], asked["question"]) == ("Brand voice", "Do the replies sound like our brand?")
    assert asked["levels"] == [
        {"level": 3, "standard": "All replies do."},
        {"level": 2, "standard": "Some replies do."},
        {"level": 1, "standard": "No reply does."},
    ]
    assert asked["steps"] == ["Read every reply aloud."]
    assert asked["excludes"] == ["whether the items fit"]
    table = out.with_suffix(".csv")
    with table.open(newline="") as lines:
        rows = list(csv.reader(lines))
    (column,) = [place for place, name in enumerate(rows[0]) if name.startswith("brand-voice: ")]
    assert "Do the replies sound like our brand?" in rows[0][column]
    assert "3 = All replies do." in rows[0][column]


def test_a_sheet_holds_the_questions_and_names_no_system(tmp_path: Path) -> None:
    given = content(drawn(tmp_path, 20, ("coherence", "novelty"), size=10, repeats=2))
    assert [one["slug"] for one in given["questions"]] == ["coherence", "novelty"]
    assert [one["level"] for one in given["questions"][0]["levels"]] == [4, 3, 2, 1, 0]
    assert (len(given["items"]), given["repeats"]) == (10, 2)
    assert "ours" not in json.dumps(given)
    about = known(key_content(given["items"][0]["key"]))
    assert set(about) == {"conversation", "system", "digest"}


def test_wishes_are_shown_where_a_factor_reads_them_and_ids_by_their_titles(tmp_path: Path) -> None:
    more = {
        "ground_truth": ["f1"],
        "items": [{"id": "f1", "title": "Paper Lanterns"}],
        "user": {"attributes": ["drama"], "preferences": "No horror."},
    }
    (tmp_path / "one").mkdir()
    item = content(drawn(tmp_path / "one", 4, ("effectiveness",), log=more))["items"][0]
    assert item["wanted"] == ["Paper Lanterns"]
    assert item["user"] == ["drama", "No horror."]
    assert item["log"]["messages"][1]["recommendations"] == ["Paper Lanterns"]
    (tmp_path / "two").mkdir()
    item = content(drawn(tmp_path / "two", 4, ("coherence",), log=more))["items"][0]
    assert (item["wanted"], item["user"]) == ([], [])


def test_a_sheet_in_use_is_not_overwritten(tmp_path: Path) -> None:
    out = drawn(tmp_path)
    drawn(tmp_path)  # the same again
    out.with_suffix(".csv").write_text("labelled by hand")
    with pytest.raises(CommandError, match="may contain labels"):
        drawn(tmp_path)
    assert out.with_suffix(".csv").read_text() == "labelled by hand"


def test_a_log_that_was_not_judged_is_refused(tmp_path: Path) -> None:
    drawn(tmp_path)
    stored = [replace(record(f"c{number}", {"coherence": 2}), digest="0" * 16) for number in range(12)]
    write_records(tmp_path / "results.jsonl", stored)
    with pytest.raises(CommandError, match="not the one that was judged"):
        sample(
            [str(tmp_path / "results.jsonl")], logs=[str(tmp_path / "logs.jsonl")], out=tmp_path / "b.html"
        )
    with pytest.raises(CommandError, match="pass the judged logs"):
        sample([str(tmp_path / "results.jsonl")], out=tmp_path / "b.html")


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_filled_in_table_comes_back(tmp_path: Path, delimiter: str) -> None:
    out = drawn(tmp_path, 20, ("coherence", "novelty"), size=10, repeats=2, by="system")
    with out.with_suffix(".csv").open(newline="") as file:
        head, *rows = csv.reader(file)
    assert head[:3] == ["item", "annotator", "conversation"]
    assert head[3].startswith("coherence: Does every reply")
    assert rows[0][2].startswith("User: =1+1\nRecommender: Hi [shown: f1]")
    assert len(rows) == 12
    for number, row in enumerate(rows):
        row[1:2] = ["anna"]
        row[3:5] = [str(number % 5), "2,5" if number == 0 else ""]
    with (tmp_path / "anna.csv").open("w", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows([head, *rows])
    labels = read_labels([str(tmp_path / "anna.csv")])
    assert len(labels) == 13
    assert next(label.score for label in labels if label.factor == "novelty") == 2.5
    assert sum(label.repeat for label in labels) == 2
    assert {label.conversation for label in labels if label.repeat} < {one.conversation for one in labels}
    assert {label.rater for label in labels} == {"anna"}
    assert all(label.probability and label.stratum and label.digest for label in labels)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (rating(score="3"), "score: Input should be a valid number"),
        (rating(score=True), "score: Input should be a valid number"),
        (rating(rater=" "), "rater: String should match pattern"),
        (rating(rater="People"), "stands for all annotators"),
        (rating(probability=0), "probability: Input should be greater than 0"),
        (rating(repeat=-1), "repeat: Input should be greater than or equal to 0"),
        ([1], "not a JSON object"),
    ],
)
def test_what_is_no_label_is_named(tmp_path: Path, value: Any, message: str) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(json.dumps(value) + "\n" + json.dumps(rating()))
    with pytest.raises(CommandError, match=f"labels.jsonl:1: .*{message}"):
        read_labels([str(path)])


def test_a_table_of_something_else_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("conversation,score\nc1,3\n")
    with pytest.raises(CommandError, match="it has no column 'item'"):
        read_labels([str(tmp_path / "a.csv")])
    key = item_key({"conversation": "c1"})
    (tmp_path / "a.csv").write_text(
        f"item,annotator,conversation,coherence: ?\n{key},anna,x,good\nzzz,anna,x,3\n"
    )
    with pytest.raises(
        CommandError, match=r"a.csv:2: coherence: 'good' is not a number[\s\S]*a.csv:3: its 'item'"
    ):
        read_labels([str(tmp_path / "a.csv")])


def test_a_small_stratum_is_drawn_whole_and_the_rest_goes_to_the_others() -> None:
    given = ["small"] * 3 + ["large"] * 97
    drawn = draw(given, 40, "system", 0)
    assert Counter(one.stratum for one in drawn) == {"small": 3, "large": 37}
    assert {one.probability for one in drawn if one.stratum == "small"} == {1.0}
    assert len(draw(given, 1000, "system", 0)) == 100


def test_too_few_for_the_strata_and_results_without_systems_are_refused() -> None:
    with pytest.raises(CommandError, match="3 strata need at least 6 conversations: a, b, c"):
        draw(list("abc" * 4), 5, "system", 0)
    with pytest.raises(CommandError, match="name no system"):
        draw([None] * 4, 4, "system", 0)


def test_a_conversation_twice_in_one_file_is_refused(tmp_path: Path) -> None:
    made = [record("c1", {"coherence": score}) for score in (1, 2)]
    write_records(tmp_path / "twice.jsonl", made)
    with pytest.raises(CommandError, match="c1"):
        judged_records([str(tmp_path / "twice.jsonl")])
