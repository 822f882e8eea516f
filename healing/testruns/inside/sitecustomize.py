"""Loaded by every Python that a step starts: makes test runners report to Heal, and changes nothing else.

It removes itself from the path and the environment, so that neither the code nor the processes it starts see it, and
runs the `sitecustomize` that it shadows. Uses only what every interpreter has already loaded.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
RUNNERS = {"unittest.runner": "unittest_runner.py", "_pytest.config": "pytest_runner.py"}


def leave() -> None:
    """Removes the settings by which this file was found."""
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != HERE]
    named = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path != HERE]
    if any(named):
        os.environ["PYTHONPATH"] = os.pathsep.join(named)
    else:
        os.environ.pop("PYTHONPATH", None)


def watch() -> None:
    """Makes the runners' modules report once they are imported."""

    class Finder:
        """Finds nothing itself; extends the loaders that other finders return for the runners' modules."""

        def find_spec(self, name: str, path: "Any" = None, target: "Any" = None) -> "Any":
            if name not in RUNNERS:
                return None
            for finder in sys.meta_path:
                spec = finder.find_spec(name, path, target) if finder is not self else None
                if spec is not None:
                    break
            else:
                return None
            loader = spec.loader
            if loader is None or not hasattr(loader, "exec_module"):
                return spec

            class Loader(type(loader)):  # type: ignore[misc]
                """The module's own loader: all attributes but `exec_module` come from it."""

                def __init__(self) -> None:
                    pass

                def __getattribute__(self, asked: str) -> "Any":
                    return execute if asked == "exec_module" else getattr(loader, asked)

            def execute(module: "Any") -> None:
                spec.loader = module.__loader__ = loader
                loader.exec_module(module)
                report(module)

            spec.loader = Loader()
            return spec

    common: dict[str, Any] = {"__name__": "report"}
    line: list[Any] = []

    def load(file: str, names: "dict[str, Any]") -> "dict[str, Any]":
        with open(os.path.join(HERE, file), encoding="utf-8") as text:
            exec(compile(text.read(), "<report>", "exec"), names)  # noqa: S102
        return names

    def report(module: "Any") -> None:
        if not line:
            line.append(load("reporting.py", common)["connected"](os.path.join(HERE, "report")))
        load(RUNNERS[module.__name__], dict(common))["report"](module, line[0])

    sys.meta_path.insert(0, Finder())


def covered() -> None:
    """Runs the `sitecustomize` that this one shadows."""
    from _frozen_importlib import module_from_spec
    from _frozen_importlib_external import PathFinder

    spec = PathFinder.find_spec("sitecustomize")
    if spec is not None and spec.loader is not None:
        module = sys.modules["sitecustomize"] = module_from_spec(spec)
        spec.loader.exec_module(module)


leave()
watch()
covered()
