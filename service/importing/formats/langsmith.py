"""LangSmith's runs: exports, `list_runs`, run trees with `child_runs`."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..entries import Entry, Fault
from ..format import Format, Limit, Line
from ..imported import Imported, Wanted, objects
from ..model_calls.calls import Call
from ..model_calls.exchanges import said_in
from ..model_calls.traces import Step, per_entry, read_traces
from ..reading.documents import Kind
from ..talk.leftovers import Leftovers, as_text, loaded
from ..talk.parts import tool_call, tool_result
from ..talk.speakers import Speaker
from ..talk.times import as_time, moment

_THREADS = ("session_id", "thread_id", "conversation_id")
"""Keys of metadata that name a thread."""
_READ = (
    "id", "trace_id", "parent_run_id", "child_runs", "inputs", "outputs", "run_type", "dotted_order", "start_time", "extra", "session_id",
)  # fmt: skip


def _fits(value: Any) -> bool:
    return (
        isinstance(value, Mapping)
        and isinstance(value.get("run_type"), str)
        and ("inputs" in value or "outputs" in value)
    )


def _read(entries: Sequence[Entry], wanted: Wanted, faults: list[Fault]) -> Iterator[Imported]:
    return read_traces(per_entry(entries, faults, _steps), wanted, faults)


def _steps(entry: Entry, parent: Mapping[str, Any] | None = None) -> Iterator[Step]:
    """The step of a run and those of its children."""
    run: Mapping[str, Any] = entry.value
    trace = run.get("trace_id") or (parent or {}).get("trace_id") or (parent or {}).get("id") or run.get("id")
    holder = run.get("parent_run_id") or (parent or {}).get("id")
    metadata = _metadata(run)
    yield Step(
        entry.place,
        str(run.get("id", entry.place)),
        None if holder is None else str(holder),
        str(trace or entry.place),
        moment(as_time(run.get("start_time"))) or 0.0,
        next((str(metadata[name]) for name in _THREADS if metadata.get(name)), None),
        _tool(run),
        lambda: _call(entry.place, run),
        as_time(run.get("start_time")),
        _left_of_tool(run),
    )
    for index, child in enumerate(objects(loaded(run.get("child_runs")), "child_runs")):
        yield from _steps(Entry(f"{entry.place}.child_runs[{index}]", child), {**run, "trace_id": trace})


def _metadata(run: Mapping[str, Any]) -> Mapping[str, Any]:
    extra = loaded(run.get("extra"))
    metadata = extra.get("metadata") if isinstance(extra, Mapping) else None
    return metadata if isinstance(metadata, Mapping) else {}


def _left_of_tool(run: Mapping[str, Any]) -> Mapping[str, int]:
    own = Leftovers()
    if run.get("run_type") == "tool":
        own.count_unread(run, (*_READ, "name", "error", "status"), "runs of tools.")
    return own.left


def _tool(run: Mapping[str, Any]) -> list[dict[str, Any]]:
    if run.get("run_type") != "tool":
        return []
    call = _metadata(run).get("tool_call_id") or run.get("id")
    name = str(run.get("name") or "tool")
    return [
        tool_call(call, name, loaded(run.get("inputs"))),
        tool_result(call, loaded(run.get("outputs")), failed=bool(run.get("error"))),
    ]


def _call(place: str, run: Mapping[str, Any]) -> Call | None:
    """Return what a run says: nothing where it is a tool's, a retriever's, a parser's."""
    if run.get("run_type", "chain") not in ("chain", "llm"):
        return None
    of_given, own = Leftovers(), Leftovers()
    given = said_in(run.get("inputs"), Speaker.USER, of_given)
    came = said_in(run.get("outputs"), Speaker.ASSISTANT, own)
    if not given and not came:
        return None
    extra = loaded(run.get("extra"))
    around = (
        {name: part for name, part in extra.items() if name != "metadata"}
        if isinstance(extra, Mapping)
        else {}
    )
    own.count_unread(around, (), "extra.")
    kept = own.keep(
        {**_metadata(run), **{name: part for name, part in run.items() if name not in _READ}}, _THREADS
    )
    if run.get("session_id"):
        kept["project"] = as_text(run["session_id"])
    return Call(place, given, came, of_given.left, own.left, metadata=kept, id=str(run.get("id", "")) or None)


def _sample(said: Sequence[Line]) -> str:
    """A root run an exchange, and inside it the runs of a model and a tool, which say it again."""
    runs: list[dict[str, Any]] = []
    for number, (question, answer) in enumerate(zip(said[::2], said[1::2], strict=True)):
        time = f"2026-03-01T10:{number % 60:02}:0"
        shared = {
            "trace_id": f"r{number}",
            "session_id": "project-1",
            "extra": {"metadata": {"thread_id": "t1"}, "runtime": {"sdk": "langsmith"}},
        }
        runs += [
            {**shared, "id": f"r{number}", "name": "assistant", "run_type": "chain", "start_time": f"{time}0Z",
             "inputs": {"question": question[1]}, "outputs": {"output": answer[1]}, "tags": ["web"]},
            {**shared, "id": f"r{number}-tool", "parent_run_id": f"r{number}", "name": "search", "run_type": "tool",
             "start_time": f"{time}1Z", "inputs": {"genre": "drama"}, "outputs": {"output": "Paper Lanterns (2009)"}},
            {**shared, "id": f"r{number}-llm", "parent_run_id": f"r{number}", "name": "ChatModel", "run_type": "llm",
             "start_time": f"{time}2Z", "inputs": {"messages": [{"role": "user", "content": question[1]}]},
             "outputs": {"choices": [{"message": {"role": "assistant", "content": answer[1]}}]}},
        ]  # fmt: skip
    return "".join(json.dumps(run) + "\n" for run in reversed(runs))


FORMAT = Format(
    name="langsmith",
    reads=(
        "LangSmith's runs, flat or with `child_runs`: the outermost runs of a trace in which somebody speaks; traces of a thread "
        "(`session_id`, `thread_id` or `conversation_id` in `extra.metadata`) make a conversation; runs of tools become parts of messages"
    ),
    described="https://docs.smith.langchain.com/reference/data_formats/run_data_format",
    fits=_fits,
    read=_read,
    sample=_sample,
    kinds=(Kind.JSON, Kind.TABLE),
    limits=frozenset({Limit.IN_TURNS}),
)
