"""Rewrites docker/images.env: each image by its tag and by the digest that the tag has today.

Asks the registry by `skopeo` or by Docker's `buildx`, whichever is on PATH."""

import hashlib
import shutil
import subprocess
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


if __name__ == "__main__":
    renewed = FILE.read_text()
    for image in images(renewed).values():
        renewed = renewed.replace(f"={image}\n", f"={tag_of(image)}@{digest_of(tag_of(image))}\n")
    FILE.write_text(renewed)
    print(renewed, end="")
