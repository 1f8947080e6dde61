"""Write results once each, delete them, and read what a dashboard shows."""

import contextlib
import hashlib
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    and_,
    create_engine,
    delete,
    event,
    func,
    inspect,
    or_,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, IntegrityError, NoSuchModuleError
from sqlalchemy.schema import CreateColumn

from ..errors import ConfigurationError
from . import tables

CONNECT_SECONDS: Final = 10
"""Seconds for a connection."""

LOCK: Final = 0x637273
"""The advisory locks of PostgreSQL under which tables are migrated, and writers and deletions keep out of each other's way."""

MEMORY: Final = (None, "", ":memory:")
"""Addresses of SQLite in memory, where nothing outlives the process."""

ADDRESS: Final = "postgresql://user@host/database, or sqlite:///file.db"
Row = Mapping[str, Any]


class ArchiveDown(Exception):  # noqa: N818 - a state, which passes
    """The database does not answer, or not now. Nothing was written."""


class ArchiveRefused(Exception):  # noqa: N818 - no error to tell a caller
    """The database does not take these rows, now or ever. Nothing was written."""


@dataclass(frozen=True, slots=True)
class Result:
    """One judgement as rows. `sequence` grows from event to event."""

    sequence: int
    conversation: Row
    verdicts: Sequence[Row]
    log: Any | None
    faults: Sequence[Row] = ()


