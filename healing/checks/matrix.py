"""Expands a job's matrix: its combinations with `include` and `exclude`, and the job names that GitHub gives them."""

import itertools
import math
import platform
import re
from dataclasses import dataclass

from healing.checks.expressions import HOLE, Contexts, Unknown, Value, resolve, text, unknowns
from healing.checks.expressions.values import equal

MAX_CELLS = 256  # GitHub's own limit for one job
MAX_NAME = 100  # characters; GitHub cuts longer names and ends them in dots
PYTHON_AXIS = re.compile(r"(?:python|py)(?:[-_]?versions?)?\Z", re.I)
PYTHON_AXES = ("python-version", "python_version", "python", "py")


class MatrixError(Exception):
    """A matrix that can't be expanded here; the message says why."""


@dataclass(frozen=True)
class Cell:
    """One combination; `shown` are its values as they appear in the job's name."""

    values: dict[str, Value]
    shown: tuple[str, ...] = ()


class UnknownMatrix(MatrixError):
    """A matrix that an earlier job computes. `cells` are the combinations that can be determined without that; where it
    names versions of Python, this machine's version is `taken`."""

    def __init__(self, why: str, cells: tuple[Cell, ...], taken: str) -> None:
        super().__init__(why)
        self.cells = cells
        self.taken = taken


def cells(raw: Value, contexts: Contexts) -> tuple[Cell, ...]:
    """Every combination of a `strategy.matrix`, or a single empty one without a matrix. Raises MatrixError."""
    matrix = resolve(raw, contexts)
    if matrix is None:
        return (Cell({}),)
    if missing := _holes(matrix):
        why = f"its matrix comes from ${{{{ {missing[0]} }}}}, which has no value here"
        raise _unknown_matrix(matrix, why)
    if not isinstance(matrix, dict):
        raise MatrixError("its matrix is no mapping")
    axes = {key: values for key, values in matrix.items() if key not in ("include", "exclude")}
    if bad := next((key for key, values in axes.items() if not isinstance(values, list)), None):
        raise MatrixError(f"`{bad}` of its matrix is no list")
    combinations = _product({key: values for key, values in axes.items() if isinstance(values, list)})
    dropped = _mappings(matrix, "exclude")
    combinations = [cell for cell in combinations if not any(_matches(cell.values, exclusion) for exclusion in dropped)]
    combinations = _included(combinations, _mappings(matrix, "include"), set(axes))
    if len(combinations) > MAX_CELLS:
        raise MatrixError(f"its matrix has more than {MAX_CELLS} combinations")
    if not combinations and matrix:
        raise MatrixError("its matrix has no combination")
    return tuple(combinations) or (Cell({}),)


def _unknown_matrix(matrix: Value, why: str) -> MatrixError:
    """The error for a matrix with holes, with the combinations that can be determined."""
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
    all_axes = {key: {**known, **filled}[key] for key in matrix if key in known or key in filled}
    combinations = _product({key: values for key, values in all_axes.items() if isinstance(values, list)})
    shown = (Cell(combination.values, tuple(_values_with_holes(combination, holes))) for combination in combinations)
    return UnknownMatrix(why, tuple(shown) or (Cell({}, (HOLE,)),), taken)


def _values_with_holes(cell: Cell, holes: set[str]) -> list[str]:
    """The values as they appear in the job's name, with a hole for each one that is not known."""
    return [HOLE if key in holes else word for key, value in cell.values.items() for word in _shown(value) or (HOLE,)]


def _holes(value: Value) -> tuple[str, ...]:
    if isinstance(value, Unknown):
        return value.names
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return tuple(name for entry in inner for name in _holes(entry)) or unknowns(value)


def _product(axes: dict[str, list[Value]]) -> list[Cell]:
    if not axes:
        return []
    if math.prod(len(values) for values in axes.values()) > MAX_CELLS * 16:
        raise MatrixError(f"its matrix has more than {MAX_CELLS} combinations")
    combinations = [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]
    return [Cell(combination, _shown(combination)) for combination in combinations]


def _mappings(matrix: dict[str, Value], key: str) -> list[dict[str, Value]]:
    entries = matrix.get(key)
    if entries is None:
        return []
    mappings = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    if not isinstance(entries, list) or len(mappings) < len(entries):
        raise MatrixError(f"`{key}` of its matrix is no list of mappings")
    return mappings


def _matches(value: Value, wanted: Value) -> bool:
    """Whether a combination has everything that an entry of `exclude` (or the axes of an `include`) names."""
    if isinstance(wanted, dict):
        return isinstance(value, dict) and all(k in value and _matches(value[k], v) for k, v in wanted.items())
    if isinstance(wanted, list):
        return value == wanted
    return equal(value, wanted)


def _included(found: list[Cell], entries: list[dict[str, Value]], axes: set[str]) -> list[Cell]:
    """Apply `include`: each entry extends every original combination whose axes it doesn't change, or else becomes a
    combination of its own."""
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
    """The scalars of a combination, in order and without empty ones."""
    if isinstance(value, dict):
        return tuple(word for entry in value.values() for word in _shown(entry))
    if isinstance(value, list):
        return tuple(word for entry in value for word in _shown(entry))
    return (text(value),) if text(value) else ()


def job_name(name: str, cell: Cell) -> str:
    """The name of a job whose `name:` holds no expression; `name` is the job's id where it has no `name:`."""
    full_name = f"{name} ({', '.join(cell.shown)})" if cell.shown else name
    return full_name if len(full_name) <= MAX_NAME else full_name[: MAX_NAME - 3] + "..."
