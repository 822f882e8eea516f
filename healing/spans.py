"""Spans: how long things take, reported to a listener. Without one, nothing is recorded and it costs nothing."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol

Value = str | int | float | bool


class Span(Protocol):
    """A started span."""

    def end(self, name: str, attributes: Mapping[str, Value]) -> None:
        """Ends the span, in the task that began it. The name is passed here because a phase's name is only known at its
        end."""
        ...


class Listener(Protocol):
    """Receives spans. A span that begins inside another, also in tasks started there, is part of it."""

    def begin(self, name: str) -> Span: ...


class _Nobody:
    """Listener and span alike."""

    def begin(self, name: str) -> Span:
        return self

    def end(self, name: str, attributes: Mapping[str, Value]) -> None:
        pass


_listener: Listener = _Nobody()


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Reports all spans of the process to `listener` inside the context."""
    global _listener  # noqa: PLW0603  (one for the process, as for logs)
    before, _listener = _listener, listener
    try:
        yield
    finally:
        _listener = before


def begin(name: str) -> Span:
    """Begins a span; the caller ends it."""
    return _listener.begin(name)


@contextmanager
def span(name: str, **attributes: Value) -> Iterator[dict[str, Value]]:
    """A span around the body, which may add attributes: names, numbers and ids of Heal's own, never code, prompts, logs
    or commands. If the body raises, the exception's class is added as `error_type`."""
    merged = dict(attributes)
    open_span = begin(name)
    try:
        yield merged
    except BaseException as error:
        merged["error_type"] = type(error).__name__
        raise
    finally:
        open_span.end(name, merged)
