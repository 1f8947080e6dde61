from collections.abc import Sequence
from pathlib import Path

import pytest

from service.domain.completion import Call, ChatMessage, Completion, LLMRequest, Usage
from service.errors import ConfigurationError
from service.llm.failures import Answer, Unavailable
from service.llm.pricing import Price, Priced, Prices, load_prices

FILE = """
["openai:gpt-x"]
input = 2
cached_input = 0.5
output = 8

["local:*"]
input = 1
output = 1
"""


def request(upstream: str, model: str) -> LLMRequest:
    return LLMRequest(upstream, "http://x", model, (ChatMessage("user", "x"),))


class Fixed:
    def __init__(self, *answers: Answer) -> None:
        self.answers = answers

    async def complete(self, requests: Sequence[LLMRequest], call: Call) -> list[Answer]:
        return list(self.answers)

    async def aclose(self) -> None:
        self.closed = True


@pytest.fixture
def prices(tmp_path: Path) -> Prices:
    path = tmp_path / "prices.toml"
    path.write_text(FILE)
    return load_prices(path)


def test_cached_input_is_part_of_the_input() -> None:
    price = Price(input=2, cached_input=0.5, output=8)
    usage = Usage(input_tokens=1_000_000, cached_input_tokens=400_000, output_tokens=100_000)
    assert price.of(usage) == pytest.approx(0.6 * 2 + 0.4 * 0.5 + 0.1 * 8)
    assert Price(input=2, output=8).of(usage) == pytest.approx(2 + 0.8)
    assert price.of(Usage(saved_tokens=99)) == 0


async def test_each_answer_gets_its_models_price(prices: Prices) -> None:
    usage = Usage(input_tokens=500_000)
    said = Completion("x", "m", usage)
    inner = Fixed(said, said, said, Unavailable("down", usage=usage))
    requests = [
        request("openai", "gpt-x"),
        request("local", "any"),
        request("openai", "other"),
        request("local", "m"),
    ]
    answers = await Priced(inner, prices).complete(requests, Call())
    assert [answer.usage.cost for answer in answers] == [1, 0.5, None, 0.5]


@pytest.mark.parametrize(
    ("text", "said"),
    [("[x", "x.toml"), ('["a:b"]\ninput = 1', "a:b|output"), ('["a:b"]\ninput = -1\noutput = 1', "input")],
)
def test_a_broken_file_stops_the_start(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "x.toml"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=said):
        load_prices(path)


def test_a_missing_file_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="none"):
        load_prices(tmp_path / "none")
