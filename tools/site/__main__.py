"""Build the documentation as a site: `python -m tools.site` writes `.cache/site/html`, and stops at a broken link.

The pages of the reference come from data: the HTTP API, the factors and the faults."""

import json
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from service.domain.rubric import Factor
from service.factors.catalogue import FactorCatalogue, load_factors
from service.faults import Fault, load_faults

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
    # A checkout has the sources of the pages of the reference.
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
    _write_reference(pages / "reference", ROOT / "openapi" / "openapi.json", load_factors())
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


Json = Mapping[str, Any]
_REFERENCE = "#/components/schemas/"


def api(contract: Json) -> str:
    """Return the page of the HTTP API: each route with its fields, then each model once."""
    schemas = contract["components"]["schemas"]
    lead = "For developers who call the service. Generated from `openapi/openapi.json`."
    lines = ["# HTTP API", "", lead, ""]
    for path, operations in contract["paths"].items():
        for method, operation in operations.items():
            lines += _route(method, path, operation)
    lines += ["## Models", ""]
    for name, schema in sorted(schemas.items()):
        lines += _model(name, schema)
    return "\n".join(lines)


def _route(method: str, path: str, operation: Json) -> Iterator[str]:
    yield from (f"## {method.upper()} {path}", "", operation["summary"] + ".", "")
    if text := operation.get("description"):
        yield from (text, "")
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        yield from (f"Body (`{kind}`): {_type(content.get('schema', {}))}", "")
    for parameter in operation.get("parameters", []):
        yield from (f"- `{parameter['name']}` ({parameter['in']}): {parameter['description']}", "")
    for status, answer in operation["responses"].items():
        if status.startswith("2"):
            kinds = [
                f"{_type(one.get('schema', {}))} (`{kind}`)"
                for kind, one in answer.get("content", {}).items()
            ]
            yield from (f"Answer {status}: {', or '.join(kinds) or 'no body'}", "")
    problems = [status for status in operation["responses"] if not status.startswith("2")]
    yield from (f"Problems: {', '.join(problems)}", "")


def _model(name: str, schema: Json) -> Iterator[str]:
    yield from (f"### {name}", "")
    if text := schema.get("description"):
        yield from (" ".join(text.split()), "")
    if values := schema.get("enum"):
        yield from ("One of " + ", ".join(f"`{value}`" for value in values) + ".", "")
    if properties := schema.get("properties"):
        required = set(schema.get("required", ()))
        yield from ("| field | type | |", "| --- | --- | --- |")
        for field, one in properties.items():
            needed = "required. " if field in required else ""
            yield f"| `{field}` | {_type(one)} | {needed}{_cell(one.get('description', ''))} |"
        yield ""


def _type(schema: Json) -> str:
    if reference := schema.get("$ref"):
        name = reference.removeprefix(_REFERENCE)
        return f"[{name}](#{name.lower()})"
    if options := schema.get("anyOf"):
        return " or ".join(_type(option) for option in options if option.get("type") != "null")
    if schema.get("type") == "array":
        return f"array of {_type(schema.get('items', {}))}"
    if isinstance(schema.get("additionalProperties"), dict):
        return f"object of {_type(schema['additionalProperties'])}"
    return str(schema.get("type", "any"))


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def factors(catalogue: FactorCatalogue) -> str:
    """Return the page of all factors by protocol: definition, scale, levels, inputs and exclusions."""
    lead = "For everybody who reads a verdict. Generated from the files in `service/factors`."
    parts = (line for factor in catalogue.values() for line in _factor(factor))
    return "\n".join(["# Factors", "", lead, "", *parts])


def _factor(factor: Factor) -> Iterable[str]:
    scale = f"{factor.scale.min} to {factor.scale.max}"
    yield from (f"## {factor.name} (`{factor.slug}`)", "", factor.definition, "")
    yield from (f"Scale {scale}. Needs {', '.join(factor.needs)}. Source: {factor.source}.", "")
    yield from ("| level | |", "| ---: | --- |")
    yield from (f"| {level} | {_cell(text)} |" for level, text in sorted(factor.levels.items()))
    yield ""
    if factor.excludes:
        yield from ("It does not cover:", "")
        yield from (f"- {one}" for one in factor.excludes)
        yield ""


def faults() -> str:
    """Return the page of all faults: definition, exceptions and an example."""
    lead = "For everybody who reads a fault in a verdict. Generated from the files in `service/faults`."
    parts = (line for fault in load_faults().values() for line in _fault(fault))
    return "\n".join(["# Faults, one by one", "", lead, "", *parts])


def _fault(fault: Fault) -> Iterator[str]:
    costs = ", ".join(f"{factor} {cost:g}" for factor, cost in fault.costs.items())
    yield from (f"## {fault.name} (`{fault.slug}`)", "", fault.definition, "")
    yield from (f"Costs, in points of 4: {costs}.", "", "It does not cover:", "")
    yield from (f"- {one}" for one in fault.excludes)
    yield from ("", "| | |", "| --- | --- |")
    yield f"| before | {'<br>'.join(map(_cell, fault.example.before))} |"
    yield f"| good | {_cell(fault.example.good)} |"
    yield from (f"| faulty | {_cell(fault.example.bad) or '(no reply)'} |", "")


def _write_reference(folder: Path, contract: Path, catalogue: FactorCatalogue) -> None:
    """Write `api.md`, `factors.md` and `faults.md` into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "api.md").write_text(api(json.loads(contract.read_text(encoding="utf-8"))), encoding="utf-8")
    (folder / "factors.md").write_text(factors(catalogue), encoding="utf-8")
    (folder / "faults.md").write_text(faults(), encoding="utf-8")


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
