"""The placeholder of the place where the project lives.

`python -m tools.release.placeholder REPOSITORY` writes a repository (github.com/name/crs-eval) in its place, in every file that
git knows: a Go module and a GitHub action are published as the repository itself."""

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

PLACEHOLDER = "github.com/OWNER/crs-eval"


def words_for(repository: str) -> dict[bytes, bytes]:
    """Return what stands for the placeholder, and what for its parts. Raises ValueError for what is no host/owner/name."""
    if not re.fullmatch(r"[\w.-]+/[\w.-]+/[\w.-]+", repository):
        raise ValueError(f"REPOSITORY={repository}: should be host/owner/name, as {PLACEHOLDER}")
    return {
        PLACEHOLDER.encode(): repository.encode(),
        b"io.github.owner": f"io.github.{repository.split('/')[1].lower()}".encode(),
        b"OWNER/crs-eval": repository.partition("/")[2].encode(),
    }


def replaced(content: bytes, words: Mapping[bytes, bytes]) -> bytes:
    """Return a file's content with each of the words replaced."""
    for old, new in words.items():
        content = content.replace(old, new)
    return content


def tracked(root: Path) -> list[str]:
    """Return the names of the files that git knows at `root`."""
    command = ["git", "ls-files", "-z"]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    return [*filter(None, listed.split("\0"))]


def write_repository(root: Path, repository: str) -> list[str]:
    """Write the repository into the files of the checkout at `root`. Returns the names of those that changed."""
    words = words_for(repository)
    changed = []
    for name in tracked(root):
        path = root / name
        if path.is_symlink():
            continue
        content = path.read_bytes()
        if (new := replaced(content, words)) != content:
            path.write_bytes(new)
            changed.append(name)
    return changed


if __name__ == "__main__":
    try:
        names = write_repository(Path(__file__).parent.parent.parent, sys.argv[1] if sys.argv[1:] else "")
    except ValueError as wrong:
        sys.exit(str(wrong))
    print(f"{len(names)} files name {sys.argv[1]} now: commit them")
