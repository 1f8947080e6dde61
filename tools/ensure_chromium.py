"""Find Chromium for the tests of the page, fetching it as root if there is none, and print its path.

One on PATH; else Debian's package, as root; else a clear message: the tests of the page are then left out,
or fail where `NEEDS_BROWSER` is set, as the gate does."""

import os
import shutil
import sys
from pathlib import Path

from tools.toolchains import debian

NAMES = ("chromium", "chromium-browser", "google-chrome")
NEEDED = "NEEDS_BROWSER"
ADVICE = (
    "No Chromium: the tests of the page are left out. Install it (Debian: apt-get install chromium; "
    "macOS: brew install --cask chromium) and run this again."
)


def find_chromium() -> Path | None:
    """The browser on PATH, or None."""
    found = (shutil.which(name) for name in NAMES)
    return next((Path(path) for path in found if path), None)


def ensure_chromium() -> Path | None:
    """The path of Chromium, installed if need be; None, with advice, where it cannot be had."""
    if find_chromium() is None:
        debian("chromium")
    found = find_chromium()
    if found is None:
        print(ADVICE, file=sys.stderr)
    return found


if __name__ == "__main__":
    browser = ensure_chromium()
    if browser:
        print(browser)
    sys.exit(1 if browser is None and os.environ.get(NEEDED) else 0)
