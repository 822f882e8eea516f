"""Sends spans to OpenTelemetry over OTLP/HTTP, if the operator configures an endpoint."""

import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bot import __version__
from bot.secrets import hide_tokens
from healing.spans import Span, Value, listening

if TYPE_CHECKING:
    from contextvars import Token

    from opentelemetry.context import Context
    from opentelemetry.trace import Span as OtelSpan
    from opentelemetry.trace import Tracer

PLACES = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")

log = logging.getLogger("heal.tracing")


@contextmanager
def tracing() -> Iterator[None]:
    """Sends spans to the endpoint in the environment while inside the `with` block, and flushes them at its end.
    Without an endpoint nothing is imported."""
    if not any(os.environ.get(name) for name in PLACES):
        yield
        return
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        log.warning("%s is set, but the packages for traces are missing: pip install 'heal[traces]'", PLACES[1])
        yield
        return
    named = {"service.name": os.environ.get("OTEL_SERVICE_NAME") or "heal", "service.version": __version__}
    provider = TracerProvider(resource=Resource.create(named))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    try:
        with listening(OtelListener(provider.get_tracer("heal", __version__))):
            yield
    finally:
        provider.shutdown()


class OtelListener:
    """`healing.spans.Listener` that forwards spans to an OpenTelemetry tracer."""

    def __init__(self, tracer: "Tracer") -> None:
        self._tracer = tracer

    def begin(self, name: str) -> Span:
        from opentelemetry import context, trace

        span = self._tracer.start_span(f"heal.{name}")
        return _Begun(span, context.attach(trace.set_span_in_context(span)))


class _Begun:
    def __init__(self, span: "OtelSpan", token: "Token[Context]") -> None:
        self._otel_span, self._token = span, token

    def end(self, name: str, attributes: Mapping[str, Value]) -> None:
        from opentelemetry import context, trace

        context.detach(self._token)
        self._otel_span.update_name(f"heal.{name}")
        for key, value in attributes.items():
            self._otel_span.set_attribute(f"heal.{key}", hide_tokens(value) if isinstance(value, str) else value)
        if "error_type" in attributes:
            self._otel_span.set_status(trace.StatusCode.ERROR)
        self._otel_span.end()
