"""Training of the pair classifier behind implicit Behavior Alignment, its cross-validation, its report.

    pip install --require-hashes -r requirements/training.txt
    export OMP_NUM_THREADS=1                       # for the same weights again
    python -m research.alignment.train --data FOLDER --work FOLDER --step folds
    python -m research.alignment.train --data FOLDER --work FOLDER --step curve
    python -m research.alignment.train --data FOLDER --work FOLDER --step final
    python -m research.alignment.ship --data FOLDER --work FOLDER     # service/encoder/, service/alignment/model/
    python -m research.alignment.report --data FOLDER --work FOLDER   # docs/behavior-alignment.md

About 40 minutes on one idle core; steps that are done are not done again. A second run into another
folder, which the report takes as `--again`, shows whether the weights are the same. Nothing here is
part of the service, which needs no torch.
"""
