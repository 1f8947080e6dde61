"""A run as one file: its inputs, the answers that it got, its tables. Another machine checks it and remakes the tables."""

import hashlib
import json
import tempfile
import zipfile
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from ... import __version__
from ..exits import CommandError, Exit
from .alignment import BehaviorAlignmentPlan
from .concept import ConceptPlan
from .conduct import carry_out
from .core import CorePlan
from .ievalm import IEvaLMPlan
from .music_crs import MusicCRSPlan
from .pepper import PepperPlan
from .steps import ANSWERS, CALLS, CONFIGURATION, INPUTS, VERSIONS
from .study import StudyOptions, StudyPlan

SUMS = "SHA256SUMS"
LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The date of every file in a bundle: the same run makes the same bytes."""
MADE = (
    "tables/", "figures/", "logs/", "verdicts/", "pairs/", "methods.md", "references.bib", "report.html", "users.jsonl", "humans.jsonl",
)  # fmt: skip
"""Files that a run makes of its inputs and its answers."""
PLANS: tuple[type[StudyPlan], ...] = (
    CorePlan,
    ConceptPlan,
    PepperPlan,
    BehaviorAlignmentPlan,
    IEvaLMPlan,
    MusicCRSPlan,
)


def pack(run: Path, bundle: Path) -> int:
    """Write a finished run into a file; returns its parts' number. Raises CommandError without a report or catalogue file."""
    if not (run / "report.html").is_file():
        raise CommandError(f"{run} is not the folder of a finished study.")
    configuration = json.loads((run / CONFIGURATION).read_text(encoding="utf-8"))
    if configuration["catalog"] and not _catalogues(run):
        raise CommandError(
            f"The catalogue {configuration['catalog']!r} belongs to the service and is not a file."
        )
    # Without the kept answers of single calls, which the journals of the steps repeat.
    left_out = (f"{CALLS}/{ANSWERS}", ".partial", ".tmp")
    kept = {name: path.read_bytes() for name, path in _files(run).items() if not name.endswith(left_out)}
    sums = "".join(f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in kept.items())
    with zipfile.ZipFile(bundle, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in {**kept, SUMS: sums.encode()}.items():
            file.writestr(zipfile.ZipInfo(name, LONG_AGO), content, zipfile.ZIP_DEFLATED)
    return len(kept)


def verify(bundle: Path) -> int:
    """Check a bundle's digests and remake its derived files, which must be the same to the byte, but for drawings. Returns a count.
    Raises CommandError for a file that is no bundle, and for a part that is changed or differs."""
    with tempfile.TemporaryDirectory() as scratch:
        run = Path(scratch)
        parts = _unpacked(bundle, run)
        known = {plan.name: plan for plan in PLANS}
        try:
            configuration = json.loads(parts[CONFIGURATION])
            kind, version = known[configuration["study"]], configuration["version"]
            kept, _ = parts[f"{INPUTS}/plan.json"], parts[VERSIONS]
        except (KeyError, ValueError, TypeError):
            names = ", ".join(sorted(known))
            raise CommandError(f"{bundle} contains no run of a known study: {names}.") from None
        if version != __version__:
            raise CommandError(f"{bundle} was made by crs-eval {version}; verify it with that version.")
        try:
            plan = TypeAdapter(kind).validate_json(kept)
        except ValidationError as wrong:
            raise CommandError(f"{bundle}: the plan cannot be read: {wrong.errors()[0]['msg']}") from None
        catalog = next((str(path) for path in _catalogues(run)), None)
        given = StudyOptions(out=run, crs=configuration["crs"], catalog=catalog, url=configuration["url"])
        made = {name: content for name, content in parts.items() if name.startswith(MADE)}
        for name in made:
            (run / name).unlink()
        try:
            carry_out(plan, given, offline=True)
        except CommandError as wrong:
            detail = str(wrong).replace(str(run), str(bundle)).partition(" Name another folder")[0]
            raise CommandError(detail, Exit.FAIL) from None
        remade = {name: path.read_bytes() for name, path in _files(run).items() if name.startswith(MADE)}
        for name in sorted({*made, *remade}):
            found, packed = (_without_drawings(name, each.get(name, b"")) for each in (remade, made))
            if found != packed:
                raise CommandError(f"{bundle}: the rebuilt {name} differs.", Exit.FAIL)
        return len(made)


def _unpacked(bundle: Path, run: Path) -> dict[str, bytes]:
    """Unpack a bundle into a folder; its parts by name. Raises CommandError for a file that is no whole bundle."""
    try:
        with zipfile.ZipFile(bundle) as file:
            parts = {name: file.read(name) for name in file.namelist() if not name.endswith("/")}
            lines = parts.pop(SUMS, b"").decode().splitlines()
            sums = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
            for name in sorted({*sums, *parts}):
                if sums.get(name) != hashlib.sha256(parts.get(name, b"")).hexdigest():
                    raise CommandError(f"{bundle}: {name} was changed after packing.", Exit.FAIL)
            file.extractall(run)
    except (zipfile.BadZipFile, OSError, UnicodeDecodeError) as wrong:
        raise CommandError(f"{bundle} is not a bundle of a study: {wrong}") from None
    return parts


def _without_drawings(name: str, content: bytes) -> bytes:
    """Return what has to be the same: a drawing changes with matplotlib's version, the table that it is drawn from does not."""
    if not name.endswith((".svg", ".html")):
        return content
    head, *rest = content.split(b"<svg")
    return head + b"".join(part.partition(b"</svg>")[2] for part in rest)


def _files(run: Path) -> dict[str, Path]:
    return {path.relative_to(run).as_posix(): path for path in sorted(run.rglob("*")) if path.is_file()}


def _catalogues(run: Path) -> list[Path]:
    return list((run / INPUTS).glob("*.jsonl"))
