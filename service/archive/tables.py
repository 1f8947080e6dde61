"""The tables, and views of them for dashboards."""

from datetime import UTC, datetime
from typing import Final

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    DateTime,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    TypeDecorator,
    column,
    literal_column,
)


class UtcDateTime(TypeDecorator[datetime]):
    """A time with its zone. SQLite keeps none: its times are UTC."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, _: object) -> datetime | None:
        return value and value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, _: object) -> datetime | None:
        return value.replace(tzinfo=UTC) if value and value.tzinfo is None else value


METADATA: Final = MetaData()
SEVERAL: Final[ColumnElement[str]] = literal_column("'% %'")
"""Fits the hashes of several users."""
_SHARED: Final = column("user_hash", String).like(SEVERAL)

conversations: Final = Table(
    "conversations",
    METADATA,
    Column("conversation", String, primary_key=True),
    Column("revision", Integer, primary_key=True),
    Column("system", String, nullable=False),
    Column("domain", String, nullable=False),
    Column("ended", String, nullable=False),
    Column("judged_at", UtcDateTime, nullable=False),
    Column("first_at", UtcDateTime, nullable=False),
    Column("last_at", UtcDateTime, nullable=False),
    Column("messages", Integer, nullable=False),
    Column("replies", Integer, nullable=False),
    Column("mean", Float),
    Column("failure", String),
    Column("model", String),
    Column("model_reasons", JSON),
    Column("user_hash", String),
    Column("segment", String),
    Column("sequence", BigInteger, nullable=False),
    Index("conversations_by_time", "system", "judged_at"),
    Index("conversations_by_user", "user_hash"),
    Index("conversations_of_several", "user_hash", postgresql_where=_SHARED, sqlite_where=_SHARED),
)
"""One row a judgement. `mean` is the mean of its scored verdicts, each put on 0-1."""

verdicts: Final = Table(
    "verdicts",
    METADATA,
    Column("conversation", String, primary_key=True),
    Column("revision", Integer, primary_key=True),
    Column("factor", String, primary_key=True),
    Column("judge", String, primary_key=True),
    Column("status", String, nullable=False),
    Column("score", Float),
    Column("level", Integer),
    Column("scale_min", Integer, nullable=False),
    Column("scale_max", Integer, nullable=False),
    Column("confidence", Float),
    Column("reason", String),
    Column("evaluator_revision", String, nullable=False),
    Column("calibrated", Float),
    Column("rationale", String),
    Column("evidence", JSON, nullable=False),
    Index("verdicts_by_factor", "factor"),
)

faults: Final = Table(
    "faults",
    METADATA,
    Column("conversation", String, primary_key=True),
    Column("revision", Integer, primary_key=True),
    Column("fault", String, primary_key=True),
    Column("replies", Integer, nullable=False),
    Column("rate", Float, nullable=False),
    Column("certain", Boolean, nullable=False),
    Column("messages", JSON, nullable=False),
    Index("faults_by_fault", "fault"),
)
"""One row a fault of a judgement. `rate` is the share of replies that have it."""

texts: Final = Table(
    "texts",
    METADATA,
    Column("conversation", String, primary_key=True),
    Column("revision", Integer, primary_key=True),
    Column("log", JSON, nullable=False),
)
"""The text of conversations, where the operator asked to keep it."""

alarms: Final = Table(
    "alarms",
    METADATA,
    Column("id", String, primary_key=True),
    Column("kind", String, nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Column("system", String, nullable=False),
    Column("factor", String, nullable=False),
    Column("content", JSON, nullable=False),
)

deletions: Final = Table(
    "deletions",
    METADATA,
    Column("digest", String, primary_key=True),
    Column("sequence", BigInteger, nullable=False),
    Column("at", UtcDateTime, nullable=False),
)
"""SHA-256 of the ids of deleted conversations: a result that was on its way is not written after the deletion."""


def _latest(table: Table, *more: str) -> tuple[frozenset[str], str]:
    """The columns of a view and its query: the rows of the last revision of each conversation, with these columns of it."""
    shown = ("system", "domain", "judged_at", "ended", *more)
    query = (
        f"select {', '.join(f'c.{name}' for name in shown)}, t.* from {table.name} t "  # noqa: S608 - names from here
        "join conversations c on c.conversation = t.conversation and c.revision = t.revision "
        "where c.revision = (select max(o.revision) from conversations o where o.conversation = c.conversation)"
    )
    return frozenset({*shown, *table.columns.keys()}), query


VIEWS: Final = {"latest_verdicts": _latest(verdicts, "model"), "latest_faults": _latest(faults, "segment")}
