"""The jars of the Java client: classes, sources, documentation, and the POM beside them."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tools import toolchains

from .archives import write_jar

MANIFEST = b"Manifest-Version: 1.0\r\nAutomatic-Module-Name: crseval.client\r\n\r\n"


def build_jars(client: Path, out: Path, version: str, epoch: int) -> None:
    """Build from the sources in `client`, with the JDK and the libraries that `tools.toolchains` finds. Raises UnavailableError."""
    javac = toolchains.javac()
    sources = client / "src" / "main" / "java"
    libraries = f"{toolchains.generator_jar()}:{toolchains.ANNOTATIONS}"
    classes, pages = client / "classes", client / "javadoc"
    files = sorted(sources.rglob("*.java"))
    _run([javac, "--release", "17", "-proc:none", "-nowarn", "-d", classes, "-cp", libraries, *files])
    quiet = ["-quiet", "-notimestamp", "-Xdoclint:none", "-encoding", "UTF-8"]
    _run([javac.parent / "javadoc", *quiet, "-d", pages, "-cp", libraries, *files])
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


def _run(command: Sequence[str | Path]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError((done.stdout + done.stderr)[-3000:])
