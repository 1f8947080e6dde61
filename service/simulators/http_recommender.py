"""The recommender under test, over HTTP: a webhook or an OpenAI-compatible chat endpoint."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

import httpx2
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import from_json

from ..domain.conversation import Message
from ..domain.parts import Card, ImagePart, Item, ItemLayout, ItemsPart, Part, ToolCall, ToolResult
from .recommender import Failure, RecommenderFailed, Reply, ReplyLimits

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
        """Return whether the URL is one of Chat Completions."""
        return httpx2.URL(self.url).path.rstrip("/").endswith(CHAT_PATH)

    async def reply(self, messages: Sequence[Message]) -> Reply:
        """The next reply of the system at the URL."""
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
            raise RecommenderFailed(
                Failure.UNREADABLE, f"its answer cannot be read: {_short(wrong)}"
            ) from wrong

    async def _post(self, sent: Mapping[str, object]) -> bytes:
        request = self.client.build_request("POST", self.url, json=sent, timeout=self.limits.seconds)
        try:
            response = await self.client.send(request, stream=True, follow_redirects=False)
            try:
                if response.status_code != httpx2.codes.OK:
                    raise RecommenderFailed(Failure.ERROR, f"it answered with status {response.status_code}")
                return await self._read(response)
            finally:
                await response.aclose()
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


LONGEST_LABEL = 2_000
"""Characters of an id or title: no log may hold a longer one."""

Label = Annotated[str, Field(max_length=LONGEST_LABEL)]


def _as_object(value: object) -> object:
    return {"reference": value} if isinstance(value, str) else value


def _as_lists(value: object) -> object:
    if not isinstance(value, dict):
        return value
    return {name: [one] if isinstance(one, str) else one for name, one in value.items()}


class _Wire(BaseModel):
    """Fields that we do not know are the system's own business."""

    model_config = ConfigDict(strict=True, extra="ignore")


class _Item(_Wire):
    reference: Label | None = None
    id: Label | None = None
    title: Label | None = None
    attributes: Annotated[dict[str, list[str]], BeforeValidator(_as_lists)] = Field(default_factory=dict)
    description: str | None = None
    price: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    currency: str | None = None
    rating: Annotated[float, Field(allow_inf_nan=False)] | None = None
    stock: Annotated[int, Field(ge=0)] | None = None
    url: str | None = None
    image: str | None = None

    def card(self) -> Card:
        """The item as a card. Raises ValueError for one without a name."""
        if self.reference is not None:
            return Card(self.reference.strip())
        reference = (self.id or self.title or "").strip()
        if not reference:
            raise ValueError("an item of a part has neither `id` nor `title`")
        said = self.model_dump(exclude={"reference", "title", "attributes"})
        attributes = {name: tuple(values) for name, values in self.attributes.items()}
        return Card(reference, Item(title=self.title or reference, attributes=attributes, **said))


class _Part(_Wire):
    """A part of any type, flat as in the contract."""

    type: str
    items: list[Annotated[_Item, BeforeValidator(_as_object)]] = Field(default_factory=list)
    layout: Literal["list", "carousel", "grid"] | None = None
    id: str | None = None
    name: str | None = None
    arguments: str | None = None
    call: str | None = None
    content: str | None = None
    error: bool | None = None
    alt: str | None = None
    url: str | None = None

    def value(self) -> Part | None:
        """Return the part as a value; None for an unknown type, and for a text: `content` holds it."""
        match self.type:
            case "items":
                layout = ItemLayout(self.layout) if self.layout else None
                return ItemsPart(tuple(item.card() for item in self.items), layout)
            case "image":
                return ImagePart(self.alt, self.url)
            case "tool_call" if self.name:
                return ToolCall(self.name, self.arguments or "", self.id)
            case "tool_result":
                return ToolResult(self.content or "", self.call, self.name, bool(self.error))
        return None


class _Spoken(_Wire):
    """A reply on the wire."""

    content: str | None = None
    recommendations: list[Label] | None = None
    parts: list[_Part] | None = None

    def reply(self, recommendations: list[str] | None = None) -> Reply:
        """The reply as a value. Raises ValueError for a list beside parts that show other items."""
        items = self.recommendations if self.recommendations is not None else recommendations
        cleaned = None if items is None else tuple(item.strip() for item in items if item.strip())
        parts = tuple(value for part in self.parts or () if (value := part.value()) is not None)
        if lists := [part.cards for part in parts if isinstance(part, ItemsPart)]:
            shown = tuple(card.reference for cards in lists for card in cards)
            if cleaned is not None and shown != cleaned:
                raise ValueError("`recommendations` and the items of `parts` differ")
            cleaned = shown
        return Reply((self.content or "").strip(), cleaned, parts)


class _Choice(_Wire):
    message: _Spoken


class _Chat(_Wire):
    choices: Annotated[list[_Choice], Field(min_length=1)]
    recommendations: list[Label] | None = None


def _short(wrong: ValueError) -> str:
    if isinstance(wrong, ValidationError):
        first = wrong.errors()[0]
        matter = "should be an object" if first["type"] == "model_type" else first["msg"]
        return f"{'.'.join(str(part) for part in first['loc']) or 'the body'}: {matter}"
    return str(wrong)


def reply_from(said: object) -> Reply:
    """Read a reply `{content, recommendations, parts}`. Raises ValueError for any other value."""
    return _Spoken.model_validate(said).reply()
