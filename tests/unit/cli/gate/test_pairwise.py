"""Wins against losses: tallies and the sign test, and two systems compared by a service that answers as told."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import typer
from scipy import stats

from service.cli.configuration import GateSettings, Pairwise
from service.cli.exits import CommandError, Exit
from service.cli.gate.command import compare
from service.cli.gate.pairwise import WinLossCounts, judged
from service.cli.gate.results import RuleState

PREFERRED = {"a": "second", "b": "second", "c": "tie", "d": "first", "e": None}


@pytest.mark.parametrize(("wins", "losses"), [(0, 0), (1, 0), (5, 5), (9, 2), (2, 9), (60, 40)])
def test_the_sign_test_is_that_of_scipy(wins: int, losses: int) -> None:
    expected = stats.binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
    assert WinLossCounts("overall", wins, losses, 0, 0).p == pytest.approx(expected)


class Service(BaseHTTPRequestHandler):
    """A service that prefers as `PREFERRED` says by the log's id."""

    def do_GET(self) -> None:
        self.send_error(404)  # it lists no names that could be checked

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert (self.path, asked["factors"]) == ("/compare", ["coherence"])
        assert asked["first"]["system"] == "before"
        preferred = PREFERRED[asked["second"]["id"]]
        answer = {
            "preferences": [{"factor": "coherence", "preferred": preferred}],
            "overall": {"factor": "overall", "preferred": preferred},
            "usage": {},
        }
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Print nothing."""


@pytest.fixture
def url() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Service) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def logs(path: Path, system: str, names: str) -> str:
    said = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Try Dune."}]
    rows = [{"id": name, "system": system, "messages": said} for name in names]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_wins_are_counted_against_losses(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, now = logs(tmp_path / "b.jsonl", "before", "abcdex"), logs(tmp_path / "n.jsonl", "now", "edcba")
    out = tmp_path / "pairs.json"
    with pytest.raises(typer.Exit) as ended:
        compare(before, now, pairwise=True, factors="coherence", url=url, out=out)
    assert ended.value.exit_code == Exit.PASS
    told = capsys.readouterr().err
    assert "5 pairs of conversations" in told
    kept = json.loads(out.read_text())
    for row in kept["tallies"]:
        assert [row[name] for name in ("wins", "losses", "ties", "missing", "margin")] == [2, 1, 1, 1, 1]
        assert row["p"] == 1
    assert [row["factor"] for row in kept["tallies"]] == ["coherence", "overall"]
    assert {pair["conversation"] for pair in kept["pairs"]} == set("abcde")
    with pytest.raises(CommandError, match="no conversation in common"):
        compare(before, logs(tmp_path / "o.jsonl", "now", "z"), pairwise=True, url=url)
    with pytest.raises(CommandError, match=r"a \.json file"):
        compare(before, now, pairwise=True, url=url, out=tmp_path / "x.html")


GATE = GateSettings(minimum_n=10, pairwise=Pairwise(factors=("overall", "coherence"), margin=0.1))


def decided(*counts: tuple[int, int, int, int]) -> list[tuple[RuleState, str]]:
    assert GATE.pairwise is not None
    tallies = [
        WinLossCounts(f"factor-{n}", *each, lost=[f"log-{k}" for k in range(each[1])])
        for n, each in enumerate(counts)
    ]
    return [(one.state, one.detail) for one in judged(tallies, GATE.pairwise, GATE)]


def test_losses_beyond_margin_and_chance_fail() -> None:
    [(state, told)] = decided((2, 18, 5, 0))
    assert state is RuleState.FAIL
    assert told.startswith("2 wins, 18 losses, 5 ties: wins - losses -16 of 25 (margin 10%, p = ")
    assert told.endswith("lost: log-0, log-1, log-2, ...")


@pytest.mark.parametrize(
    ("counts", "state"),
    [
        ((18, 2, 5, 0), RuleState.PASS),
        ((9, 11, 5, 0), RuleState.PASS),  # within the margin
        ((8, 13, 4, 0), RuleState.INCONCLUSIVE),  # beyond it, but chance does that
        ((0, 9, 0, 0), RuleState.INCONCLUSIVE),  # too few pairs
        ((0, 20, 0, 20), RuleState.INCONCLUSIVE),  # half of them without a preference
        ((0, 0, 40, 0), RuleState.PASS),
    ],
)
def test_what_chance_may_have_done_fails_nothing(counts: tuple[int, int, int, int], state: RuleState) -> None:
    assert decided(counts)[0][0] is state


def test_many_factors_share_one_alpha() -> None:
    alone = (4, 14, 0, 0)  # p = .015
    assert decided(alone)[0][0] is RuleState.FAIL
    assert [state for state, _ in decided(alone, (9, 9, 0, 0))] == [RuleState.INCONCLUSIVE, RuleState.PASS]


@pytest.mark.parametrize(("wins", "losses"), [(0, 0), (1, 0), (5, 5), (9, 2), (2, 9), (40, 60)])
def test_the_rules_test_is_the_one_sided_one_of_scipy(wins: int, losses: int) -> None:
    n = wins + losses
    expected = stats.binomtest(losses, n, alternative="greater").pvalue if n else 1.0
    assert WinLossCounts("x", wins, losses, 0, 0).worse == pytest.approx(expected)
