"""Archives whose bytes depend on nothing but their files: names in order, one time for all."""

import gzip
import io
import tarfile
import zipfile
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path


def write_jar(target: Path, files: Mapping[str, bytes], epoch: int) -> None:
    """Write a jar. The manifest comes first, as readers of streams want it."""
    when = datetime.fromtimestamp(epoch, UTC).timetuple()[:6]
    ordered = sorted(files, key=lambda name: (name != "META-INF/MANIFEST.MF", name))
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as jar:
        for name in ordered:
            entry = zipfile.ZipInfo(name, when)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            jar.writestr(entry, files[name])


def normalise_tar(path: Path, epoch: int) -> None:
    """Rewrite a .tar.gz without what depends on when, where and by whom it was made."""
    with tarfile.open(path) as old:
        held = [
            (member, file.read() if (file := old.extractfile(member)) else b"") for member in old.getmembers()
        ]
    path.write_bytes(packed(sorted(held, key=lambda one: one[0].name), epoch))


def packed(members: Iterable[tuple[tarfile.TarInfo, bytes]], epoch: int) -> bytes:
    """Return a .tar.gz of members, of which only name, type and whether they run are kept."""
    whole = io.BytesIO()
    with (
        gzip.GzipFile("", "wb", fileobj=whole, mtime=epoch) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for member, content in members:
            entry = tarfile.TarInfo(member.name)
            entry.type, entry.mtime, entry.size = member.type, epoch, len(content)
            entry.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            tar.addfile(entry, io.BytesIO(content))
    return whole.getvalue()
