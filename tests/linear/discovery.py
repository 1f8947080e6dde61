"""The patterns of the project, found where they stand: nobody keeps a list of them."""

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import service
from service.text.patterns import Finder

ROOT = Path(service.__file__).parent
_CALLS = {"compile", "search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn"}


@dataclass(frozen=True)
class Found:
    """A pattern, where it stands, and the flags it is compiled with. `file` is what it shares with its neighbours."""

    file: str
    name: str
    pattern: str
    flags: int


@cache
def found() -> list[Found]:
    """Every pattern: what modules hold, what calls within functions name, and what files of patterns list."""
    known: dict[tuple[str, int], Found] = {}
    for one in (*_of_modules(), *_of_files()):
        known.setdefault((one.pattern, one.flags), one)
    return [*known.values()]


def _of_modules() -> Iterator[Found]:
    for path in sorted(ROOT.rglob("*.py")):
        if path.name == "__main__.py":  # run by `python -m`
            continue
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        module = import_module(name)
        for attribute, value in vars(module).items():
            if not attribute.startswith("__"):
                yield from _of_value(f"{name}.{attribute}", value, 0)
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call):
                yield from _of_call(f"{name}:{call.lineno}", call, vars(module))


def _of_value(name: str, value: object, depth: int) -> Iterator[Found]:
    if isinstance(value, re.Pattern):
        if isinstance(value.pattern, str):
            yield Found(_file(name), name, value.pattern, value.flags)
        else:
            yield Found(_file(name), name, value.pattern.decode("latin-1"), value.flags)
    elif isinstance(value, Finder):
        for number, alternative in enumerate(value.alternatives):
            one = Finder(alternative)
            compiled = re.compile(one._written, one._flags)
            yield Found(_file(name), f"{name}[{number}]", compiled.pattern, int(one._flags))
    elif depth < 3:
        inner: list[object] = []
        if isinstance(value, tuple | list | set | frozenset):
            inner = [*value]
        elif isinstance(value, Mapping):
            inner = [*value.values()]
        elif is_dataclass(value) and not isinstance(value, type):
            inner = [getattr(value, each.name) for each in fields(value)]
        for number, each in enumerate(inner):
            yield from _of_value(f"{name}[{number}]", each, depth + 1)


def _file(name: str) -> str:
    """The module, or the file of patterns, that a name begins with."""
    return (
        name.partition(":")[0].rpartition("._")[0] if name.startswith("service.") else name.partition(".")[0]
    )


def _of_call(name: str, call: ast.Call, module: Mapping[str, Any]) -> Iterator[Found]:
    """Yield what a call compiles, where the module alone tells it; what is made of arguments is
    reached through functions."""
    function = ast.unparse(call.func)
    if function == "re.escape":
        return
    if function.startswith("re.") and function[3:] in _CALLS and call.args:
        flags = [each for each in call.args[1:] if ast.unparse(each).startswith("re.")]
        flags += [each.value for each in call.keywords if each.arg == "flags"]
        pattern = _evaluated(call.args[0], module)
        if isinstance(pattern, str):
            yield from _of_value(
                name, re.compile(pattern, *(_evaluated(flag, module) for flag in flags[:1])), 0
            )
    elif function.rpartition(".")[2] == "Finder":
        alternatives = [_evaluated(each, module) for each in call.args if not isinstance(each, ast.Starred)]
        if alternatives and all(isinstance(each, str) for each in alternatives):
            yield from _of_value(name, Finder(*alternatives), 0)
    for keyword in call.keywords:
        pattern = _evaluated(keyword.value, module) if keyword.arg == "pattern" else None
        if isinstance(pattern, str):
            yield from _of_value(name, re.compile(pattern), 0)


def _evaluated(written: ast.expr, module: Mapping[str, Any]) -> Any:
    if not isinstance(written, ast.Constant | ast.JoinedStr | ast.Name | ast.BinOp | ast.Attribute):
        return None
    try:
        return eval(compile(ast.Expression(written), "<pattern>", "eval"), dict(module))
    except NameError:
        return None


def _of_files() -> Iterator[Found]:
    declared = ROOT / "importing" / "formats"  # expressions of JMESPath, no patterns
    for path in sorted(set(ROOT.rglob("*.toml")) - set(declared.rglob("*.toml"))):
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
        parts = tables.get("parts", {})
        for place, written in _strings(tables, path.stem):
            whole = written
            for part, pattern in parts.items():
                whole = whole.replace("{" + part + "}", f"(?:{pattern})")
            try:
                finder = Finder(whole)
                yield from _of_value(place, finder, 0)
            except re.error:
                continue  # a text, not a pattern


def _strings(value: object, place: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from _strings(each, f"{place}[{number}]")
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from _strings(each, f"{place}.{key}")
