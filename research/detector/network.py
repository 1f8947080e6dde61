"""The detector as a torch module: MiniLM's layers over a tree of messages, and its heads."""
# mypy: disable-error-code="misc, no-any-return"

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np
import torch  # type: ignore[import-not-found]
from numpy.typing import NDArray
from torch import nn

from research.alignment import encoder
from research.alignment.encoder import published
from research.alignment.recipe import HEADS, HIDDEN, LAYERS
from research.pack import unpacked_words
from service.encoder.detector import PIECES
from service.encoder.encoder import FOLDER, arrays, words

from .trees import CLASS, REACTIONS, Tree, depth

INNER = 256
_PROJECTED = ("query", "key", "value")


def swift(values: torch.Tensor) -> torch.Tensor:
    """x times the logistic function of 1.702 x: GELU within .02, at a seventh of its time in numpy."""
    return values * torch.sigmoid(1.702 * values)


def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, buckets: "list[Bucket]") -> torch.Tensor:
    """Return what the messages of all buckets take from those before them and from themselves."""
    queries, keys = (
        torch.cat([getattr(bucket, side).view(-1) for bucket in buckets]) for side in ("queries", "keys")
    )
    q_rows = q.index_select(0, queries).split([bucket.queries.numel() for bucket in buckets])
    k_rows, v_rows = (
        rows.index_select(0, keys).split([bucket.keys.numel() for bucket in buckets]) for rows in (k, v)
    )
    mixed = []
    for bucket, own, seen, values in zip(buckets, q_rows, k_rows, v_rows, strict=True):
        shape = (len(bucket.queries), -1, HEADS, HIDDEN // HEADS)
        scores = own.view(shape).transpose(1, 2) @ seen.view(shape).permute(0, 2, 3, 1)
        weights = (scores + bucket.unseen.to(scores.dtype)).softmax(-1)
        mixed.append((weights @ values.view(shape).transpose(1, 2)).transpose(1, 2).reshape(-1, HIDDEN))
    return torch.cat(mixed)


class Layer(encoder.Layer):
    """One transformer layer, in which messages attend to those before them."""

    def forward(self, states: torch.Tensor, packed: "Packed") -> torch.Tensor:
        """States (pieces, 384) of the next layer."""
        q, k, v = (part(states) for part in (self.query, self.key, self.value))
        q = q * (HIDDEN // HEADS) ** -0.5
        kind = self.query.weight.dtype
        with torch.autocast(states.device.type, enabled=False):
            mixed = attend(q.to(kind), k.to(kind), v.to(kind), packed.buckets)
        joined = self.joined(mixed.index_select(0, packed.order))
        states = self.attended(states + self.dropout(joined))
        inner = swift(self.wide(states))
        return self.settled(states + self.dropout(self.narrow(inner)))


@dataclass(slots=True)
class Bucket:
    """Messages of about the same history: rows of their pieces and of the pieces that they attend to, padded with row 0."""

    queries: torch.Tensor
    keys: torch.Tensor
    unseen: torch.Tensor  # (messages, 1, 1, keys): 0, or very low for padding


@dataclass(slots=True)
class Packed:
    """Trees as tensors."""

    ids: torch.Tensor
    places: torch.Tensor
    sides: torch.Tensor
    buckets: list[Bucket]
    order: torch.Tensor  # where the buckets' padded rows have each piece
    firsts: torch.Tensor
    lengths: torch.Tensor  # in pieces, of each node
    before: torch.Tensor  # the nearest node of the other side among the ancestors, or -1


def moved(value: Any, device: str) -> Any:
    """Return a tensor, a list or a dataclass of tensors on a device."""
    if isinstance(value, list):
        return [moved(each, device) for each in value]
    if is_dataclass(value):
        return type(value)(*(moved(getattr(value, each.name), device) for each in fields(value)))
    return value.to(device, non_blocking=True)


#: Messages in a bucket: few waste little on padding, and many keep an accelerator busy.
TOGETHER, MANY = 6, 48


def pack(trees: Sequence[Tree], shifts: Sequence[int] | None = None, together: int = TOGETHER) -> Packed:
    """Return the tensors of trees side by side, the places of each moved by its shift."""
    ids: list[int] = []
    places: list[int] = []
    sides: list[int] = []
    firsts: list[int] = []
    before: list[int] = []
    paths: list[list[int]] = []
    for tree, shift in zip(trees, shifts or [0] * len(trees), strict=True):
        base = len(firsts)
        for node, start in zip(tree.nodes, depth(tree), strict=True):
            rows = list(range(len(ids), len(ids) + len(node.pieces)))
            firsts.append(len(ids))
            ids += node.pieces
            places += range(start + shift, start + shift + len(node.pieces))
            sides += [0 if node.is_user else 1] * len(node.pieces)
            paths.append([*(paths[base + node.parent] if node.parent >= 0 else ()), *rows])
            at = node.parent
            while at >= 0 and tree.nodes[at].is_user == node.is_user:
                at = tree.nodes[at].parent
            before.append(base + at if at >= 0 else -1)
    lengths = [len(node.pieces) for tree in trees for node in tree.nodes]
    by_length = sorted(range(len(paths)), key=lambda n: len(paths[n]))
    buckets, order, reached = [], torch.zeros(len(ids), dtype=torch.long), 0
    for at in range(0, len(by_length), together):
        part = by_length[at : at + together]
        wide, long = max(lengths[n] for n in part), max(len(paths[n]) for n in part)
        queries, keys = (
            torch.zeros(len(part), wide, dtype=torch.long),
            torch.zeros(len(part), long, dtype=torch.long),
        )
        unseen = torch.full((len(part), 1, 1, long), -1e4)
        for row, n in enumerate(part):
            queries[row, : lengths[n]] = torch.arange(firsts[n], firsts[n] + lengths[n])
            keys[row, : len(paths[n])] = torch.tensor(paths[n])
            unseen[row, :, :, : len(paths[n])] = 0
            order[firsts[n] : firsts[n] + lengths[n]] = reached + row * wide + torch.arange(lengths[n])
        reached += len(part) * wide
        buckets.append(Bucket(queries, keys, unseen))
    return Packed(
        torch.tensor(ids), torch.tensor(places), torch.tensor(sides), buckets, order, torch.tensor(firsts),
        torch.tensor(lengths), torch.tensor(before),
    )  # fmt: skip


class Detector(nn.Module):
    """The layers and two heads: classes of replies, and reactions of users."""

    def __init__(self, dropout: float = 0.1, blank: float = 0.0) -> None:
        super().__init__()
        self.blank = blank
        self.words = nn.Embedding(30522, HIDDEN)
        self.places = nn.Embedding(PIECES, HIDDEN)
        self.sides = nn.Embedding(2, HIDDEN)
        self.norm = nn.LayerNorm(HIDDEN, eps=1e-12)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(Layer(dropout) for _ in range(LAYERS))
        self.evidence = nn.Linear(4 * HIDDEN, INNER)
        self.head = nn.Linear(INNER, len(CLASS))
        self.reactions = nn.Linear(INNER, len(REACTIONS))
        self.head_dropout = nn.Dropout(2 * dropout)

    def forward(self, tree: Packed) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits (nodes, classes) and (nodes, reactions)."""
        words = self.words(tree.ids)
        if self.training and self.blank:
            words = words * (torch.rand_like(words[:, :1]) > self.blank)
        states = words + self.places(tree.places) + self.sides(tree.sides)
        states = self.dropout(self.norm(states)).to(self.layers[0].query.weight.dtype)
        for layer in self.layers:
            states = layer(states, tree)
        states = states.float()
        own = torch.repeat_interleave(tree.lengths)
        total = states.new_zeros(len(tree.lengths), HIDDEN).index_add(0, own, states)
        first, mean = states[tree.firsts], total / tree.lengths[:, None]
        other = torch.where(tree.before[:, None] >= 0, mean[tree.before], torch.zeros_like(mean))
        found = torch.cat([first, mean, mean * other, (mean - other).abs()], 1)
        inner = swift(self.evidence(self.head_dropout(found)))
        inner = self.head_dropout(inner)
        return self.head(inner).float(), self.reactions(inner).float()


def shipped(dropout: float = 0.1, blank: float = 0.0) -> Detector:
    """The detector as it ships, to go on from."""
    return loaded(Detector(dropout, blank), arrays(FOLDER / "detector.npz"))


def loaded(model: Detector, given: Mapping[str, NDArray[Any]]) -> Detector:
    """Return the model with the numbers of `detector.npz`, as the service reads them."""
    table = words(FOLDER)
    found = dict(model.state_dict())
    found["words.weight"] = torch.from_numpy(table.steps * table.scale[:, None])
    for name in found:
        stem, kind = name.rsplit(".", 1)
        prefix, part = stem.rsplit(".", 1) if "." in stem else ("", stem)
        whole, size = stem, 1.0
        if part in _PROJECTED:
            whole, size = f"{prefix}.projections", (HIDDEN // HEADS) ** 0.5 if part == "query" else 1.0
        if kind == "weight" and f"{whole}.steps" in given:
            values = (given[f"{whole}.steps"] * given[f"{whole}.scale"]).T * size
        elif name in given or f"{whole}.{kind}" in given:
            values = given[f"{whole}.{kind}"] * size
        elif stem in given:
            values = given[stem]
        else:
            continue
        if part in _PROJECTED:
            at = _PROJECTED.index(part) * HIDDEN
            values = values[at : at + HIDDEN]
        found[name] = torch.from_numpy(np.ascontiguousarray(values, dtype=np.float32))
    found["sides.weight"] = torch.from_numpy(given["sides"])
    found["places.weight"] = torch.from_numpy(given["places"].astype(np.float32))
    model.load_state_dict(found)
    model.words.weight.requires_grad_(False)
    return model


def pretrained(dropout: float = 0.1, blank: float = 0.0) -> Detector:
    """The published layers under new heads, over the table of words as it ships."""
    model = Detector(dropout, blank)
    given, layers = published()
    table = unpacked_words(given["embeddings.word_embeddings.weight"].numpy())
    found = {**model.state_dict(), **layers, "words.weight": torch.from_numpy(table)}
    found["places.weight"] = given["embeddings.position_embeddings.weight"][:PIECES]
    found["sides.weight"] = given["embeddings.token_type_embeddings.weight"][:2]
    model.load_state_dict(found)
    model.words.weight.requires_grad_(False)
    return model
