"""Filters noise: errors that the job's last green log had too.

Errors are compared, not lines: the same message at another place, in another file or of another test is new, however
often a passing job prints it.
"""

import re
from collections.abc import Iterable, Sequence

from healing.logs.fingerprint import normal
from healing.model import CIError, content_id

_FADED = 0.3
_NUMBER = re.compile(r"\d{1,18}")


class Noise:
    """The errors of a green log of the same job. About 100 bytes each; `read_log` returns at most 5,000 of a kind."""

    def __init__(self, green: Iterable[CIError] = ()) -> None:
        self._exact: set[str] = set()
        self._alike: set[str] = set()
        for error in green:
            self._exact.add(_exact(error))
            self._alike.add(_alike(error))

    def weight(self, error: CIError) -> float:
        """The factor for an error's score.

        0: the green log reported the same error at the same line. 0.3: it may have, at a shifted line, with another
        number, or without a place (`make: *** [all] Error 1`), which proves nothing. 1: it had no such error.
        """
        if error.file and error.line and _exact(error) in self._exact:
            return 0.0
        return _FADED if _alike(error) in self._alike else 1.0

    def without(self, errors: Sequence[CIError]) -> tuple[CIError, ...]:
        """`errors` without certain noise, and with a lower score for probable noise.

        Something failed this job, so if all errors were noise, all are kept with a lower score.
        """
        weighted = [(error, self.weight(error)) for error in errors]
        certain = any(weight for _, weight in weighted)
        return tuple(_faded(error, weight or _FADED) for error, weight in weighted if weight or not certain)


def _faded(error: CIError, weight: float) -> CIError:
    return error if weight == 1.0 else error.model_copy(update={"score": round(error.score * weight, 3)})


def _exact(error: CIError) -> str:
    return content_id(error.tool, error.code, error.file, error.line, error.test, normal(error.message))


def _alike(error: CIError) -> str:
    return content_id(error.tool, error.code, error.file, error.test, _NUMBER.sub("#", normal(error.message)))
