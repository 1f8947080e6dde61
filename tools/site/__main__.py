"""Build the documentation as a site: `python -m tools.site` writes `.cache/site/html`, and stops at a broken link."""

import shutil
import subprocess
from pathlib import Path

import yaml

from service.factors.catalogue import load_factors

from .reference import write

ROOT = Path(__file__).parent.parent.parent
WORK = ROOT / ".cache" / "site"
CONFIGURATION = Path(__file__).parent / "mkdocs.yml"
RESULTS = "benchmarks/results"
"""The folder whose pages end the part *Measured*."""

UNSEARCHED = ("decisions", RESULTS)
"""Pages that the search leaves out: they record why, not how."""

BESIDE = (RESULTS, "examples/bulk", "examples/crs", "examples/notebooks")
"""Folders outside `docs` whose pages the site shows under their own path."""

LESS = ("Measured", "Explanation")
"""Parts of the navigation whose pages come after the others in a search."""

#: A page in `docs` stands at the top of the site, and so do the folders beside it.
_MOVED = {
    "](../benchmarks/": "](benchmarks/",
    "](../examples/": "](examples/",
    "](../../docs/": "](../../",
    "](docs/": "](",
    # A checkout has the sources of the pages that `reference` writes.
    "](../openapi/openapi.json": "](reference/api.md",
    "](../service/factors)": "](reference/factors.md)",
    "](../service/faults)": "](reference/faults.md)",
}


def stage(pages: Path) -> None:
    """Copy all pages to `pages` with their links as the site has them, and write the reference beside them."""
    shutil.rmtree(pages, ignore_errors=True)
    shutil.copytree(ROOT / "docs", pages)
    for folder in BESIDE:
        shutil.copytree(
            ROOT / folder,
            pages / folder,
            ignore=shutil.ignore_patterns("*.py", "*.jsonl", "*.json", "*.ipynb"),
        )
    shutil.copy(ROOT / "CHANGELOG.md", pages / "changes.md")
    shutil.copy(CONFIGURATION.with_name("site.css"), pages)
    write(pages / "reference", ROOT / "openapi" / "openapi.json", load_factors())
    for page in (pages / RESULTS).glob("[!R]*.md"):
        title, _, text = page.read_text(encoding="utf-8").partition("\n")
        page.write_text(f"{title}\n\nFor operators who plan capacity.\n{text}", encoding="utf-8")
    later = _later()
    for page in pages.rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        for old, new in _MOVED.items():
            text = text.replace(old, new)
        name = page.relative_to(pages).as_posix()
        if name.startswith(UNSEARCHED):
            text = f"---\nsearch: {{exclude: true}}\n---\n{text}"
        elif name in later:
            text = f"---\nsearch: {{boost: 0.2}}\n---\n{text}"
        page.write_text(text, encoding="utf-8")


def _later() -> set[str]:
    """Return the pages that come last in a search: references of every field, changes, measurements."""
    nav = yaml.safe_load(CONFIGURATION.read_text(encoding="utf-8"))["nav"]
    measured = {
        page for part in nav for name in LESS for entry in part.get(name, ()) for page in entry.values()
    }
    return measured | {"reference/api.md", "changes.md"}


def configure(pages: Path, target: Path) -> None:
    """Write the configuration with all pages of results."""
    settings = yaml.safe_load(CONFIGURATION.read_text(encoding="utf-8"))
    results = [str(page.relative_to(pages)) for page in sorted((pages / RESULTS).glob("*.md"))]
    measured = next(part["Measured"] for part in settings["nav"] if "Measured" in part)
    measured.append({"Results of benchmarks": results})
    settings |= {"docs_dir": str(pages), "site_dir": str(WORK / "html")}
    target.write_text(yaml.safe_dump(settings, allow_unicode=True), encoding="utf-8")


def main() -> None:
    """Stage the pages and build the site; a warning of mkdocs is an error."""
    pages, configuration = WORK / "pages", WORK / "mkdocs.yml"
    stage(pages)
    configure(pages, configuration)
    mkdocs = WORK / "venv" / "bin" / "mkdocs"
    subprocess.run([mkdocs, "build", "--strict", "--config-file", configuration], check=True)
    print(f"site: {WORK / 'html' / 'index.html'}")


if __name__ == "__main__":
    main()
