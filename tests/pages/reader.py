"""A reader who does what a page says, block after block, in one folder."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import httpx2

from service.settings import Settings
from tests.pages.snippets import Command, Snippet, commands
from tests.patience import PATIENCE
from tools.service_process import free_port

_END = "--end of a command:"
_PORT = re.compile(r"(?<=localhost:|127\.0\.0\.1:)\d{4}|(?<=--port )\d{4}|(?<=--http )\d{4}")
_OWN_SERVICE = re.compile(r"CRS_EVAL_\w+=|--catalog |--url |--crs \w+=")


class Reader:
    """Does what snippets say. Commands that keep running end with the reader."""

    def __init__(self, folder: Path, environment: Mapping[str, str], service: str) -> None:
        self.folder, self.environment, self.service = folder, {**environment, "HOME": str(folder)}, service
        self._running = contextlib.ExitStack()
        self._ports: dict[str, str] = {"8000": service.rpartition(":")[2]}

    def __enter__(self) -> "Reader":
        return self

    def __exit__(self, *_: object) -> None:
        self._running.close()

    def do(self, snippet: Snippet) -> None:
        """Do what one block says. Raises AssertionError where it does not come out as the page says."""
        match snippet:
            case Snippet(mark="not run") | Snippet(language="text"):
                pass
            case Snippet(page=Path(name="clients.md"), language="python" | "typescript" | "java" | "go"):
                pass  # `tests/clients` runs them
            case Snippet(mark="file", value=name, text=text):
                path = self.folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            case Snippet(mark="post", value=path, text=text):
                self._post(path, text)
            case Snippet(mark="run", text=text):
                self._run([Command(text, None)], 0)
            case Snippet(mark="start", value=value):
                port, _, command = value.partition(" ")
                self._start(Command(command, None), port)
            case Snippet(mark="as", value=port):
                self._start(commands(snippet.text)[0], port)
            case Snippet(language="console"):
                self._run(commands(snippet.text), int(snippet.value) if snippet.mark == "exit" else 0)
            case Snippet(language="env"):
                given = [line.partition("=") for line in snippet.text.splitlines()]
                Settings.from_environment({name: value for name, _, value in given})
            case _:
                raise AssertionError(f"nothing runs this block: it needs a mark ({snippet.language})")

    def _post(self, path: str, body: str) -> None:
        answer = httpx2.post(self.service + path, json=json.loads(body), timeout=PATIENCE)
        assert answer.status_code == 200, answer.text
        verdicts = answer.json().get("verdicts") or []
        assert "failed" not in [verdict["status"] for verdict in verdicts], answer.text

    def _run(self, block: Sequence[Command], expected: int) -> None:
        """Run the commands of a block in one shell; the last one ends with `expected`, the others with 0."""
        lines = [
            line
            for command in block
            for line in (self._command(command), f"ended=$?; echo; echo {_END} $ended")
        ]
        done = subprocess.run(
            ["bash", "-c", "exec 2>&1\n" + "\n".join(lines)],
            cwd=self.folder,
            env=self._environment(block),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            timeout=3 * PATIENCE,
            check=False,
        )
        *parts, _ = re.split(rf"{_END} (\d+)\n", done.stdout)
        for command, printed, ended in zip(block, parts[::2], parts[1::2], strict=True):
            due = expected if command is block[-1] else 0
            assert int(ended) == due, f"{command.text}\nended with {ended}:\n{printed[-3000:]}"
            if command.printed is not None:
                assert _fits(command.printed, printed), f"{command.text}\nprinted:\n{printed[-5000:]}"

    def _start(self, command: Command, port: str) -> None:
        self._ports[port] = str(free_port())
        shown = self._command(command)
        if self._ports[port] not in shown:
            shown += f" --port {self._ports[port]}"
        process = subprocess.Popen(
            ["bash", "-c", shown],
            cwd=self.folder,
            env=self._environment([command]),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._running.callback(process.wait)
        self._running.callback(os.killpg, process.pid, signal.SIGTERM)
        deadline = time.monotonic() + PATIENCE
        while not _listens(int(self._ports[port])):
            assert process.poll() is None, f"{command.text}\nended with {process.returncode}"
            assert time.monotonic() < deadline, f"{command.text}\ndoes not listen on its port"
            time.sleep(0.05)

    def _command(self, command: Command) -> str:
        return _PORT.sub(lambda shown: self._ports.get(shown[0], shown[0]), command.text)

    def _environment(self, block: Sequence[Command]) -> dict[str, str]:
        """Commands find the running service, unless one says which service it wants."""
        own = any(_OWN_SERVICE.search(command.text) for command in block)
        return self.environment | ({} if own else {"CRS_EVAL_URL": self.service})


def _listens(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 5):
        return True
    return False


def _fits(shown: str, printed: str) -> bool:
    """Return True where the page shows what was printed; `...` stands for anything, and runs of blanks count as one."""
    parts = [re.escape(" ".join(part.split())) for part in shown.split("...")]
    return re.fullmatch(".*?".join(parts), " ".join(printed.split()), re.DOTALL) is not None
