"""What a job says even when it is green: errors that its last green log held too are noise.

Compared are errors, not lines: the same words at another place, in another file or of another test are news, however
often a passing job prints them.
"""

import re
from collections.abc import Iterable, Sequence

from healing.logs.fingerprint import normal
from healing.model import CIError, content_id

_FADED = 0.3
_NUMBER = re.compile(r"\d{1,18}")


class Noise:
    """The errors of a green log of the same job. Some 100 bytes each; `read_log` gives 5,000 of a kind at most."""

    def __init__(self, green: Iterable[CIError] = ()) -> None:
        self._exact: set[str] = set()
        self._alike: set[str] = set()
        for error in green:
            self._exact.add(_exact(error))
            self._alike.add(_alike(error))

    def weight(self, error: CIError) -> float:
        """What the green log leaves of an error's score.

        0: it reported the same about the same line. 0.3: it may have, but for a shifted line or another number, or
        where no place is reported (`make: *** [all] Error 1`), which proves nothing. 1: it reported nothing of the
        kind.
        """
        if error.file and error.line and _exact(error) in self._exact:
            return 0.0
        return _FADED if _alike(error) in self._alike else 1.0

    def without(self, errors: Sequence[CIError]) -> tuple[CIError, ...]:
        """`errors` without what is certainly noise, the doubtful ones with a lower score.

        Something failed this job: where all of it would be noise, all is kept, faded.
        """
        weighed = [(error, self.weight(error)) for error in errors]
        certain = any(weight for _, weight in weighed)
        return tuple(_faded(error, weight or _FADED) for error, weight in weighed if weight or not certain)


def _faded(error: CIError, weight: float) -> CIError:
    return error if weight == 1.0 else error.model_copy(update={"score": round(error.score * weight, 3)})


def _exact(error: CIError) -> str:
    return content_id(error.tool, error.code, error.file, error.line, error.test, normal(error.message))


def _alike(error: CIError) -> str:
    return content_id(error.tool, error.code, error.file, error.test, _NUMBER.sub("#", normal(error.message)))