class Archive:
    """The database at `address`. Methods block; each is one transaction. Raises ConfigurationError for an address that is
    none, ArchiveDown where the database does not answer, ArchiveRefused for what it does not take."""

    def __init__(self, address: str) -> None:
        try:
            url = make_url(address)
            if url.drivername in ("postgresql", "postgres"):
                url = url.set(drivername="postgresql+psycopg")
            self._postgres = url.get_backend_name() == "postgresql"
            if not self._postgres and (url.get_backend_name() != "sqlite" or url.database in MEMORY):
                raise ConfigurationError(f"CRS_EVAL_LIVE_DATABASE: should be {ADDRESS}")
            patience = {"connect_timeout" if self._postgres else "timeout": CONNECT_SECONDS}
            self._engine: Engine = create_engine(url, connect_args=patience, pool_pre_ping=True)
        except (ArgumentError, NoSuchModuleError, ImportError, ValueError):
            raise ConfigurationError(f"CRS_EVAL_LIVE_DATABASE: should be {ADDRESS}") from None
        if not self._postgres and not (folder := Path(str(url.database)).parent).is_dir():
            raise ConfigurationError(f"CRS_EVAL_LIVE_DATABASE: no such folder: {folder}")
        self._insert: Any = postgresql.insert if self._postgres else sqlite.insert
        if not self._postgres:
            event.listen(self._engine, "connect", _write_ahead)

    def prepare(self) -> None:
        """Create the tables, columns and views that are missing, one process at a time. Releases only ever add some."""
        with self._step() as connection:
            if self._postgres:
                connection.execute(select(func.pg_advisory_xact_lock(LOCK)))
            tables.METADATA.create_all(connection)
            found = inspect(connection)
            for table in tables.METADATA.sorted_tables:
                known = {column["name"] for column in found.get_columns(table.name)}
                for column in (one for one in table.columns if one.name not in known):
                    added = CreateColumn(column).compile(connection)
                    connection.exec_driver_sql(f"alter table {table.name} add column {added}")
                for index in table.indexes:
                    index.create(connection, checkfirst=True)
            views = set(found.get_view_names())
            for name, (columns, query) in tables.VIEWS.items():
                # Kept where it is complete: a view that is created again loses what readers were granted.
                if name not in views or not columns <= {one["name"] for one in found.get_columns(name)}:
                    connection.exec_driver_sql(f"drop view if exists {name}")
                    connection.exec_driver_sql(f"create view {name} as {query}")

    def write(self, results: Sequence[Result]) -> None:
        """Write results; one that is there already is replaced, one of a conversation deleted since is left out."""
        with self._step() as connection:
            self._lock(connection, shared=True)
            known = tables.deletions.c
            names = [_digest(str(one.conversation["conversation"])) for one in results]
            found = connection.execute(select(known.digest, known.sequence).where(known.digest.in_(names)))
            deleted = {row.digest: row.sequence for row in found}
            kept = [
                one for one, name in zip(results, names, strict=True) if one.sequence > deleted.get(name, -1)
            ]
            if kept:
                self._write(connection, kept)

    def _write(self, connection: Connection, results: Sequence[Result]) -> None:
        heads = [{**one.conversation, "sequence": one.sequence} for one in results]
        self._upsert(connection, tables.conversations, heads)
        self._upsert(connection, tables.verdicts, [row for one in results for row in one.verdicts])
        self._upsert(connection, tables.faults, [row for one in results for row in one.faults])
        logs = [
            {name: one.conversation[name] for name in ("conversation", "revision")} | {"log": one.log}
            for one in results
            if one.log is not None
        ]
        self._upsert(connection, tables.texts, logs)

    def _upsert(self, connection: Connection, table: Any, rows: Sequence[Row]) -> None:
        if not rows:
            return
        keys = [column.name for column in table.primary_key]
        added = self._insert(table)
        rest = {
            column.name: added.excluded[column.name] for column in table.columns if column.name not in keys
        }
        connection.execute(
            added.on_conflict_do_update(index_elements=keys, set_=rest), [dict(row) for row in rows]
        )

    def alarm(self, row: Row) -> None:
        """Write an alarm, or that one is over."""
        with self._step() as connection:
            self._upsert(connection, tables.alarms, [row])

    def find(self, user_hash: str) -> list[dict[str, Any]]:
        """Return the judgements of a user's conversations, each with its verdicts, faults and text."""
        with self._step() as connection:
            known = tables.conversations.c.user_hash
            one_of_several = and_(known.like(tables.SEVERAL), known.contains(user_hash))
            wanted = select(tables.conversations).where(or_(known == user_hash, one_of_several))
            found = [dict(row) for row in connection.execute(wanted).mappings()]
            for one in found:
                for table in (tables.verdicts, tables.faults, tables.texts):
                    same = and_(
                        table.c.conversation == one["conversation"], table.c.revision == one["revision"]
                    )
                    rows = connection.execute(select(table).where(same)).mappings()
                    one[table.name] = [dict(row) for row in rows]
        return found

    def delete(self, conversation: str, sequence: int) -> None:
        """Delete a conversation, with what is still on its way to here: events before `sequence`."""
        with self._step() as connection:
            self._lock(connection, shared=False)
            now = datetime.now(UTC)
            row = {"digest": _digest(conversation), "sequence": sequence, "at": now}
            self._upsert(connection, tables.deletions, [row])
            heads = tables.conversations
            _remove(connection, and_(heads.c.conversation == conversation, heads.c.sequence < sequence))
            _unshow(connection, conversation)
        self._empty_log()

    def expire(self, before: datetime) -> int:
        """Delete what was judged, alarmed or deleted before then. Returns the number of judgements."""
        with self._step() as connection:
            self._lock(connection, shared=False)
            connection.execute(delete(tables.alarms).where(tables.alarms.c.at < before))
            connection.execute(delete(tables.deletions).where(tables.deletions.c.at < before))
            number = _remove(connection, tables.conversations.c.judged_at < before)
        self._empty_log()
        return number

    def _empty_log(self) -> None:
        """Truncate SQLite's write-ahead log, which holds what was deleted. PostgreSQL keeps it until a vacuum (docs/live.md)."""
        if not self._postgres:
            with self._step() as connection:
                [(busy, *_)] = connection.exec_driver_sql("pragma wal_checkpoint(truncate)").fetchall()
            if busy:  # the deletion is brought again
                raise ArchiveDown("somebody reads the database")

    def close(self) -> None:
        self._engine.dispose()

    def _lock(self, connection: Connection, *, shared: bool) -> None:
        """Writers together or one deletion alone; SQLite has one writer anyway."""
        if self._postgres:
            lock = func.pg_advisory_xact_lock_shared if shared else func.pg_advisory_xact_lock
            connection.execute(select(lock(LOCK + 1)))

    @contextlib.contextmanager
    def _step(self) -> Iterator[Connection]:
        try:
            with self._engine.begin() as connection:
                yield connection
        except (DataError, IntegrityError) as error:  # their texts hold the rows
            raise ArchiveRefused(type(error.orig).__name__) from None
        except DBAPIError as error:
            if getattr(error.orig, "sqlite_errorcode", None) == sqlite3.SQLITE_NOTADB:
                raise ConfigurationError(
                    "CRS_EVAL_LIVE_DATABASE: the file is no database of SQLite"
                ) from None
            raise ArchiveDown(type(error.orig).__name__) from None


def _remove(connection: Connection, which: ColumnElement[bool]) -> int:
    """Delete these rows of `conversations`, with all that hangs on them. Returns their number."""
    heads = tables.conversations
    for table in (tables.verdicts, tables.faults, tables.texts):
        same = and_(heads.c.conversation == table.c.conversation, heads.c.revision == table.c.revision)
        connection.execute(delete(table).where(select(heads.c.conversation).where(same, which).exists()))
    return int(connection.execute(delete(heads).where(which)).rowcount)


def _unshow(connection: Connection, conversation: str) -> None:
    """Take a conversation out of the alarms that show it."""
    rows = tables.alarms
    for name, content in connection.execute(select(rows.c.id, rows.c.content)).all():
        shown = content.get("shown", ())
        if conversation in shown:
            left = {**content, "shown": [one for one in shown if one != conversation]}
            connection.execute(update(rows).where(rows.c.id == name).values(content=left))


def _write_ahead(connection: Any, _: object) -> None:
    """Readers do not wait for a writer, nor a writer for them; what is deleted is overwritten."""
    connection.execute("pragma journal_mode = wal")
    connection.execute("pragma secure_delete = on")


def _digest(conversation: str) -> str:
    return hashlib.sha256(conversation.encode()).hexdigest()
