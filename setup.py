"""Say what pyproject.toml cannot: which packages there are, and what an editable install holds."""

import shutil

from setuptools import find_packages, setup
from setuptools.command.editable_wheel import editable_wheel


class EditableCheckout(editable_wheel):
    """Install `service` and its second name, `crs_eval.py`. The folder under both names would be loaded twice."""

    def finalize_options(self) -> None:
        """Say what to install, before setuptools chooses how."""
        self.distribution.packages = ["service"]
        self.distribution.package_dir = {}
        self.distribution.py_modules = ["crs_eval"]
        super().finalize_options()


# A wheel holds all that lies here, also what an earlier version of this checkout left.
shutil.rmtree("build/lib", ignore_errors=True)
setup(
    packages=["crs_eval", *(f"crs_eval.{name}" for name in find_packages("service"))],
    package_dir={"crs_eval": "service"},
    cmdclass={"editable_wheel": EditableCheckout},
)
