"""The command line as people run it: processes, files, exit codes; a real service behind it."""

import json
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import forked
from tests.factories import in_turns
from tests.forked import crs_eval, environment, exits
from tests.patience import PATIENCE, wait_for
from tests.provider.server import ProviderServer
from tests.registries import CORE
from tools.service_process import ROOT, free_port, running

COMMAND = [sys.executable, "-m", "service.cli.program"]
RUN_OF = 160


def log(number: int) -> dict[str, Any]:
    """A short conversation, a different one for each number."""
    titles = ("Paper Lanterns (2009)", "The Glass Orchard (2014)", "Winter Arithmetic (2012)")
    title = titles[number % len(titles)]
    return {
        "id": f"session-{number:04}",
        "messages": [
            {"role": "user", "content": f"A film for {number % 7 + 1} people, please."},
            {"role": "assistant", "content": f"I recommend {title}.", "recommendations": [title]},
        ],
    }


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A service, and the log in which it says what it was asked."""
    service_log = tmp_path_factory.mktemp("watched") / "service.log"
    settings = environment() | {
        "CRS_EVAL_LOG_FORMAT": "json", "CRS_EVAL_LOG_LEVEL": "info", "CRS_EVAL_CATALOGS": str(ROOT / "examples/crs"),
    }  # fmt: skip
    with running(settings, service_log) as address:
        yield address, service_log


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    path = tmp_path / "logs.jsonl"
    path.write_text("".join(json.dumps(log(number)) + "\n" for number in range(8)))
    return path


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def _chat(name: str | None) -> str:
    return json.dumps({"id": name, "messages": [{"role": "user", "content": "Hi"}]}) + "\n"


def test_an_import_says_what_it_kept_and_what_it_left_out(tmp_path: Path) -> None:
    chat = {"id": "a", "title": "x", "messages": [{"role": "human", "text": "Hi"}]}
    csv = "conversation,role,content,label:overall,mood\nc1,user,Hi,4,\nc1,bot,Hello,,calm\n"
    (tmp_path / "chat.jsonl").write_text(json.dumps(chat) + "\n" + '{"messages": [{"role": "user"}]}\n')
    (tmp_path / "own.csv").write_text(csv)
    piped = exits(0, "import", "--from", "chat", "chat.jsonl", "-o", "-", cwd=tmp_path)
    kept = {"id": "a", "messages": [{"role": "user", "content": "Hi"}], "metadata": {"title": "x"}}
    assert json.loads(piped.stdout) == kept
    account = [
        "chat.jsonl:2: message 0 has no content, text or parts (it has nothing else)",
        "1 log is in standard output.",
        "Kept: id 1, metadata.title 1, messages 1.",
        "Left out: nothing.",
        "Not readable: 1 place, listed above.",
    ]
    assert piped.stderr.splitlines() == account
    mixed = crs_eval("import", "chat.jsonl", "own.csv", "-o", "-", cwd=tmp_path)
    assert mixed.stderr.splitlines()[:2] == ["chat.jsonl: read as chat.", "own.csv: read as csv."]
    rows = ("import", "--from", "csv", "own.csv", "-o")
    assert "Left out: label overall 1." in crs_eval(*rows, "-", cwd=tmp_path).stderr
    labels = crs_eval(*rows, "-", "--labels", "l.jsonl", cwd=tmp_path)
    assert "1 log is in standard output, 1 label in l.jsonl." in labels.stderr
    assert "Kept: id 1, messages 2, messages.metadata.mood 1, label overall 1." in labels.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["chat.jsonl", "l.jsonl", "own.csv"]
    # An id that looks like a line's name is an id; a log without one collides with nothing.
    (tmp_path / "more.jsonl").write_text(_chat("more.jsonl:2") + _chat(None) + _chat("more.jsonl:2"))
    more = crs_eval("import", "--from", "chat", "more.jsonl", "-o", "-", cwd=tmp_path)
    assert len(more.stdout.splitlines()) == 2
    assert "more.jsonl:3: its id 'more.jsonl:2' is that of more.jsonl:1" in more.stderr
    scored = subprocess.run(
        [*COMMAND, "score", "-", "--factors", "coherence"],
        cwd=tmp_path, env=environment(), input=piped.stdout, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert scored.returncode == 0, scored.stderr


def test_help_is_quick_and_errors_say_what_to_do(tmp_path: Path) -> None:
    assert "Exit codes" in crs_eval("--help", cwd=tmp_path).stdout
    loaded = "import sys, service.cli.program; print([m for m in ('numpy', 'pydantic', 'fastapi', 'httpx2') if m in sys.modules])"
    quick = subprocess.run(
        [sys.executable, "-c", loaded], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert quick.stdout.strip() == "[]"
    lost = exits(2, "score", "nowhere.jsonl", cwd=tmp_path)
    assert "nowhere.jsonl does not exist" in lost.stderr
    for address in ("ftp://x", "http://", "http://[x", "http://x:99999", "http://x y"):
        nowhere = exits(2, "score", ROOT / "examples/logs", "--url", address, cwd=tmp_path)
        assert "is not a URL" in nowhere.stderr
    port = free_port()
    unreachable = exits(4, "score", ROOT / "examples/logs", "--url", f"http://127.0.0.1:{port}", cwd=tmp_path)
    assert "cannot be reached" in unreachable.stderr
    assert crs_eval("scroe", cwd=tmp_path).returncode == 2


def test_a_service_that_cannot_start_says_why(tmp_path: Path, logs: Path) -> None:
    done = exits(2, "score", logs, cwd=tmp_path, CRS_EVAL_JUGDE="builtin")
    assert "did you mean CRS_EVAL_JUDGE" in done.stderr


def test_refused_logs_are_the_callers_to_mend(tmp_path: Path, logs: Path, url: str) -> None:
    with logs.open("a") as file:
        file.write(json.dumps({"id": "wrong", "messages": [{"role": "robot", "content": "x"}]}) + "\n")
    done = exits(2, "score", logs, "--url", url, "-o", "r.jsonl", "--factors", "coherence", cwd=tmp_path)
    assert "wrong: /log/messages/0/role" in done.stderr
    assert sum(record["answer"] is not None for record in read(tmp_path / "r.jsonl")) == 8


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("score", "--factors", "coherense"), "There is no factor or protocol 'coherense'. Did you mean 'coherence'?"),

        (("debate", "--judge", "buitlin"), "There is no judge 'buitlin'. Did you mean 'builtin'?"),

        (("simulate", "--crs", "nobody"), "There is no recommender 'nobody'"),
        (("score", "--catalog", "film"), "Did you mean 'films'?"),
        (("metrics", "--metrics", "recal"), "There is no metric 'recal'. Did you mean 'recall'?"),
        (("metrics", "--group-by", "sistem"), "Did you mean 'system'?"),

        (("gate", "--baseline", "logs.jsonl", "--factors", "noveltie"), "Did you mean 'novelty'?"),
    ],
)  # fmt: skip
def test_unknown_names_are_told_before_anything_is_asked(
    tmp_path: Path, logs: Path, watched: tuple[str, Path], arguments: tuple[str, ...], text: str
) -> None:
    address, service_log = watched
    before = service_log.stat().st_size
    command, *options = arguments
    done = exits(2, command, logs, *options, "--url", address, cwd=tmp_path)
    assert text in " ".join(done.stderr.split())
    lines = service_log.read_bytes()[before:].decode().splitlines()
    entries = [json.loads(line) for line in lines if line.startswith("{")]
    asked = {e["route"] for e in entries if e["event"] == "request"}
    assert asked <= {"/factors", "/choices", "/readyz"}  # the fixture's last probe may be logged late


@pytest.mark.parametrize(
    ("judge", "text"), [("buitlin", "Did you mean 'builtin'?"), ("openai:gpt-4o", "OPENAI_API_KEY")]
)
def test_a_judge_that_cannot_be_asked_is_bad_input(tmp_path: Path, logs: Path, judge: str, text: str) -> None:
    done = exits(2, "score", logs, "--judge", judge, cwd=tmp_path)
    assert text in done.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--factors", "novelty"), "requires --crs"),
        (("--set", "max_rounds=60"), "50"),
        (("--set", "items_on_screen=3"), "no setting of scripted 'items_on_screen'"),
    ],
)
def test_options_that_a_kind_of_user_lacks_are_told(
    options: tuple[str, ...], message: str, tmp_path: Path, logs: Path
) -> None:
    done = crs_eval("simulate", logs, *options, cwd=tmp_path)
    assert (done.returncode, message in " ".join(done.stderr.split())) == (2, True), done.stderr


def test_what_all_logs_would_be_refused_for_stops_the_run(tmp_path: Path, logs: Path, url: str) -> None:
    (tmp_path / "crs-eval.toml").write_text('[score]\nlist_source = "sideways"\n')
    done = exits(2, "score", logs, "--url", url, "-o", "r.jsonl", cwd=tmp_path)
    assert done.stderr.count("/list_source") == 1
    assert not (tmp_path / "r.jsonl").exists()


def test_a_catalogue_that_a_log_names_is_asked_for(tmp_path: Path) -> None:
    logs = tmp_path / "logs.jsonl"
    logs.write_text(json.dumps({"log": log(1), "catalog": "films"}) + "\n")
    done = exits(2, "score", logs, "--factors", "coherence", cwd=tmp_path)
    assert f"{logs} names it. Pass its file with --catalog FILE.jsonl" in done.stderr
    films = ROOT / "examples/crs/films.jsonl"
    assert crs_eval("score", logs, "--factors", "coherence", "--catalog", films, cwd=tmp_path).returncode == 0


def _without_ids(path: Path, *numbers: int) -> Path:
    found = [{"messages": log(number)["messages"]} for number in numbers]
    path.write_text("".join(json.dumps(one) + "\n" for one in found))
    return path


def test_equal_logs_without_ids_stay_apart(tmp_path: Path, url: str) -> None:
    logs = _without_ids(tmp_path / "logs.jsonl", 0, 0, 1)
    scoring = ("score", logs, "--url", url, "-o", "r.jsonl", "--factors", "coherence,novelty")
    assert crs_eval(*scoring, cwd=tmp_path).returncode == 0
    records = read(tmp_path / "r.jsonl")
    assert [record["conversation"] for record in records] == ["logs.jsonl:1", "logs.jsonl:2", "logs.jsonl:3"]
    assert [record["position"] for record in records] == [1, 2, 3]
    assert records[0]["digest"] == records[1]["digest"] != records[2]["digest"]
    _without_ids(logs, 2, 0, 0, 1)
    again = crs_eval(*scoring, cwd=tmp_path)
    assert "Done before: 3 of 4 conversations." in again.stderr
    assert [record["conversation"] for record in read(tmp_path / "r.jsonl")] == [
        f"logs.jsonl:{number}" for number in range(1, 5)
    ]
    # Results are joined to logs without ids by content, wherever the logs stand.
    _without_ids(logs, 1, 0)
    joined = exits(0, "metrics", logs, "--results", "r.jsonl", "--url", url, cwd=tmp_path)
    assert "conversation_turns" in joined.stdout
    assert "Without a value: recall (" in joined.stdout
    assert not {"null", "None"} & set(joined.stdout.split())
    _without_ids(logs, 5)
    stranger = exits(2, "metrics", logs, "--results", "r.jsonl", "--url", url, cwd=tmp_path)
    assert "has no result for 'logs.jsonl'" in stranger.stderr


@pytest.mark.parametrize("command", ["evaluate", "debate"])
def test_other_routes(tmp_path: Path, logs: Path, url: str, command: str) -> None:
    exits(0, command, logs, "--url", url, "--catalog", "films", "-o", "r.jsonl", cwd=tmp_path)
    answers = [record["answer"] for record in read(tmp_path / "r.jsonl")]
    debates = [answer if command == "debate" else answer["debate"] for answer in answers]
    assert all(0 <= debate["overall"] <= 100 for debate in debates)


def test_a_killed_run_goes_on_and_scores_nothing_twice(tmp_path: Path) -> None:
    logs = tmp_path / "logs.jsonl"
    logs.write_text("".join(json.dumps(log(number)) + "\n" for number in range(RUN_OF)))
    service_log = tmp_path / "service.log"
    settings = {**environment(), "CRS_EVAL_LOG_FORMAT": "json", "CRS_EVAL_LOG_LEVEL": "info"}
    with running(settings, service_log) as address:
        whole = ("score", logs, "--factors", "coherence,explainability", "--url", address, "--at-once", "4")
        out, partial = tmp_path / "out.jsonl", tmp_path / "out.jsonl.partial"
        stopped = []
        for number, after in ((signal.SIGKILL, 25), (signal.SIGTERM, 70)):
            process = forked.Process(
                forked.COMMAND_LINE,
                [*whole, "-o", out],
                cwd=tmp_path,
                env=environment(),
                stderr=subprocess.DEVNULL,
            )
            _wait_for_lines(partial, after, process)
            process.send_signal(number)
            stopped.append(process.wait(PATIENCE))
        assert stopped == [-signal.SIGKILL, 130]
        known = {
            json.loads(line)["request"] for line in partial.read_text().splitlines() if line.endswith("}")
        }
        assert 70 <= len(known) < RUN_OF
        assert not out.exists()
        before = _asked(service_log)
        assert crs_eval(*whole, "-o", out, cwd=tmp_path).returncode == 0
        asked = _asked(service_log)
        again = asked - before
        assert not known & again.keys(), "what stood was asked for again"
        # A killed command loses what was under way; one that is asked to stop loses nothing.
        assert sum(count > 1 for count in asked.values()) <= 4
        assert not partial.exists()
        untouched = tmp_path / "untouched.jsonl"
        assert crs_eval(*whole, "-o", untouched, cwd=tmp_path).returncode == 0
        assert out.read_text() == untouched.read_text()
        assert crs_eval(*whole, "-o", out, cwd=tmp_path).returncode == 0
        assert sum(_asked(service_log).values()) == sum(asked.values()) + RUN_OF


def _wait_for_lines(path: Path, count: int, process: forked.Process) -> None:
    def enough() -> bool:
        assert process.poll() is None, "it was done before it could be stopped"
        return path.exists() and path.read_bytes().count(b"\n") >= count

    wait_for(enough)


def _asked(service_log: Path) -> "Counter[str]":
    """Return how often each request was served, by its id."""
    entries = [json.loads(line) for line in service_log.read_text().splitlines() if line.startswith("{")]
    return Counter(e["request_id"] for e in entries if e["event"] == "request" and e["route"] == "/score")


def test_costs_are_bounded(tmp_path: Path, logs: Path, provider: ProviderServer) -> None:
    settings = {"CRS_EVAL_UPSTREAM_LOCAL": provider.openai_url, "CRS_EVAL_JUDGES": "local:m"}
    once = ["--judge", "local:m", "--factors", "coherence", "--at-once", "1", "--max-cost", "0.000001"]
    prices = tmp_path / "prices.toml"
    prices.write_text('["local:m"]\ninput = 1\noutput = 1\n')
    dear = exits(
        3, "score", logs, *once, "-o", "d.jsonl", cwd=tmp_path, **settings, CRS_EVAL_PRICES=str(prices)
    )
    assert "the cost limit is reached" in dear.stderr
    assert len(read(tmp_path / "d.jsonl.partial")) == 1
    unpriced = exits(2, "score", logs, *once, "-o", "r.jsonl", cwd=tmp_path, **settings)
    assert "CRS_EVAL_PRICES" in unpriced.stderr


def test_conversations_that_people_rated_are_shown_to_the_model(
    tmp_path: Path, logs: Path, provider: ProviderServer
) -> None:
    rated = {"messages": [{"role": "user", "content": "A play about herons, please."}, log(1)["messages"][1]]}
    anchors = [
        {"factor": "coherence", "score": 1, "log": rated},
        {"factor": "coherence", "score": 3, "log": {"messages": log(0)["messages"]}},
    ]
    (tmp_path / "anchors.json").write_text(json.dumps({"anchors": anchors}))
    settings = {"CRS_EVAL_UPSTREAM_LOCAL": provider.openai_url, "CRS_EVAL_JUDGES": "local:m"}
    arguments = ("score", logs, "--judge", "local:m", "--factors", "coherence", "--at-once", "1")
    exits(0, *arguments, "--examples", "anchors.json", "-o", "r.jsonl", cwd=tmp_path, **settings)
    exits(0, *arguments, "-o", "s.jsonl", cwd=tmp_path, **settings)
    asked = [json.dumps(request.payload) for request in provider.received]
    assert ["herons" in text for text in asked] == [True] * 8 + [False] * 8
    shown, plain = ([text.count("A film for 1 people") for text in part] for part in (asked[:8], asked[8:]))
    assert shown[0] == plain[0] > 0, "a conversation that is judged is no anchor of itself"
    assert all(more > less for more, less in zip(shown[1:], plain[1:], strict=True))
    keys = [
        {one["answer"]["comparison_key"] for one in read(tmp_path / name)} for name in ("r.jsonl", "s.jsonl")
    ]
    assert not keys[0] & keys[1], "scores with and without anchors do not compare"
    (tmp_path / "anchors.json").write_text("{}")
    empty = exits(2, *arguments, "--examples", "anchors.json", cwd=tmp_path, **settings)
    assert "contains no anchors" in " ".join(empty.stderr.split())


def test_forks_without_keys_ask_no_model(tmp_path: Path, logs: Path, provider: ProviderServer) -> None:
    settings = {"CRS_EVAL_UPSTREAM_LOCAL": provider.openai_url}
    arguments = ("--judge", "local:m", "--factors", "coherence", "--cache", "only")
    exits(3, "score", logs, *arguments, "-o", "r.jsonl", cwd=tmp_path, **settings)
    config = tmp_path / "crs-eval.toml"
    config.write_text('[gate]\nminimum_n = 5\n[[gate.rules]]\nfactor = "coherence"\nmean = 2\n')
    gated = exits(3, "gate", logs, *arguments, cwd=tmp_path, **settings)
    assert "not in the cache" in " ".join(gated.stdout.split())


def test_logs_in_another_language_are_told_in_one_line(url: str, tmp_path: Path) -> None:
    german = in_turns(
        "Ich suche einen ruhigen Film für den Abend, der nicht zu lang ist.",
        "Wie wäre es mit diesem hier? Er ist sehr ruhig und nicht zu lang.",
    )
    logs = tmp_path / "logs.jsonl"
    rows = [*({"id": name, "messages": german} for name in "ab"), log(1)]
    logs.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = crs_eval("score", logs, "--url", url, cwd=tmp_path)
    [warning] = [line for line in done.stderr.splitlines() if "not in English" in line]
    assert "2 of 3 logs" in warning
    assert "--judge" in warning
    logs.write_text("".join(json.dumps(row) + "\n" for row in rows[:2]))
    assert (done.returncode, crs_eval("score", logs, "--url", url, cwd=tmp_path).returncode) == (0, 3)


TALK = "User: A cheap tent, please.\nAssistant: {product_name} is on sale today.\nUser: What does it cost?\n"


def test_a_row_per_conversation_then_faults_then_means(tmp_path: Path, url: str) -> None:
    good = [log(number) for number in range(4)]
    leak = {"role": "assistant", "content": "{product_name} is what you want."}
    bad = [
        {**log(number), "id": f"bad-{number}", "messages": [*log(number)["messages"][:1], leak]}
        for number in (5, 6)
    ]
    (tmp_path / "logs.jsonl").write_text("".join(json.dumps(one) + "\n" for one in (*good, *bad)))
    asked = ("score", "logs.jsonl", "--url", url, "--factors", "coherence,naturalness")
    table = exits(0, *asked, "--format", "table", cwd=tmp_path)
    lines = table.stdout.splitlines()
    first = next(line for line in lines if line.startswith("bad-5"))
    assert all(part in first for part in ("template-leak", "essage 1", "{product_name}"))
    places = [next(at for at, line in enumerate(lines) if line.lstrip("│ ").startswith(start))
              for start in ("bad-5", "session-0000", "template-leak", "coherence")]  # fmt: skip
    assert places == sorted(places)
    limited = crs_eval(*asked, "--format", "table", "--limit", "2", cwd=tmp_path).stdout
    assert "bad-6" in limited
    assert "session-0000" not in limited
    written = crs_eval(*asked, "--format", "md", "--limit", "1", "-q", cwd=tmp_path)
    assert written.stderr == ""
    assert written.stdout.count("| bad-") == 1
    assert "| template-leak | 2 | 33.3% | 2 | 2 |" in written.stdout
    assert [
        one["conversation"][:3]
        for one in json.loads(crs_eval(*asked, "--format", "json", "--limit", "2", cwd=tmp_path).stdout)
    ] == ["bad", "bad"]
    verbose = crs_eval(*asked, "--format", "table", "--limit", "1", "-v", cwd=tmp_path).stdout
    assert "naturalness: " in verbose


@pytest.mark.parametrize(("least", "code"), [("0", 0), ("4", 1), ("5", 2)])
def test_a_score_under_the_bar_fails(tmp_path: Path, url: str, least: str, code: int) -> None:
    (tmp_path / "talk.txt").write_text(TALK)
    done = crs_eval("score", "talk.txt", "--url", url, "--fail-under", least, "--quiet", cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert ("--fail-under" in done.stderr) is (code > 0)


def test_faults_and_factors_are_listed(tmp_path: Path) -> None:
    faults = json.loads(crs_eval("faults", "--format", "json", cwd=tmp_path).stdout)
    assert len(faults) == len({one["slug"] for one in faults}) == 35
    text = crs_eval("faults", "ignores-exclusion", cwd=tmp_path).stdout
    assert all(part in text for part in ("effectiveness 4", "Good:", "Bad:"))
    wrong = exits(2, "faults", "ignore-exclusion", cwd=tmp_path)
    assert "'ignores-exclusion'" in wrong.stderr
    factors = json.loads(crs_eval("factors", "core", "--format", "json", cwd=tmp_path).stdout)
    assert [one["factor"] for one in factors] == list(CORE)
