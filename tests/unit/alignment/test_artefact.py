"""The shipped encoder and the code that made it, in step."""

import json

from research.alignment.fingerprint import code_hash, file_hash
from research.alignment.ship import FILES
from service.alignment.implicit import FOLDER, PairClassifier
from service.encoder.encoder import FOLDER as WEIGHTS

MANIFEST = json.loads((FOLDER / "manifest.json").read_text("utf-8"))


def test_the_training_code_is_that_which_made_the_artefact() -> None:
    assert MANIFEST["made_from"]["code"] == code_hash(), (
        "train anew, then `python -m research.alignment.ship`"
    )


def test_the_files_are_those_that_were_shipped() -> None:
    assert {name: file_hash(WEIGHTS / name) for name in FILES} == MANIFEST["files"]
    assert PairClassifier().revision == MANIFEST["revision"]


def test_the_report_is_about_this_artefact() -> None:
    report = (FOLDER.parent.parent.parent / "docs" / "behavior-alignment.md").read_text("utf-8")
    assert f"Revision `{MANIFEST['revision']}`" in report
