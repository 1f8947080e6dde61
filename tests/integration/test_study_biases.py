"""The table of biases, with a provider that is biased on purpose."""

import json
from pathlib import Path

import pytest

from tests.integration.test_studies import FILMS, study, table_of, write_reviews
from tests.provider.behaviours import Answer, Payload
from tests.provider.server import ProviderServer
from tools.example_crs import running_crs

pytestmark = pytest.mark.slow


def logs(path: Path) -> Path:
    """Twelve users, each with two systems; the one called `vain` signs its replies."""
    lines = []
    for user in range(12):
        for system in ("vain", "plain"):
            reply = " ".join([f"Try Aldermoor{' by Vain' if system == 'vain' else ''}.", *["Hooray!"] * user])
            said = [{"role": "user", "content": "A quiet film?"}, {"role": "assistant", "content": reply}]
            lines.append(
                {
                    "id": f"{system}-{user}",
                    "system": system,
                    "domain": "movie",
                    "ground_truth": ["Aldermoor (1994)"],
                    "metadata": {"user": f"u{user}"},
                    "messages": said,
                }
            )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def biased(payload: Payload) -> Answer:
    """Prefers what it reads first; scores replies of many words, and those of its own model above all."""
    asked = payload["messages"][-1]["content"]
    fields = payload["response_format"]["json_schema"]["schema"]["properties"]
    if "better" in fields:
        return Answer('{"rationale": "The first.", "better": "1"}')
    if payload["model"] == "m":
        return Answer(None)  # any score
    own = payload["model"] == "vain" and "by Vain" in asked
    level = 2 if own else int(asked.count("Hooray!") > 5)
    return Answer(json.dumps({"rationale": "It is.", "score": level, "level": level}))


def biases(out: Path) -> dict[tuple[str, str], dict[str, float | None]]:
    return {
        (row["judge"], row["bias"]): {name: float(row[name]) if row[name] else None for name in ("value", "low", "high", "n")}
        for row in table_of(out, "biases")
    }  # fmt: skip


def test_a_judge_that_favours_length_and_its_own_model(tmp_path: Path, provider: ProviderServer) -> None:
    provider.default = biased
    given = logs(tmp_path / "logs.jsonl")
    judges = ("--judge", "local:vain", "--judge", "local:other")
    local = {"CRS_EVAL_UPSTREAM_LOCAL": provider.openai_url}
    done = study("ievalm", "--logs", given, *judges, "--yes", "-o", "run", cwd=tmp_path, **local)
    assert done.returncode == 0, done.stderr
    found = biases(tmp_path / "run")
    # Half of the scores are 1 and half 0, by the middle of twelve lengths.
    for judge in ("local:vain", "local:other"):
        correlation = found[judge, "length"]
        assert correlation["low"] is not None
        assert correlation["low"] > 0
    # Its own model gets 2 of 2 from it always; the others say 0 or 1 of both systems.
    own = found["local:vain", "own model"]
    assert own["value"] == pytest.approx(75)
    assert own["n"] == 12
    assert own["low"] is not None
    assert own["low"] > 50
    assert ("local:other", "own model") not in found


def test_a_judge_that_favours_the_first_place(tmp_path: Path, provider: ProviderServer) -> None:
    provider.default = biased
    reviews = tmp_path / "reviews.jsonl"
    write_reviews(reviews, [json.loads(line) for line in FILMS.read_text().splitlines()])
    local = {"CRS_EVAL_UPSTREAM_LOCAL": provider.openai_url}
    with running_crs() as crs:
        done = study(
            "pepper", "--reviews", reviews, "--catalog", FILMS, "--crs", f"a={crs}/reply", "--judge", "local:m",
            "--judge", "builtin", "--rounds", "2", "--yes", "-o", "run", cwd=tmp_path, **local,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = biases(tmp_path / "run")
    place = found["local:m", "first place"]
    assert (place["value"], place["low"], place["high"], place["n"]) == (1.0, 1.0, 1.0, 8)
    assert ("builtin", "first place") not in found
    rows = {row["judge"]: row for row in table_of(tmp_path / "run", "comparisons")}
    assert float(rows["local:m"]["tie"]) == 1  # a preference that turns with the order is none
