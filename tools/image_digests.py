"""Rewrites docker/images.env: each image by its tag and by the digest that the tag has today.

Asks the registry by `skopeo` or by Docker's `buildx`, whichever is on PATH."""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

FILE = Path(__file__).parent.parent / "docker" / "images.env"


def images(text: str) -> dict[str, str]:
    """Return each variable of the file with its image."""
    lines = (line.partition("=") for line in text.splitlines() if line and not line.startswith("#"))
    return {name: image for name, _, image in lines}


def tag_of(image: str) -> str:
    """Return an image without its digest."""
    return image.partition("@")[0]


def digest_of(tag: str) -> str:
    """Return the digest of a tag now. Raises SystemExit where it cannot be had."""
    if shutil.which("skopeo"):
        # The list for all machines, not the entry for this one.
        command = ["skopeo", "inspect", "--raw", f"docker://{tag}"]
    elif shutil.which("docker"):
        command = ["docker", "buildx", "imagetools", "inspect", "--raw", tag]
    else:
        raise SystemExit("Neither skopeo nor docker is on PATH; one of them asks the registry.")
    done = subprocess.run(command, check=False, capture_output=True)
    if done.returncode:
        raise SystemExit(f"{tag}: {done.stderr.decode(errors='replace').strip()}")
    return f"sha256:{hashlib.sha256(done.stdout).hexdigest()}"


def renewed(text: str) -> str:
    """Return the file's text with the digests of today."""
    for image in images(text).values():
        tag = tag_of(image)
        text = text.replace(f"={image}\n", f"={tag}@{digest_of(tag)}\n")
    return text


def main() -> int:
    """Write the file. Returns the exit code."""
    FILE.write_text(renewed(FILE.read_text()))
    print(FILE.read_text(), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
