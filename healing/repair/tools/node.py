"""Shared by npm's tools: the repo's own copy is called, from the folder of the package."""

import posixpath
from collections.abc import Iterable, Iterator

from healing.repair.tools.call import Call
from healing.repair.tools.settings import ToolConfig

JAVASCRIPT = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts")
BINS = "node_modules/.bin"


def node_calls(
    files: Iterable[str], tool_config: ToolConfig, argv: tuple[str, ...], codes: tuple[int, ...] = (0,)
) -> tuple[Call, ...]:
    """A call for each package that has some of the files, from its folder; the files come after `--`, relative to it.

    The lock file's version is used: programs in the package's node_modules, or the root's, take precedence.
    """
    return tuple(
        Call((*argv, "--", *names), folder, codes, bins_of(folder)) for folder, names in by_package(files, tool_config)
    )


def by_package(files: Iterable[str], tool_config: ToolConfig) -> Iterator[tuple[str, tuple[str, ...]]]:
    """(folder of the package, its files relative to it), in order."""
    by_folder: dict[str, list[str]] = {}
    for file in sorted(set(files)):
        by_folder.setdefault(tool_config.package_of(file), []).append(file)
    for folder, names in by_folder.items():
        yield folder, tuple(posixpath.relpath(name, folder) for name in names)


def bins_of(folder: str) -> tuple[str, ...]:
    """Where npm installs the programs of a package and of the workspaces around it, the nearest first."""
    folders = [BINS if folder == "." else f"{folder}/{BINS}"]
    while folder not in (".", ""):
        folder = posixpath.dirname(folder)
        folders.append(f"{folder}/{BINS}" if folder else BINS)
    return tuple(dict.fromkeys(folders))
