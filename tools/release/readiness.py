"""Things that a publisher still has to do to the checkout itself before a release."""

import re
from pathlib import Path

from tools.image_digests import images


def obstacles(root: Path, version: str) -> list[str]:
    """Return a sentence for each thing in the checkout at `root` that a release of `version` would leave undone."""
    found = []
    today, kept = root / "openapi" / "openapi.json", root / "openapi" / "released" / f"{version}.json"
    if not kept.exists() or kept.read_bytes() != today.read_bytes():
        found.append(
            f"openapi/released/{version}.json is not the contract of today: run make release-contract."
        )
    changelog = (root / "CHANGELOG.md").read_text()
    unreleased = re.search(r"^## \[Unreleased\]\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    if unreleased and unreleased[1].strip():
        found.append(f"CHANGELOG.md has lines under Unreleased: move them to {version}.")
    named = images((root / "docker" / "images.env").read_text())
    if open_ones := [name for name, image in named.items() if "@sha256:" not in image]:
        found.append(f"docker/images.env has no digest of {', '.join(open_ones)}: run make digests.")
    return found
