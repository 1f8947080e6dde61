"""The command of the Kubernetes Job, run as a pod runs it."""

import os
from pathlib import Path

import yaml

from service.cli.scores import load_run
from tests import forked

ROOT = Path(__file__).parents[2]


def test_a_pod_of_the_job_scores_its_part(tmp_path: Path) -> None:
    job = yaml.safe_load((ROOT / "k8s" / "jobs" / "score.yaml").read_text())
    pod = job["spec"]["template"]["spec"]["containers"][0]
    command, *words = [
        word.replace("/data", str(tmp_path)).replace("$(PART)", "3") for word in pod["command"]
    ]
    assert command == "crs-eval"
    (tmp_path / "logs").mkdir()
    (tmp_path / "scores").mkdir()
    (tmp_path / "logs" / "part-3.jsonl").write_text(
        '{"id": "one", "messages": [{"role": "user", "content": "A calm film, please."}, '
        '{"role": "assistant", "content": "Paper Lanterns is a calm drama."}]}\n'
    )
    done = forked.run(forked.COMMAND_LINE, words, tmp_path, os.environ)
    assert done.returncode == 0, done.stderr
    assert load_run(str(tmp_path / "scores" / "part-3.jsonl")).conversations == ["one"]
