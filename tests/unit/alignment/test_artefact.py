"""The shipped encoder and the code that made it, in step."""

import json

from research.alignment.fingerprint import code_hash, file_hash
from service.alignment.implicit import FOLDER, PairClassifier

MANIFEST = json.loads((FOLDER / "manifest.json").read_text("utf-8"))


def test_the_training_code_is_that_which_made_the_artefact() -> None:
    assert MANIFEST["made_from"]["code"] == code_hash(), (
        "train anew, then `python -m research.alignment.ship`"
    )


def test_the_files_are_those_that_were_shipped() -> None:
    assert {name: file_hash(FOLDER / name) for name in MANIFEST["files"]} == MANIFEST["files"]
    assert set(MANIFEST["files"]) == {"encoder.onnx", "tokenizer.json"}
    assert PairClassifier().revision == MANIFEST["revision"]


def test_the_artefact_is_small_and_its_licences_lie_beside_it() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) <= 25_000_000
    notice = (FOLDER / "NOTICE").read_text("utf-8")
    assert "all-MiniLM-L6-v2" in notice
    assert "Apache License" in (FOLDER / "LICENSE").read_text("utf-8")
    assert "MIT License" in notice


def test_the_report_is_about_this_artefact() -> None:
    report = (FOLDER.parent.parent.parent / "docs" / "behavior-alignment.md").read_text("utf-8")
    assert f"Revision `{MANIFEST['revision']}`" in report
