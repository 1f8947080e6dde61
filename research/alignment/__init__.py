"""Training of the pair classifier behind implicit Behavior Alignment, its cross-validation.

    pip install --require-hashes -r requirements/training.txt
    export OMP_NUM_THREADS=1                       # for the same weights again
    python -m research.alignment.train --data FOLDER --work FOLDER --step folds
    python -m research.alignment.train --data FOLDER --work FOLDER --step final
    python -m research.alignment.ship --data FOLDER --work FOLDER     # service/encoder/, service/alignment/model/
    python -m research.alignment.evaluation --data FOLDER --work FOLDER

About 40 minutes on one idle core; steps that are done are not done again. The figures of docs/behavior-alignment.md are of
the weights that ship: write them again after each training. Nothing here is part of the service, which needs no torch.
"""
