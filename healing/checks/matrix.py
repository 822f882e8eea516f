"""A job's matrix: its combinations with `include` and `exclude`, and the names that GitHub gives them."""

import itertools
import math
import platform
import re
from dataclasses import dataclass

from healing.checks.expressions import HOLE, Contexts, Unknown, Value, resolve, text, unknowns
from healing.checks.expressions.values import equal

MOST_CELLS = 256  # GitHub's own limit for one job
LONGEST_NAME = 100  # characters; longer names GitHub cuts, and ends them in dots
PYTHON_AXIS = re.compile(r"(?:python|py)(?:[-_]?versions?)?\Z", re.I)
PYTHON_AXES = ("python-version", "python_version", "python", "py")


class MatrixError(Exception):
    """A matrix that can't be spread out here; the text says why."""


@dataclass(frozen=True)
class Cell:
    """One combination; `shown` are the values that stand in the job's name."""

    values: dict[str, Value]
    shown: tuple[str, ...] = ()


class UnknownMatrix(MatrixError):
    """A matrix that an earlier job computes. `cells` are the combinations that can be determined without it: where it
    names versions of Python, that of this machine is `taken`."""

    def __init__(self, why: str, cells: tuple[Cell, ...], taken: str) -> None:
        super().__init__(why)
        self.cells = cells
        self.taken = taken


def cells(raw: Value, contexts: Contexts) -> tuple[Cell, ...]:
    """Every combination of a `strategy.matrix`; one empty one without a matrix. Raises MatrixError."""
    matrix = resolve(raw, contexts)
    if matrix is None:
        return (Cell({}),)
    if missing := _holes(matrix):
        why = f"its matrix comes from ${{{{ {missing[0]} }}}}, which has no value here"
        raise _without(matrix, why)
    if not isinstance(matrix, dict):
        raise MatrixError("its matrix is no mapping")
    axes = {key: values for key, values in matrix.items() if key not in ("include", "exclude")}
    if bad := next((key for key, values in axes.items() if not isinstance(values, list)), None):
        raise MatrixError(f"`{bad}` of its matrix is no list")
    found = _product({key: values for key, values in axes.items() if isinstance(values, list)})
    dropped = _mappings(matrix, "exclude")
    found = [cell for cell in found if not any(_matches(cell.values, one) for one in dropped)]
    found = _included(found, _mappings(matrix, "include"), set(axes))
    if len(found) > MOST_CELLS:
        raise MatrixError(f"its matrix has more than {MOST_CELLS} combinations")
    if not found and matrix:
        raise MatrixError("its matrix has no combination")
    return tuple(found) or (Cell({}),)


def _without(matrix: Value, why: str) -> MatrixError:
    """What can be determined of a matrix with holes."""
    python = ".".join(platform.python_version_tuple()[:2])
    taken = "this machine's Python is taken where it names one"
    if not isinstance(matrix, dict):
        guess: dict[str, Value] = dict.fromkeys(PYTHON_AXES, python)
        return UnknownMatrix(why, (Cell(guess, (HOLE,)),), taken)
    holes = {key for key, values in matrix.items() if _holes(values)}
    if not all(isinstance(values, list | Unknown) for values in matrix.values()):
        return MatrixError(why)
    known = {key: values for key, values in matrix.items() if key not in (*holes, "include", "exclude")}
    filled: dict[str, Value] = {
        key: [python] if PYTHON_AXIS.match(key) else [Unknown((f"matrix.{key}",))]
        for key in holes - {"include", "exclude"}
    }
    every = {key: {**known, **filled}[key] for key in matrix if key in known or key in filled}
    made = _product({key: values for key, values in every.items() if isinstance(values, list)})
    shown = (Cell(one.values, tuple(_named(one, holes))) for one in made)
    return UnknownMatrix(why, tuple(shown) or (Cell({}, (HOLE,)),), taken)


def _named(cell: Cell, holes: set[str]) -> list[str]:
    """The values as they stand in the job's name, with a hole for what is not known."""
    return [HOLE if key in holes else word for key, value in cell.values.items() for word in _shown(value) or (HOLE,)]


def _holes(value: Value) -> tuple[str, ...]:
    if isinstance(value, Unknown):
        return value.names
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return tuple(name for entry in inner for name in _holes(entry)) or unknowns(value)


def _product(axes: dict[str, list[Value]]) -> list[Cell]:
    if not axes:
        return []
    if math.prod(len(values) for values in axes.values()) > MOST_CELLS * 16:
        raise MatrixError(f"its matrix has more than {MOST_CELLS} combinations")
    combinations = [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]
    return [Cell(combination, _shown(combination)) for combination in combinations]


def _mappings(matrix: dict[str, Value], key: str) -> list[dict[str, Value]]:
    entries = matrix.get(key)
    if entries is None:
        return []
    found = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    if not isinstance(entries, list) or len(found) < len(entries):
        raise MatrixError(f"`{key}` of its matrix is no list of mappings")
    return found


def _matches(value: Value, wanted: Value) -> bool:
    """Whether a combination has all that an `exclude` names."""
    if isinstance(wanted, dict):
        return isinstance(value, dict) and all(k in value and _matches(value[k], v) for k, v in wanted.items())
    if isinstance(wanted, list):
        return value == wanted
    return equal(value, wanted)


def _included(found: list[Cell], entries: list[dict[str, Value]], axes: set[str]) -> list[Cell]:
    """Each entry extends every original combination whose axes it doesn't change; else it is one of its own."""
    originals = len(found)
    for entry in entries:
        axis_part = {key: value for key, value in entry.items() if key in axes}
        fits = [at for at in range(originals) if _matches(found[at].values, axis_part)]
        for at in fits:
            found[at] = Cell({**found[at].values, **entry}, found[at].shown)
        if not fits:
            found.append(Cell(entry, _shown(entry)))
    return found


def _shown(value: Value) -> tuple[str, ...]:
    """The scalars of a combination in order; empty ones are left out."""
    if isinstance(value, dict):
        return tuple(word for entry in value.values() for word in _shown(entry))
    if isinstance(value, list):
        return tuple(word for entry in value for word in _shown(entry))
    return (text(value),) if text(value) else ()


def job_name(name: str, cell: Cell) -> str:
    """The name of a job whose `name:` holds no expression (or, without one, whose id is `name`)."""
    whole = f"{name} ({', '.join(cell.shown)})" if cell.shown else name
    return whole if len(whole) <= LONGEST_NAME else whole[: LONGEST_NAME - 3] + "..."
