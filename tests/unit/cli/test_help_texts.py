"""Help texts and descriptions of settings keep to house style: short sentences in plain words that begin with a verb or a noun."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import typer

from service.cli.program import app
from service.settings import Settings
from tools.prose import findings

QUESTION = re.compile(r"(?:What|Whether|How|Who|Whom|Whose|Which|Where|When|Why)\b")


def _texts(command: Any, name: str) -> Iterator[tuple[str, str]]:
    """Yield the help of a command, of its options and of the commands below it, each with its place."""
    yield name, command.help or ""
    for option in command.params:
        yield f"{name} {option.opts[0]}", getattr(option, "help", None) or ""
    for word, below in getattr(command, "commands", {}).items():
        yield from _texts(below, f"{name} {word}")


def _faults(texts: Mapping[str, str]) -> Mapping[str, list[str]]:
    found = {
        name: [fault.fault for fault in findings(" ".join(text.split()))] for name, text in texts.items()
    }
    begun = {name: [text] for name, text in texts.items() if QUESTION.match(text)}
    return {name: faults for name, faults in (found | begun).items() if faults}


def test_help_is_in_plain_words() -> None:
    texts = dict(_texts(typer.main.get_command(app), "crs-eval"))
    assert len(texts) > 200
    assert _faults(texts) == {}


def test_so_are_settings() -> None:
    texts = {name: field.description or "" for name, field in Settings.model_fields.items()}
    assert len(texts) > 60
    assert _faults(texts) == {}
