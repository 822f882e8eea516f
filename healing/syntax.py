"""The cheapest proof: changed files parse (CK-3). Python today; a language without a parser here passes unseen."""

import json
import tomllib
from collections.abc import Mapping

from healing.graph.syntax import syntax_error


def syntax_problems(changes: Mapping[str, tuple[bytes | None, bytes | None]]) -> list[str]:
    """A sentence for each changed file that parsed before (or is new) and does not parse now."""
    return [
        f"{path}: no longer parses: {now}"
        for path, (old, new) in sorted(changes.items())
        if new is not None and (now := problem(path, new)) and (old is None or not problem(path, old) or old == new)
    ]


def problem(path: str, data: bytes) -> str | None:
    """Why `data` does not parse as what its name says; None where it does, or where nobody can tell."""
    try:
        if path.endswith((".py", ".pyi")):
            return _python_problem(data)
        if path.endswith(".json"):
            json.loads(data)
        elif path.endswith(".toml"):
            tomllib.loads(data.decode())
    except (ValueError, RecursionError) as error:
        return str(error)[:200] or type(error).__name__
    return None


def _python_problem(data: bytes) -> str | None:
    found = syntax_error(data)
    return f"{found.msg} (line {found.lineno})" if found else None
