"""Training of the pair classifier behind implicit Behavior Alignment, its cross-validation, its report.

    pip install --require-hashes -r requirements/training.txt
    python -m tools.alignment.train --data FOLDER --work FOLDER    # hours on one core; resumes
    python -m tools.alignment.report --data FOLDER --work FOLDER   # docs/behavior-alignment.md

Nothing here is part of the service.
"""
