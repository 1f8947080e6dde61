"""A store in a file: what was put is there again, whatever happened to the process that put it."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from service.store.file import FileStore
from tests.patience import PATIENCE
from tools.service_process import ROOT

LARGE = 1 << 30


async def test_a_second_process_finds_what_the_first_put(tmp_path: Path) -> None:
    path = tmp_path / "answers"
    first = FileStore(path, LARGE)
    values = {"a": b"plain", "b": 'schön\n"quoted"'.encode(), "c": bytes(range(256)), "d": b""}
    for key, value in values.items():
        await first.put(key, value)
    await first.put("a", b"newer")
    await first.aclose()
    second = FileStore(path, LARGE)
    assert await second.get_many([*values, "e"]) == [b"newer", *list(values.values())[1:], None]
    await second.aclose()


async def test_a_torn_line_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "answers"
    store = FileStore(path, LARGE)
    await store.put("a", b"1")
    await store.aclose()
    whole = path.read_bytes()
    path.write_bytes(whole + b'["b", "2')
    again = FileStore(path, LARGE)
    assert await again.get_many(["a", "b"]) == [b"1", None]
    await again.put("c", b"3")
    await again.aclose()
    assert path.read_bytes().startswith(whole)
    last = FileStore(path, LARGE)
    assert await last.get_many(["a", "c"]) == [b"1", b"3"]
    await last.aclose()


def test_another_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes"
    path.write_text("Dear diary,\n")
    with pytest.raises(ValueError, match="notes:1"):
        FileStore(path, LARGE)


def test_the_file_waits_for_who_has_it_and_keeps_what_a_killed_process_put(tmp_path: Path) -> None:
    path = tmp_path / "answers"
    holder = (
        "import asyncio, pathlib, sys, time\n"
        "from service.store.file import FileStore\n"
        "store = FileStore(pathlib.Path(sys.argv[1]), 1 << 30)\n"
        "asyncio.run(store.put('a', b'1'))\n"
        "print('put', flush=True)\n"
        "time.sleep(600)\n"
    )

    def hold() -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-c", holder, str(path)]
        return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, env={"PYTHONPATH": str(ROOT)})

    process = hold()
    assert process.stdout is not None
    assert process.stdout.readline() == b"put\n"
    waiter = hold()
    assert waiter.stdout is not None
    time.sleep(1)
    assert path.read_bytes().count(b"\n") == 1, "two processes had the file"
    process.kill()
    process.wait(PATIENCE)
    assert waiter.stdout.readline() == b"put\n"
    assert path.read_bytes().count(b"\n") == 2
    waiter.kill()
    waiter.wait(PATIENCE)
    for one in (process, waiter):
        assert one.stdout is not None
        one.stdout.close()
