"""Routes a cluster to specialists by four weighted scores; every decision is recorded.

`confidence = 0.4 × capability match + 0.3 × past success + 0.2 × specialisation + 0.1 × complexity fit`. Specialists
with 0.7 or more are candidates, at most three; if there is none, the generalist takes the cluster.
"""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from healing.model import Category, CIError, Cluster, Frozen
from healing.repair.agents.profiles import GENERALIST, Complexity, Profile

WEIGHTS = {"capability": 0.4, "success": 0.3, "specialisation": 0.2, "complexity": 0.1}
THRESHOLD = 0.7
CANDIDATES = 3
PRIOR = 8.0  # weight of a profile's own expectation, in decisions, so that few results do not overturn it
SIMPLE = frozenset(
    {Category.SYNTAX, Category.INDENTATION, Category.IMPORT, Category.LINT, Category.FORMAT, Category.CONFIG}
)
LADDER: tuple[Complexity, ...] = ("simple", "moderate", "complex")


class Record(Frozen):
    """How a specialist's fixes fared in this repository: `good` were verified and not rejected; `bad` are the others
    (given up, refused, rejected by a person)."""

    good: int = 0
    bad: int = 0


class Score(Frozen):
    """One specialist's four scores, each 0..1, and their weighted sum."""

    specialist: str
    capability: float
    success: float
    specialisation: float
    complexity: float

    @property
    def confidence(self) -> float:
        """The weighted sum, rounded so that equal ones are equal on every machine."""
        parts: dict[str, float] = self.model_dump(include=set(WEIGHTS))
        return round(sum(weight * parts[part] for part, weight in WEIGHTS.items()), 6)


class Routing(Frozen):
    """A decision: the candidates in order (only the generalist, where none reaches the threshold), and all scores, the
    best first."""

    cluster: str
    complexity: Complexity
    chosen: tuple[str, ...]
    scores: tuple[Score, ...]


def route(
    cluster: Cluster,
    errors: Sequence[CIError],
    profiles: Sequence[Profile],
    records: Mapping[str, Record] | None = None,
    threshold: float = THRESHOLD,
    candidates: int = CANDIDATES,
) -> Routing:
    """Routes the cluster. Deterministic: the same cluster, profiles and records give the same decision."""
    known = records or {}
    how_hard = complexity_of(cluster, errors)
    scores = [
        _score(profile, errors, how_hard, known.get(profile.name, Record()))
        for profile in profiles
        if profile.name != GENERALIST
    ]
    scores.sort(key=lambda score: (-score.confidence, score.specialist))
    fitting = [score.specialist for score in scores if score.confidence >= threshold and score.capability > 0]
    return Routing(
        cluster=cluster.id,
        complexity=how_hard,
        chosen=tuple(fitting[:candidates]) or (GENERALIST,),
        scores=tuple(scores),
    )


def complexity_of(cluster: Cluster, errors: Sequence[CIError]) -> Complexity:
    """The estimated difficulty of a cluster: from its errors' categories, its number of causes, and its number of
    files."""
    hard = any(error.category not in SIMPLE for error in errors)
    wide = len(cluster.causes) > 3 or len(cluster.zone) > 3
    if hard and wide:
        return "complex"
    return "moderate" if hard or wide else "simple"


def _score(profile: Profile, errors: Sequence[CIError], how_hard: Complexity, record: Record) -> Score:
    return Score(
        specialist=profile.name,
        capability=round(_capability(profile, errors), 6),
        success=round(expected_success(profile.confidence, record), 6),
        specialisation=round(_specialisation(profile, errors), 6),
        complexity=_complexity_fit(profile, how_hard),
    )


def expected_success(expectation: float, record: Record) -> float:
    """The mean of a Beta distribution whose prior is the profile's own expectation, worth eight decisions, updated by
    the record: without a record it is the expectation, with a long one the record's rate."""
    return (expectation * PRIOR + record.good) / (PRIOR + record.good + record.bad)


def _capability(profile: Profile, errors: Sequence[CIError]) -> float:
    """How well the errors match the profile, on average: 1 for one of its rules, 0.8 for a word, 0.4 for a category
    alone, 0 for a category that it does not have."""
    return sum(_match(profile, error) for error in errors) / len(errors) if errors else 0.0


def _match(profile: Profile, error: CIError) -> float:
    if error.category not in profile.categories:
        return 0.0
    if error.code and any(fnmatchcase(error.code, rule) for rule in profile.rules):
        return 1.0
    message = error.message.lower()
    return 0.8 if any(word.lower() in message for word in profile.words) else 0.4


def _specialisation(profile: Profile, errors: Sequence[CIError]) -> float:
    """How much of the profile's scope this cluster needs: the share of its categories that occur, or the share of
    errors that match its rules, whichever is larger."""
    occurring = {error.category for error in errors} & set(profile.categories)
    share = len(occurring) / len(profile.categories)
    named = [error for error in errors if _match(profile, error) == 1.0]
    return max(share, len(named) / len(errors)) if errors else 0.0


def _complexity_fit(profile: Profile, how_hard: Complexity) -> float:
    """1 where the profile takes clusters of this complexity, 0.5 for the next lower or higher one, otherwise 0."""
    distance = min(abs(LADDER.index(how_hard) - LADDER.index(accepted)) for accepted in profile.complexity)
    return max(1.0 - distance / 2, 0.0)
