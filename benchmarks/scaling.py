"""The arithmetic of docs/scaling.md, from what was measured: reads the pages in `benchmarks/results`, and
rewrites the tables of that document, between its marks.

    python -m benchmarks.scaling"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
RESULTS = HERE / "results"
DOCUMENT = HERE.parent / "docs" / "scaling.md"

MONTH = 2.59e6
"""Seconds."""

CALLS = 12
CALL_SECONDS = 3.0
ANSWER_TOKENS = 250
PEAK = 3.0
"""Times the mean."""

BUSY = 0.7
"""Share of a core that is planned for."""

CAP = 300
"""`CRS_EVAL_MAX_CONCURRENCY` of the table."""

STORED = 1400
"""Bytes of Redis for one answer of 150 words, key included, by `MEMORY USAGE`."""

PRICES = 0.10, 0.40
"""Of a million tokens in and out, for the example."""

SIZES = {"100 thousand": 1e5, "1 million": 1e6, "10 million": 1e7, "100 million": 1e8, "1 billion": 1e9}


@dataclass(frozen=True)
class Measured:
    """CPU in milliseconds, tokens for twelve factors of a log of ten messages, memory in megabytes."""

    embedded: float
    call: float
    cached: float
    shared: float
    resident: float
    tokens: int
    tokens_together: int


def read() -> Measured:
    """Return what the pages of results say. Raises ValueError where one does not say it."""
    number = r"\| ([\d.,]+)"
    return Measured(
        embedded=_figure("embedded", rf"CPU for an answer over HTTP {number} ms"),
        call=_figure("calls", rf"service, all of `/score` included {number} ms"),
        cached=_figure("cached_score", rf"^\| in process {number} ms"),
        shared=_figure("cached_score", rf"^\| Redis {number} ms"),
        resident=_figure("embedded", rf"resident after 100 answers {number} MB"),
        tokens=int(_figure("embedded", rf"^\| 10 \| separate \| 12 {number}")),
        tokens_together=int(_figure("embedded", rf"^\| 10 \| all \| 1 {number}")),
    )


def _figure(page: str, pattern: str) -> float:
    found = re.search(pattern, (RESULTS / f"{page}.md").read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        raise ValueError(f"{page}.md says nothing like {pattern}")
    return float(found[1].replace(",", ""))


def figures(measured: Measured) -> Iterator[str]:
    """Yield what the arithmetic begins with."""
    yield "| figure | | value | measured by |"
    yield "| --- | --- | ---: | --- |"
    for what, name, value, by in (
        (
            "CPU for an answer of the embedded judge, over HTTP",
            "*e*",
            f"{measured.embedded:.1f} ms",
            "embedded",
        ),
        ("CPU for one call of a model, all of `/score` included", "*c*", f"{measured.call:.1f} ms", "calls"),
        ("CPU for an answer from the cache, in process", "", f"{measured.cached:.2f} ms", "cached_score"),
        ("the same with Redis", "", f"{measured.shared:.2f} ms", "cached_score"),
        ("resident memory of a pod with the embedded judge", "", f"{measured.resident:.0f} MB", "embedded"),
        (
            "input tokens for twelve factors of a log of ten messages, one call per factor",
            "*t*",
            f"{measured.tokens:,}",
            "embedded",
        ),
        ("the same in one call (`grouping: all`)", "", f"{measured.tokens_together:,}", "embedded"),
    ):
        yield f"| {what} | {name} | {value} | `benchmarks.{by}` |"
    yield f"| Redis for one stored answer of 150 words | *s* | {STORED / 1000:.1f} KB, key included | `MEMORY USAGE` |"
    yield "| body and answer of `/score` | | 1.7 KB and 17.6 KB | the example logs |"


def sizes(measured: Measured) -> Iterator[str]:
    """One row for each number of conversations a month."""
    yield (
        "| conversations a month | a second | pods, embedded | calls a second | in flight at peak | "
        f"pods by CPU | pods at a cap of {CAP} | tokens in, out | Redis, TTL a day | Redis, TTL 30 days |"
    )
    yield "| " + " | ".join(["---:"] * 10) + " |"
    for name, number in SIZES.items():
        a_second = number / MONTH
        calls = CALLS * a_second
        by_cpu = PEAK * calls * measured.call / 1000 / BUSY
        in_flight = PEAK * calls * CALL_SECONDS
        stored = CALLS * STORED * number
        cells = [
            name,
            _short(a_second),
            _pods(PEAK * a_second * measured.embedded / 1000 / BUSY),
            _short(calls),
            f"{in_flight:,.0f}",
            _pods(by_cpu),
            _pods(max(by_cpu, in_flight / CAP)),
            f"{_large(number * measured.tokens)}, {_large(number * CALLS * ANSWER_TOKENS)}",
            _bytes(stored / 30),
            _bytes(stored),
        ]
        yield f"| {' | '.join(cells)} |"


def examples(measured: Measured) -> Iterator[str]:
    """Yield what the sizes mean in money and hours."""
    out = CALLS * ANSWER_TOKENS
    apart, together = (
        (tokens * PRICES[0] + out * PRICES[1]) * 1e9 / 1e6
        for tokens in (measured.tokens, measured.tokens_together)
    )
    yield (
        f"- At {PRICES[0]:.2f} and {PRICES[1]:.2f} a million tokens a billion conversations cost "
        f"{apart / 1e6:.1f} million with one call per factor. With all factors in one call they cost {together / 1e6:.1f} million; "
        "verdicts then depend on one another and carry the flag `grouped`."
    )
    alone = 100 / CALL_SECONDS
    yield (
        f"- A pod at the default cap of 100 makes {alone:.0f} calls a second with {alone * measured.call / 1000:.2f} of a "
        f"core. One at a cap of {CAP} makes {CAP / CALL_SECONDS:.0f} with {CAP / CALL_SECONDS * measured.call / 1000:.2f}."
    )
    yield (
        f"- Ten million logs by the embedded judge on 20 cores: {1e7 * measured.embedded / 1000 / 20 / 60:.0f} minutes "
        "(`examples/bulk`, restartable)."
    )


def _pods(number: float) -> str:
    return f"{max(1, math.ceil(number)):,}"


def _short(number: float) -> str:
    return f"{number:,.0f}" if number >= 4 else f"{number:.2g}"


def _large(number: float) -> str:
    return f"{number / 1e12:.1f} tn" if number >= 1e12 else f"{number / 1e9:.3g} bn"


def _bytes(number: float) -> str:
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if number >= size:
            return f"{number / size:.2g} {unit}" if number < 100 * size else f"{number / size:.0f} {unit}"
    return f"{number / 1e3:.0f} KB"


def page(text: str, measured: Measured) -> str:
    """Return the text of the document with its tables rewritten. Raises ValueError where it has no place for one."""
    for mark, lines in (
        ("figures", figures(measured)),
        ("sizes", sizes(measured)),
        ("examples", examples(measured)),
    ):
        begin, end = f"<!-- {mark}: written by benchmarks.scaling -->", f"<!-- end of {mark} -->"
        head, _, rest = text.partition(begin)
        _, _, tail = rest.partition(end)
        if not rest or not tail:
            raise ValueError(f"{DOCUMENT} has no place for {mark}")
        text = "\n".join([head + begin, *lines, end + tail])
    return text


def main() -> None:
    """Write the tables."""
    measured = read()
    DOCUMENT.write_text(page(DOCUMENT.read_text(encoding="utf-8"), measured), encoding="utf-8")
    print(f"{DOCUMENT.name} rests on {measured}")


if __name__ == "__main__":
    main()
