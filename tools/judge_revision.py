"""The embedded judge's revision: a digest over everything that it imports, so that nothing is raised by hand.

Of modules the syntax counts, without comments and docstrings; of data files and weights every byte. Texts for people do not count: the
wording of rationales and flags (`wording.toml`, `unread.toml`, `detected.toml`). It is stored beside the judge: reading
it takes microseconds, computing it a second."""

import ast
import hashlib
from collections.abc import Iterator
from pathlib import Path

import grimp

ROOT = Path(__file__).parent.parent
SERVICE = ROOT / "service"
REVISION = SERVICE / "judges" / "embedded" / "revision.txt"
#: Folders all of whose modules count: some are found by listing a folder, or imported by a name in a string.
WHOLE = ("judges/embedded", "text")
#: Folders whose files other than modules are read by the judge.
DATA = ("judges/embedded", "judges/computed", "prompt_injection", "text", "catalogue", "encoder/weights")
#: Files there that change no score.
IDLE = frozenset({"revision.txt", "NOTICE", "LICENSE", "strategies.npz", "wording.toml"})


def revision(service: Path = SERVICE) -> str:
    """12 hex of SHA-256 over what the judge of that package imports."""
    digest = hashlib.sha256()
    for path in sorted(modules(service)):
        digest.update(f"{path}\x1f{meaning_of((service / path).read_text(encoding='utf-8'))}\x1e".encode())
    for path in sorted(data(service)):
        digest.update(f"{path}\x1f".encode() + hashlib.sha256((service / path).read_bytes()).digest())
    return digest.hexdigest()[:12]


def stored() -> str:
    """Return what the file beside the judge holds."""
    return revision() + "\n"


def data(service: Path) -> Iterator[Path]:
    """The files other than modules, relative to the package."""
    for folder in DATA:
        for path in (service / folder).rglob("*"):
            name = path.relative_to(service)
            skipped = name.suffix in {".py", ".pyc"} or name.name in IDLE
            if path.is_file() and not skipped:
                yield name


def modules(service: Path) -> set[Path]:
    """The judge's modules and all that they import of the package, directly or not, relative to the package."""
    graph = grimp.build_graph(service.name, cache_dir=None)
    found: set[str] = set()
    for folder in WHOLE:
        name = f"{service.name}.{folder.replace('/', '.')}"
        found |= {name, *graph.find_descendants(name), *graph.find_upstream_modules(name, as_package=True)}
    packages = {name for name in found if graph.find_children(name)}
    places = {name: Path(*name.split(".")[1:]) for name in found}
    return {
        path / "__init__.py" if name in packages else path.with_suffix(".py") for name, path in places.items()
    }


def meaning_of(source: str) -> str:
    """A module's syntax without what changes no score."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            node.body = [each for each in node.body if not _is_text(each)] or [ast.Pass()]
    return _written(tree)


def _written(node: object) -> str:
    """A piece of syntax in writing, the same under every version of Python: what is empty is left out."""
    if isinstance(node, ast.AST):
        parts = (
            f"{name}={_written(value)}" for name, value in ast.iter_fields(node) if value not in (None, [])
        )
        return f"{type(node).__name__}({','.join(parts)})"
    if isinstance(node, list):
        return f"[{','.join(map(_written, node))}]"
    return repr(node)


def _is_text(statement: ast.stmt) -> bool:
    """Return whether a statement is a string that nobody reads at run time: a docstring, or a remark."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )
