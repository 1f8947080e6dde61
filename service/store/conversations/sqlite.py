"""Open conversations of one process, in a file that the standard library's `sqlite3` keeps."""

import asyncio
import contextlib
import json
import sqlite3
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, Final

from ...errors import ConfigurationError
from .protocol import (
    DELETED,
    USERS,
    ClaimedConversation,
    Entry,
    Full,
    IncomingBatch,
    Level,
    OutboxEvent,
    Snapshot,
    Unreachable,
    belongs_to,
    conversation_of,
    deletion,
    letter,
    named,
    parsed,
    without,
)

OFTEN: Final = 0.05
"""Seconds between two looks for something new."""

AWAY: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY)


class SqliteConversations:
    """`settle`, `longest`, `reopen` and `lease` are in seconds, as in `RedisConversations`. The file belongs to this process:
    a second one that opens it is refused."""

    def __init__(
        self,
        file: Path,
        *,
        settle: float = 2.0,
        longest: float = 86_400.0,
        reopen: float = 86_400.0,
        lease: float = 600.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._file = file
        self._settle, self._longest, self._reopen, self.lease = settle, longest, reopen, lease
        self._clock = clock
        self._outputs: Sequence[str] = ()
        self._token = 0
        try:
            self._db = sqlite3.connect(file, isolation_level=None, timeout=0, check_same_thread=False)
            self._db.execute("pragma locking_mode = exclusive")
            self._db.execute("pragma journal_mode = wal")
            self._db.execute("pragma synchronous = full")
            self._db.execute("pragma secure_delete = on")
            self._db.create_function("without", 2, without, deterministic=True)
            self._db.create_function("belongs_to", 2, belongs_to, deterministic=True)
            self._db.executescript(resources.files(__package__).joinpath("tables.sql").read_text("utf-8"))
            for table in ("dead", "shelves"):  # of an earlier version
                if "at" not in {row[1] for row in self._db.execute(f"pragma table_info({table})")}:
                    self._db.execute(f"alter table {table} add column at real not null default 0")
        except sqlite3.Error as error:
            raise ConfigurationError(
                f"{file}: {error}; the file for open conversations must be writable, and used by only one process"
            ) from error

    async def prepare(self, outputs: Sequence[str]) -> None:
        self._outputs = tuple(outputs)
        with self._step():
            # what a process that died had claimed
            self._db.execute("update conversations set due = 0, token = null where token is not null")
            # what waits for outputs that are no longer configured
            gone = "delete from deliveries where output not in (select value from json_each(?))"
            self._db.execute(gone, (json.dumps(self._outputs),))
            self._db.execute("delete from events where number not in (select number from deliveries)")

    async def put(self, contents: Sequence[bytes]) -> None:
        with self._step():
            self._db.executemany("insert into queue (content) values (?)", [(one,) for one in contents])

    async def waiting(self, most: int, patience: float) -> Sequence[Entry]:
        query = "select place, content from queue order by place limit ?"
        rows = await self._await_rows(lambda: self._db.execute(query, (most,)).fetchall(), patience)
        return [Entry(str(place), content) for place, content in rows]

    async def take(self, taken: Sequence[tuple[Entry, IncomingBatch]]) -> None:
        with self._step():
            for entry, sent in taken:
                if self._leaves_queue(entry):
                    self._take(sent)

    def _leaves_queue(self, entry: Entry) -> bool:
        """Take an entry out of the queue; False where it was taken before, or deleted."""
        return bool(self._db.execute("delete from queue where place = ?", (int(entry.place),)).rowcount)

    def _take(self, sent: IncomingBatch) -> None:
        """Add to a conversation; the steps are those of the script for Redis."""
        now, name = self._clock(), sent.conversation
        row = self._db.execute(
            "select version, judged, complete, since, first, idle from conversations where name = ?", (name,)
        ).fetchone()
        version, judged, complete, since, first, known = row or (0, None, 0, now, now, sent.usual)
        idle = known if sent.idle is None else sent.idle
        over = row is None or judged == version
        changed = [
            self._db.execute(
                "insert into facts values (?, ?, ?) on conflict do update set value = excluded.value "
                "where value <> excluded.value",
                (name, *fact),
            ).rowcount
            for fact in sent.facts.items()
        ]
        count = "select count(*) from messages where conversation = ?"
        [number] = self._db.execute(count, (name,)).fetchone()
        added = 0
        for key, content in sent.messages.items():
            if key.startswith("id:"):  # edited, or streamed in parts: it keeps its place
                edit = "update messages set content = ?1 where conversation = ? and key = ? and content <> ?1"
                changed.append(self._db.execute(edit, (content, name, key)).rowcount)
            added += self._db.execute(
                "insert into messages values (?, ?, ?, ?) on conflict do nothing",
                (name, key, number + added, content),
            ).rowcount
        if sent.complete and not complete:
            complete, changed = 1, [1]
        elif added and not sent.complete and complete and over:
            complete = 0
        if not added and not any(changed):
            return
        since = now if over else since
        due = now + self._settle if complete else max(now, min(now + idle, since + self._longest))
        self._db.execute(
            "insert into conversations (name, version, revision, attempts, complete, idle, first, since, last, due) "
            "values (?, 1, 0, 0, ?, ?, ?, ?, ?, ?) on conflict do update set version = version + 1, "
            "complete = excluded.complete, idle = excluded.idle, since = excluded.since, last = excluded.last, "
            "due = excluded.due, expires = null",
            (name, complete, idle, first, since, now, due),
        )

    async def set_aside(self, entry: Entry, reason: str) -> None:
        with self._step():
            if self._leaves_queue(entry):
                self._bury("in", reason, conversation_of(parsed(entry.content)), entry.content)

    async def due(self, most: int) -> Sequence[ClaimedConversation]:
        now = self._clock()
        with self._step():
            expired = self._expire(now)
            rows = self._db.execute(
                "select name from conversations where due <= ? order by due limit ?", (now, most)
            ).fetchall()
            found = [self._claim(now, name) for (name,) in rows]
        if expired:
            self._empty_log()
        return found

    def _claim(self, now: float, name: str) -> ClaimedConversation:
        self._token += 1
        [(version, revision, attempts, complete, idle, first, last)] = self._db.execute(
            "update conversations set token = ?, attempts = attempts + 1, due = ? where name = ? "
            "returning version, revision, attempts, complete, idle, first, last",
            (self._token, now + self.lease, name),
        ).fetchall()
        facts, messages = self._content(name)
        return ClaimedConversation(
            conversation=name,
            token=self._token,
            version=version,
            revision=revision + 1,
            attempts=attempts,
            complete=bool(complete),
            idle=idle,
            first=first,
            last=last,
            now=now,
            facts=facts,
            messages=messages,
        )

    def _content(self, name: str) -> tuple[dict[str, str], list[str]]:
        facts = self._db.execute("select name, value from facts where conversation = ?", (name,)).fetchall()
        messages = self._db.execute(
            "select content from messages where conversation = ? order by number", (name,)
        ).fetchall()
        return dict(facts), [content for (content,) in messages]

    async def record(self, due: ClaimedConversation, kind: str, content: bytes) -> bool:
        with self._step():
            if not self._end_claim(due, due.revision):
                return False
            self._tell(kind, due.conversation, content)
            return True

    async def renew(self, due: ClaimedConversation) -> None:
        with self._step():
            self._db.execute(
                "update conversations set due = ? where name = ? and token = ? and version = ?",
                (self._clock() + self.lease, due.conversation, due.token, due.version),
            )

    async def give_up(self, due: ClaimedConversation, reason: str) -> None:
        with self._step():
            if self._end_claim(due, due.revision - 1):
                self._bury(
                    "judging", reason, due.conversation, letter(due.conversation, due.facts, due.messages)
                )

    async def drop(self, due: ClaimedConversation) -> None:
        with self._step():
            self._end_claim(due, due.revision - 1)

    def _end_claim(self, due: ClaimedConversation, revision: int) -> bool:
        """Note that a claim ended; False where it no longer holds."""
        now = self._clock()
        held = self._db.execute(
            "update conversations set token = null, attempts = 0, judged = ?, revision = ?, since = ? "
            "where name = ? and token = ?",
            (due.version, revision, now, due.conversation, due.token),
        ).rowcount
        self._db.execute(
            "update conversations set due = null, expires = ? where name = ? and version = ?",
            (now + self._reopen, due.conversation, due.version if held else -1),
        )
        return bool(held)

    async def tell(self, kind: str, conversation: str, content: bytes) -> None:
        with self._step():
            self._tell(kind, conversation, content)

    def _tell(self, kind: str, conversation: str, content: bytes) -> None:
        number = self._db.execute(
            "insert into events (kind, conversation, content) values (?, ?, ?)", (kind, conversation, content)
        ).lastrowid
        rows = [(output, number) for output in self._outputs]
        self._db.executemany("insert into deliveries values (?, ?)", rows)

    async def undelivered(self, output: str, most: int, patience: float) -> Sequence[OutboxEvent]:
        query = (
            "select number, kind, conversation, content from deliveries join events using (number) "
            "where output = ? order by number limit ?"
        )
        rows = await self._await_rows(lambda: self._db.execute(query, (output, most)).fetchall(), patience)
        return [OutboxEvent(str(number), number, *rest) for number, *rest in rows]

    async def delivered(self, output: str, events: Sequence[OutboxEvent]) -> None:
        with self._step():
            self._db.executemany(
                "delete from deliveries where output = ? and number = ?",
                [(output, one.number) for one in events],
            )
            self._db.execute("delete from events where number not in (select number from deliveries)")

    async def bury(self, output: str, event: OutboxEvent, reason: str) -> None:
        with self._step():
            # Its conversation may have been deleted while the output had it.
            if self._db.execute("select 1 from events where number = ?", (event.number,)).fetchone():
                self._bury(output, reason, event.conversation, event.content)
        await self.delivered(output, [event])

    def _bury(self, source: str, reason: str, conversation: str, content: bytes) -> None:
        row = (source, reason, conversation, content, self._clock())
        self._db.execute("insert into dead values (?, ?, ?, ?, ?)", row)

    async def forget(self, conversation: str) -> None:
        with self._step():
            self._drop_content(conversation)
            for change in (
                "delete from conversations where name = ?1",
                "delete from shelves where name = ?1",
                "update shelves set head = without(head, ?1) where without(head, ?1) is not null",
                "update events set content = without(content, ?1) where without(content, ?1) is not null",
                "update dead set content = without(content, ?1) where without(content, ?1) is not null",
                "delete from queue where belongs_to(content, ?1)",
                "delete from events where conversation = ?1",
                "delete from dead where conversation = ?1 or conversation = '' and belongs_to(content, ?1)",
            ):
                self._db.execute(change, (conversation,))
            self._db.execute("delete from deliveries where number not in (select number from events)")
            self._tell(DELETED, conversation, deletion(conversation))
        self._empty_log()

    async def find(self, users: Collection[str]) -> Sequence[dict[str, Any]]:
        query = "select distinct conversation from facts where name in (select value from json_each(?))"
        names = self._db.execute(query, (json.dumps(list(filter(USERS.fullmatch, users))),)).fetchall()
        contents = [letter(name, *self._content(name)) for (name,) in names]
        for table in ("queue", "events", "dead", "shelves"):
            contents += [row for (row,) in self._db.execute(f"select content from {table}")]  # noqa: S608
        return [one for content in contents if (one := named(content, users))]

    async def expire(self, before: float) -> None:
        with self._step():
            for table in ("dead", "shelves"):
                self._db.execute(f"delete from {table} where at < ?", (before,))  # noqa: S608
            self._db.execute(
                "delete from conversations where last < ? and due is null and expires is null", (before,)
            )
        self._empty_log()

    def _empty_log(self) -> None:
        """Bring the write-ahead log into the file and truncate it: it holds what was deleted."""
        self._db.execute("pragma wal_checkpoint(truncate)").fetchall()

    async def remaining(self, conversations: Sequence[str]) -> int:
        query = "select count(*) from conversations where due is not null and name in (select value from json_each(?))"
        return int(self._db.execute(query, (json.dumps(list(conversations)),)).fetchone()[0])

    async def load(self, name: str) -> bytes | None:
        row = self._db.execute("select value from kept where name = ?", (name,)).fetchone()
        return row[0] if row else None

    async def save(self, name: str, value: bytes, before: bytes | None) -> bool:
        with self._step():
            if before is None:
                added = "insert into kept values (?, ?) on conflict do nothing"
                return bool(self._db.execute(added, (name, value)).rowcount)
            changed = "update kept set value = ? where name = ? and value = ?"
            return bool(self._db.execute(changed, (value, name, before)).rowcount)

    async def shelve(self, shelf: str, rows: Sequence[Snapshot], most: int) -> None:
        now = self._clock()
        with self._step():
            self._db.executemany(
                "insert into shelves select ?, ?, ?, ?, ?, ? where exists (select 1 from events where number = ?) "
                "on conflict do update set number = excluded.number, head = excluded.head, content = excluded.content, "
                "at = excluded.at "
                "where excluded.number >= number",
                [(shelf, one.name, one.number, one.head, one.content, now, one.number) for one in rows],
            )
            self._db.execute(
                "delete from shelves where shelf = ?1 and number <= "
                "(select number from shelves where shelf = ?1 order by number desc limit 1 offset ?2)",
                (shelf, most),
            )

    async def shelf(self, shelf: str) -> Sequence[bytes]:
        query = "select head from shelves where shelf = ? order by number desc"
        return [head for (head,) in self._db.execute(query, (shelf,))]

    async def shelved(self, shelf: str, name: str) -> bytes | None:
        query = "select content from shelves where shelf = ? and name = ?"
        row = self._db.execute(query, (shelf, name)).fetchone()
        return row[0] if row else None

    async def level(self) -> Level:
        query = (
            "select (select count(*) from conversations where due is not null), count(*), (select count(*) from queue), "
            "(select count(*) from events), (select count(*) from dead), coalesce(?1 - min(due), 0.0) "
            "from conversations where due <= ?1"
        )
        return Level(*self._db.execute(query, (self._clock(),)).fetchone())

    async def aclose(self) -> None:
        self._db.close()

    def _expire(self, now: float) -> bool:
        """Delete texts of conversations judged long ago; names and revision counts stay. Returns whether
        there were any."""
        expired = self._db.execute(
            "update conversations set expires = null where expires < ? returning name", (now,)
        ).fetchall()
        for (name,) in expired:
            self._drop_content(name)
        return bool(expired)

    def _drop_content(self, name: str) -> None:
        for table in ("facts", "messages"):
            self._db.execute(f"delete from {table} where conversation = ?", (name,))  # noqa: S608

    @contextlib.contextmanager
    def _step(self) -> Iterator[None]:
        """Commit all steps within, or none. Raises Unreachable, or Full if the disk is full."""
        try:
            self._db.execute("begin immediate")
            yield
            self._db.execute("commit")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_FULL:
                raise Full("the disk is full") from error
            if error.sqlite_errorcode & 0xFF in AWAY:
                raise Unreachable(error.sqlite_errorname) from error
            raise
        finally:
            if self._db.in_transaction:
                self._db.execute("rollback")

    async def _await_rows(
        self, look: Callable[[], Sequence[tuple[Any, ...]]], patience: float
    ) -> Sequence[tuple[Any, ...]]:
        until = asyncio.get_running_loop().time() + patience
        while True:
            rows = look()
            if rows or asyncio.get_running_loop().time() >= until:
                return rows
            await asyncio.sleep(OFTEN)
