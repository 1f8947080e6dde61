"""`python -m tools.release FOLDER`: build all that is published into a folder.

Everything is built from the files that git knows, in a copy. `REPOSITORY` (github.com/name/crs-eval) is put where they say
`github.com/OWNER/crs-eval`. Times are that of the last commit, or `SOURCE_DATE_EPOCH`."""

import hashlib
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from service import __version__
from tools.toolchains import run

from .archives import build_jars, build_package, normalise_tar
from .placeholder import PLACEHOLDER, replaced, tracked, words_for
from .readiness import obstacles

ROOT = Path(__file__).parent.parent.parent
SBOM_TOOL = ROOT / ".cache" / "supply" / "bin" / "cyclonedx-py"
SDIST = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])"


def release(out: Path) -> None:
    """Build everything into `out`, which is emptied before. Raises UnavailableError, RuntimeError, CalledProcessError."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or run(["git", "log", "-1", "--format=%ct"], ROOT))
    os.umask(0o022)
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch) / "crs-eval"
        repository = os.environ.get("REPOSITORY") or PLACEHOLDER
        stage(tree, repository)
        for readme in (tree / "README.md", *(tree / "clients").glob("*/README.md")):
            where = readme.parent.relative_to(tree).as_posix()
            readme.write_text(with_addresses(readme.read_text(), repository, where))
        for project in (tree, tree / "clients" / "python"):
            _build_python(project, out, epoch)
        build_package(tree / "clients" / "typescript", out)
        build_jars(tree / "clients" / "java", out, __version__, epoch)
        run([sys.executable, "-m", "tools.chart", out], tree, {"PYTHONPATH": str(tree)})
        sbom = out / f"crs-eval-{__version__}.cdx.json"
        bill = ["requirements", "requirements/runtime.txt", "--output-reproducible", "-o"]
        run([SBOM_TOOL, *bill, sbom], tree)
    sums = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(out.iterdir())
    ]
    (out / "SHA256SUMS").write_text("".join(sums))


def stage(tree: Path, repository: str) -> None:
    """Copy what git knows to `tree`, with `repository` in the placeholder's place."""
    words = words_for(repository)
    for name in tracked(ROOT):
        source, target = ROOT / name, tree / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_symlink():  # the chart reads the manifests of kustomize through links
            target.symlink_to(source.readlink())
            continue
        target.write_bytes(replaced(source.read_bytes(), words))
        target.chmod(source.stat().st_mode & 0o755)
    (tree / ".cache").symlink_to(ROOT / ".cache")


def with_addresses(text: str, repository: str, folder: str) -> str:
    """Return a page of `folder` with whole addresses in place of links within the repository, for readers elsewhere."""

    def address(found: re.Match[str]) -> str:
        mark, words, path = found.groups()
        kind = "raw" if mark else "blob"
        place = os.path.normpath(Path(folder) / path)
        return f"{mark}[{words}](https://{repository}/{kind}/v{__version__}/{place})"

    return re.sub(r"(!?)\[([^][]*)\]\((?!https?://|#)([^()\s]+)\)", address, text)


def _build_python(project: Path, out: Path, epoch: int) -> None:
    when = {"SOURCE_DATE_EPOCH": str(epoch), "PYTHONPATH": ""}
    before = set(out.iterdir())
    run([sys.executable, "-c", SDIST, out], project, when)
    for made in set(out.iterdir()) - before:
        normalise_tar(made, epoch)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"]
    run([*pip, "--no-deps", "--no-build-isolation", "--wheel-dir", out, "."], project, when)


if __name__ == "__main__":
    release(Path(sys.argv[1]).resolve())
    for sentence in obstacles(ROOT, __version__):
        print(f"Before you publish: {sentence}", file=sys.stderr)
