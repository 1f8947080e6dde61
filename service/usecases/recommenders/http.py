"""The recommender under test, over HTTP: a webhook or an OpenAI-compatible chat endpoint."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

import httpx2
from pydantic import Field
from pydantic_core import from_json

from ...domain.conversation import Message
from ...simulators.recommender import Failure, RecommenderFailed, Reply, ReplyLimits
from .replies import Label, Spoken, Wire, reply_from, unreadable

CHAT_PATH = "/chat/completions"


@dataclass(frozen=True, slots=True)
class HTTPRecommender:
    """Asks a recommender over HTTP. A URL that ends in `/chat/completions` speaks that protocol, any other is a webhook
    `{messages} -> {content, recommendations, parts}`. A reply is read up to a size and never followed elsewhere."""

    name: str
    url: str
    client: httpx2.AsyncClient = field(repr=False)
    limits: ReplyLimits = field(default_factory=ReplyLimits)

    @property
    def chat(self) -> bool:
        return httpx2.URL(self.url).path.rstrip("/").endswith(CHAT_PATH)

    async def reply(self, messages: Sequence[Message]) -> Reply:
        spoken = [{"role": message.role.value, "content": message.content} for message in messages]
        sent: dict[str, object] = (
            {"model": self.name, "messages": spoken} if self.chat else {"messages": spoken}
        )
        body = await self._post(sent)
        try:
            said = from_json(body, allow_inf_nan=False)
            if not self.chat:
                return reply_from(said)
            chat = _Chat.model_validate(said)
            return chat.choices[0].message.reply(chat.recommendations)
        except ValueError as wrong:
            raise unreadable(wrong) from wrong

    async def _post(self, sent: Mapping[str, object]) -> bytes:
        try:
            async with self.client.stream(
                "POST", self.url, json=sent, timeout=self.limits.seconds, follow_redirects=False
            ) as response:
                if response.status_code != httpx2.codes.OK:
                    raise RecommenderFailed(Failure.ERROR, f"it answered with status {response.status_code}")
                return await self._read(response)
        except httpx2.TimeoutException as late:
            raise RecommenderFailed(Failure.TIMEOUT, "it did not answer in time") from late
        except httpx2.HTTPError as broken:
            raise RecommenderFailed(
                Failure.ERROR, f"it cannot be reached: {type(broken).__name__}"
            ) from broken

    async def _read(self, response: httpx2.Response) -> bytes:
        body = bytearray()
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > self.limits.body_bytes:
                raise RecommenderFailed(Failure.FLOOD, f"its answer is over {self.limits.body_bytes} bytes")
        return bytes(body)


class _Choice(Wire):
    message: Spoken


class _Chat(Wire):
    choices: Annotated[list[_Choice], Field(min_length=1)]
    recommendations: list[Label] | None = None
