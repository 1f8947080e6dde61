"""The factors, as data: one TOML file each, one folder a protocol."""

from .catalogue import FactorCatalogue, load_factors

__all__ = ["FactorCatalogue", "load_factors"]
