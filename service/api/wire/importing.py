"""Body and answer of `/import`."""

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import ConfigDict, Field

from ...importing.formats import AUTO, format_names
from .log import Log
from .model import MOST, Incoming, Outgoing, choice

EXAMPLE_REQUEST: dict[str, Any] = {
    "text": "User: A quiet film, please.\nBot: Try Paper Lanterns (2009): slow, and set by the sea.\n",
    "name": "session-12.txt",
}
EXAMPLE_ANSWER: dict[str, Any] = {
    "logs": [
        {
            "id": "session-12",
            "messages": [
                {"role": "user", "content": "A quiet film, please."},
                {"role": "assistant", "content": "Try Paper Lanterns (2009): slow, and set by the sea."},
            ],
        }
    ],
    "formats": {"transcript": 1},
    "noted": [],
    "kept": {"id": 1, "messages": 2},
    "left_out": {},
    "unreadable": [],
}

if TYPE_CHECKING:
    ImportFormat = str
else:
    ImportFormat = choice(
        "ImportFormat",
        [AUTO, *format_names()],
        "Formats that conversations are read from, as `--from` names them.",
    )

Name = Annotated[str, Field(min_length=1, max_length=200)]
MOST_UNREADABLE = 100


class ImportRequest(Incoming):
    """The content of one file in any format that `crs-eval import` reads: `text`, or the bytes as `base64`."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE_REQUEST]})

    text: str | None = Field(None, min_length=1, description="The content as text.")
    base64: str | None = Field(None, min_length=1)
    """The content as bytes in base64, for files that are not UTF-8."""
    name: Name | None = Field(None, examples=["session-12.txt"])
    """The file's name: it names a conversation without an id of its own."""
    format: ImportFormat | None = None
    """`auto` by default: the format of each entry is detected."""
    map: dict[Name, Name] | None = Field(None, examples=[{"role": "speaker", "content": "utterance"}])
    """Their field by ours, as in `{"content": "utterance"}`; theirs may be a path such as `message.text`."""
    roles: dict[Name, Name] | None = Field(None, examples=[{"buyer": "user", "seller": "assistant"}])
    """The role that each name stands for."""
    system: Name | None = Field(None, description="The recommender that spoke, where the data does not say.")
    domain: Name | None = Field(None, description="The domain, where the data does not say.")
    encoding: Name | None = Field(None, examples=["shift_jis"])
    """Of bytes that are not UTF-8, UTF-16 or Windows-1252."""
    one_file_one_conversation: bool | None = None
    """True joins all that the file holds into one conversation."""


class Unreadable(Outgoing):
    """A place that could not be read."""

    place: str = Field(description="The file, and the line or entry in it.", examples=["logs.jsonl:12"])
    detail: str


class ImportAnswer(Outgoing):
    """Logs for the other routes, and an account of what became of the data."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE_ANSWER]})

    logs: list[Log] = Field(min_length=1, max_length=MOST)
    formats: dict[str, int] = Field(description="Number of entries that were read as each format.")
    noted: list[str] = Field(description="An encoding or a delimiter that was recognised.")
    kept: dict[str, int] = Field(description="Number of occurrences of each field in the logs.")
    left_out: dict[str, int]
    """Number of occurrences of each field of the data that has no place in a log. Labels are among them:
    `crs-eval import` keeps those in a file."""
    unreadable: list[Unreadable] = Field(
        description=f"The first {MOST_UNREADABLE} places that could not be read."
    )
