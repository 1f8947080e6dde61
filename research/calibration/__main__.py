"""`python -m research.calibration`: the page of figures."""

from .page import main

main()
