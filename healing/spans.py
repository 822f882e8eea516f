"""Spans: what takes how long, reported to anyone who listens. By itself nobody does, and that costs nothing."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol

Value = str | int | float | bool


class Span(Protocol):
    """Something that has begun."""

    def end(self, name: str, attributes: Mapping[str, Value]) -> None:
        """Ends it, in the task that it began in. A phase knows its name only now."""
        ...


class Listener(Protocol):
    """Hears of spans. What is begun inside a span, also in tasks that are started there, is a part of it."""

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
    """While this lasts, all spans of the process are reported to `listener`."""
    global _listener  # noqa: PLW0603  (one for the process, as for logs)
    before, _listener = _listener, listener
    try:
        yield
    finally:
        _listener = before


def begin(name: str) -> Span:
    """Begins a span that its caller ends."""
    return _listener.begin(name)


@contextmanager
def span(name: str, **attributes: Value) -> Iterator[dict[str, Value]]:
    """A span around what is done inside, which may add attributes: names, numbers and ids of our own, never code,
    prompts, logs or commands. Where it ends by an exception, that one's class is `error_type`."""
    merged = dict(attributes)
    begun = begin(name)
    try:
        yield merged
    except BaseException as error:
        merged["error_type"] = type(error).__name__
        raise
    finally:
        begun.end(name, merged)
