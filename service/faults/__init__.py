"""The faults of a recommender's reply, as data (one TOML file each), and the ladder from faults to scores."""

from .fault import Detector, Fault, FaultCatalogue, load_faults

__all__ = ["Detector", "Fault", "FaultCatalogue", "load_faults"]
