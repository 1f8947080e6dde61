"""Properties of each parser for any bytes: it answers, or refuses in its own words, and what it answers
keeps its promises. `tools.fuzz` searches for bytes that break this; the tests try those that once did."""

# ruff: noqa: PT017 - errors are looked at wherever these run, with pytest or without

import asyncio
import atexit
import json
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from functools import cache
from pathlib import Path

from service.api.ndjson import split_lines
from service.api.routes.batch import BatchLine
from service.catalogue.file import read_items
from service.cli.exits import CommandError
from service.cli.inputs import read_logs
from service.domain.rubric import Factor
from service.errors import ConfigurationError, InvalidRequest, MalformedBody
from service.factors import load_factors
from service.importing.formats import AUTO, format_names
from service.importing.imported import OptionError, Wanted
from service.importing.importer import Import
from service.judges.llm.answer import RatedAnswer, read_answer
from service.llm.answer_text import objects_in
from service.main import read_settings
from service.prompt_injection.detection import find_steering, without_steering
from service.prompts.hostile import neutralise
from service.telemetry.logging import configure_logging
from service.usecases.parsing import parse
from service.usecases.wire.metrics import MetricsRequest
from service.usecases.wire.score import ScoreRequest
from service.usecases.wire.simulate import SimulateRequest
from tests.posted import JSON, Posted

Harness = Callable[[bytes], None]
DEPTH = 32
LINE = 64
_MODELS = (ScoreRequest, MetricsRequest, SimulateRequest, BatchLine)


def model_answer(data: bytes) -> None:
    """A model's words: every verdict lies on its factor's scale and can be sent on."""
    text = data.decode("utf-8", "replace")
    for value in objects_in(text):
        assert value is None or isinstance(value, dict)
    for some in (_factors()[:1], _factors()):
        for slug, reading in read_answer(text, some).items():
            if isinstance(reading, RatedAnswer):
                scale = next(factor for factor in some if factor.slug == slug).scale
                assert reading.score is None or reading.score in scale.levels
                assert reading.rationale.strip().encode()
                assert all(quote.text.encode() for quote in reading.quotes)


def request_body(data: bytes) -> None:
    """A caller's body, by its first byte for one of four routes: a model that can be written again, or an
    error of the caller's."""
    model = _MODELS[data[0] % len(_MODELS)] if data else ScoreRequest
    try:
        parse(model, data[1:], DEPTH)
    except (InvalidRequest, MalformedBody) as error:
        assert error.detail.encode()
        assert all(f"{one.pointer}{one.detail}{one.fix}".encode() for one in error.errors)


def batch_lines(data: bytes) -> None:
    """Lines out of chunks of any size are those of the whole, None for each that is too long."""
    size = data[0] % 17 + 1 if data else 1
    body = data[1:]

    async def chunks() -> AsyncIterator[bytes]:
        for start in range(0, len(body), size):
            yield body[start : start + size]

    async def split() -> list[bytes | None]:
        return [line async for line in split_lines(chunks(), LINE)]

    whole = body.split(b"\n")
    if not whole[-1]:
        whole.pop()
    expected = [line if len(line) <= LINE else None for line in whole]
    assert asyncio.run(split()) == expected


def importers(data: bytes) -> None:
    """Other formats, by the first byte, or recognised: logs that are logs, faults that can be printed, or a refusal."""
    names = [AUTO, *format_names()]
    name = names[data[0] % len(names)] if data else AUTO
    under_way = Import([("data", data[1:])], name, Wanted())
    try:
        for made in under_way.logs():
            assert made.log["messages"]
            json.dumps([made.log, *made.labels])
    except OptionError as error:
        assert str(error)
    assert all(map(str, [*under_way.faults, *under_way.summary]))


def log_files(data: bytes) -> None:
    """Files of logs for the command line."""
    try:
        sources, _ = read_logs([_file(data)], skip_unreadable=bool(data and data[0] % 2))
    except CommandError as error:
        assert str(error)
    else:
        assert all(
            source.conversation is not None and source.log["messages"] is not None for source in sources
        )


def catalogue(data: bytes) -> None:
    """A catalogue's file: items, or what is wrong and where."""
    try:
        assert all(item.title for item in read_items(Path(_file(data))))
    except ConfigurationError as error:
        assert "line" in str(error)


def environment(data: bytes) -> None:
    """Settings, a variable a line: settings, or every fault by the variable's name."""
    lines = [line.partition("=") for line in data.decode("utf-8", "replace").splitlines()]
    given = {f"CRS_EVAL_{name}": value for name, _, value in lines}
    try:
        read_settings(given)
    except ConfigurationError as error:
        assert "CRS_EVAL_" in str(error)


def hostile_text(data: bytes) -> None:
    """Text of strangers: what is found stands in it, blanking keeps its length, neutralising settles at once."""
    text = data.decode("utf-8", "replace")
    found = find_steering(text)
    assert all(0 <= span.start < span.end <= len(text) for span in found)
    assert len(without_steering(text, found)) == len(text)
    assert neutralise(neutralise(text)) == neutralise(text)


def routes(data: bytes) -> None:
    """A request to one of the routes of both contracts, by the first byte: an answer, or a problem of the caller's."""
    there = posted()
    route = there.routes[data[0] % len(there.routes)] if data else there.routes[0]
    status, answer = asyncio.run(there.ask(route, data[1:]))
    assert status < 500, answer
    if route.media == JSON:
        assert isinstance(json.loads(answer), dict)


@cache
def posted() -> Posted:
    """The routes, and what answers them."""
    configure_logging("json", "error")
    return Posted()


HARNESSES: Mapping[str, Harness] = {
    harness.__name__: harness
    for harness in (
        model_answer,
        request_body,
        batch_lines,
        importers,
        log_files,
        catalogue,
        environment,
        hostile_text,
        routes,
    )
}


@cache
def _factors() -> list[Factor]:
    return [load_factors()[slug] for slug in ("coherence", "novelty", "concept-manner")]


@cache
def _folder() -> Path:
    made = Path(tempfile.mkdtemp(prefix="fuzz"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


def _file(content: bytes) -> str:
    path = _folder() / "input.jsonl"
    path.write_bytes(content)
    return str(path)
