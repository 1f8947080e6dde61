"""Connect a command to a service: the one at a URL, or a private one for as long as it runs."""

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from ..importing.entries import plain_name
from .exits import CommandError, Exit
from .files import read_content
from .private_service import MisconfiguredError, running

PREFIX = "CRS_EVAL_"
LARGE_BODY = str(1024 * 1024 * 1024)
"""A private service takes whatever its one user sends."""


@dataclass(frozen=True)
class Connection:
    """A service, and the name under which it has the catalogue that was asked for."""

    url: str
    key: str | None
    catalog: str | None


@contextlib.contextmanager
def connected(
    url: str | None,
    key: str | None = None,
    *,
    judge: str | None = None,
    judges: Sequence[str] = (),
    catalog: str | None = None,
    crs: str | None = None,
    settings: Mapping[str, str] | None = None,
) -> Iterator[Connection]:
    """The service at `url`, or a private one that asks `judge` and may ask `judges`. The private one has the catalogue in the
    file `catalog`, and reaches the recommender `crs` (`name=URL`, several separated by commas). `settings` are further ones of
    the private service, by their whole names."""
    if url is not None:
        if catalog is not None and _is_file(catalog):
            told = "the service at --url knows its own catalogues by name"
            raise CommandError(
                f"--catalog {catalog} is a file, but {told}; GET /docs says how operators add one."
            )
        if not _is_address(url):
            raise CommandError(
                f"--url {url} is no address; it is http:// or https://, a host, and perhaps a port."
            )
        yield Connection(url.rstrip("/"), key, catalog)
        return
    with contextlib.ExitStack() as stack:
        given = {name: value for name, value in os.environ.items() if name != "CRS_EVAL_LOG_FORMAT"}
        given.setdefault(f"{PREFIX}MAX_BODY", LARGE_BODY)
        given |= settings or {}
        if judge is not None:
            given[f"{PREFIX}JUDGE"] = judge
        if set(judges) - {judge}:
            known = given.get(f"{PREFIX}JUDGES", "builtin")
            given[f"{PREFIX}JUDGES"] = ",".join(dict.fromkeys([*known.split(","), *judges]))
        if catalog is not None and _is_file(catalog):
            catalog = _provide(Path(catalog), given, Path(stack.enter_context(tempfile.TemporaryDirectory())))
        if crs is not None:
            given[f"{PREFIX}CRS_ENDPOINTS"] = crs
        try:
            address = stack.enter_context(running(given))
        except MisconfiguredError as error:
            raise CommandError(f"A private service cannot start with these settings: {error}") from None
        except RuntimeError as error:
            raise CommandError(f"A private service did not start: {error}", Exit.FAILED) from None
        yield Connection(address, None, catalog)


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return (
            parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and " " not in url
        )
    except ValueError:  # a port beyond 65535, half of an IPv6 address
        return False


def _is_file(catalog: str) -> bool:
    return plain_name(Path(catalog)).suffix == ".jsonl" or os.sep in catalog


def _provide(file: Path, settings: dict[str, str], folder: Path) -> str:
    """Let the private service read this catalogue; under a name that changes with its content, so
    that no answer with another content is taken for one with this."""
    if not file.is_file():
        raise CommandError(f"--catalog {file} does not exist.")
    content = read_content(file)
    name = f"{plain_name(file).stem}-{hashlib.sha256(content).hexdigest()[:8]}"
    (folder / f"{name}.jsonl").write_bytes(content)
    settings[f"{PREFIX}CATALOGS"] = str(folder)
    return name
