"""The ways a model call fails: some can be retried, some end one conversation, some end all calls of the run."""


class ModelError(Exception):
    """A call without a usable reply. `reason` is the reason in the report; `billed`: the vendor may have charged for
    it."""

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
    """The provider refuses this request, however often it is sent."""

    reason = "model-rejected"


class ContextFull(Rejected):
    """The request exceeds the model's context window."""

    reason = "context"


class NoAccess(ModelError):
    """The key, the account or its credit doesn't allow calls: no call of this run can work."""

    reason = "no-access"


class NotInstalled(NoAccess):
    """The package for this provider is not installed."""
