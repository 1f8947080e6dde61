"""The import name `crs_eval` in a checkout: a second name of the package `service`, never a second copy of it.

The wheel holds `service/` as `crs_eval/` and not this file. `docs/decisions.md#one-import-name` says why."""

import sys
from importlib import import_module
from importlib.abc import InspectLoader, Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, ModuleType

import service


class Alias(MetaPathFinder, Loader):
    """Import `crs_eval.x` as the very module `service.x`."""

    def find_spec(self, fullname: str, *_: object) -> ModuleSpec | None:
        """Return a spec for a name below `crs_eval`; None for any other name, and where `service` has no such module."""
        if not fullname.startswith("crs_eval.") or (ours := find_spec(_in_service(fullname))) is None:
            return None
        return ModuleSpec(
            fullname, self, origin=ours.origin, is_package=ours.submodule_search_locations is not None
        )

    def exec_module(self, module: ModuleType) -> None:
        """Put the module of `service` in the place of an empty one."""
        sys.modules[module.__name__] = import_module(_in_service(module.__name__))

    def get_code(self, fullname: str) -> CodeType | None:
        """Return a module's code, which `python -m` asks for."""
        spec = find_spec(_in_service(fullname))
        if spec is None or not isinstance(spec.loader, InspectLoader):
            return None
        return spec.loader.get_code(spec.name)


def _in_service(name: str) -> str:
    return f"service{name.removeprefix('crs_eval')}"


if Path(service.__file__).resolve().parent != Path(__file__).resolve().parent / "service":
    raise ImportError(
        f"crs_eval is installed from a checkout, where it is a package named `service`, but {service.__file__} "
        "comes first on the path; install a wheel of crs-eval instead"
    )
sys.meta_path.insert(0, Alias())
sys.modules["crs_eval"] = service

if __name__ == "__main__":
    sys.exit(import_module("service.__main__").main())
