"""How a model call fails: what may be tried again, what ends one conversation, what ends the run's spending."""


class ModelError(Exception):
    """A call without a usable reply. `reason` is the word that an unfixable carries; `billed` says that the vendor may
    have charged for it."""

    reason = "model-failed"

    def __init__(self, message: str, billed: bool = False) -> None:
        super().__init__(message)
        self.billed = billed


class Retryable(ModelError):
    """Overload, rate limit, a dropped or cut reply: the same request may work later. `after`: seconds to wait, if the
    provider named them; `status`: HTTP status, 0 where there was none."""

    reason = "model-unavailable"

    def __init__(self, message: str, billed: bool = False, after: float | None = None, status: int = 0) -> None:
        super().__init__(message, billed)
        self.after = after
        self.status = status


class Unavailable(ModelError):
    """The retries or their deadline are used up."""

    reason = "model-unavailable"


class Rejected(ModelError):
    """The provider won't take this request, however often it is sent."""

    reason = "model-rejected"


class ContextFull(Rejected):
    """The request is longer than the model can read."""

    reason = "context"


class NoAccess(ModelError):
    """The key, the account or its credit: no call of this run can work."""

    reason = "no-access"


class NotInstalled(NoAccess):
    """The package that reaches this provider is missing on this machine."""
