"""The lines of `/batch`."""

from typing import Annotated, Any

from pydantic import ConfigDict, Field

from .model import Incoming, Outgoing

CustomId = Annotated[str, Field(min_length=1, max_length=256)]


class BatchLine(Incoming):
    """One request of a batch: a line of its body."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "custom_id": "log-1",
                    "path": "/score/coherence",
                    "body": {
                        "log": {
                            "messages": [
                                {"role": "user", "content": "Something calm, please."},
                                {"role": "assistant", "content": "Try Paper Lanterns: slow, set by the sea."},
                            ]
                        }
                    },
                }
            ]
        }
    )

    custom_id: CustomId = Field(description="The caller's name of the line; no two lines may share one.")
    path: str = Field(max_length=256)
    """The route that the body goes to, such as `/score`; always by POST."""
    body: dict[str, Any] = Field(description="The body as it would be posted to that route.")


class BatchResult(Outgoing):
    """The outcome of one line, as soon as it is known: a line of the answer."""

    line: int = Field(description="The line's number in the request's body, from 1, empty lines counted.")
    custom_id: str | None = Field(description="Null where the line could not be read.")
    status: int = Field(description="The status that the route would have answered with.")
    body: dict[str, Any] = Field(description="The route's answer, or a problem.")
