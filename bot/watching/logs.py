"""Configures logging: structured lines on stderr, JSON unless it is a terminal, with secrets masked."""

import logging
import sys
from typing import TYPE_CHECKING, TextIO

from bot.secrets import hide_tokens

if TYPE_CHECKING:
    from structlog.typing import EventDict, Processor


def configure_logs(stream: TextIO | None = None) -> None:
    """Sends all log records, including those of libraries, through structlog; `extra` becomes keys of the line, such as
    `run_id`."""
    import structlog

    chain: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        _masked,
    ]
    target = stream or sys.stderr
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=chain,
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
            if target.isatty()
            else structlog.processors.JSONRenderer(ensure_ascii=False),
        ],
    )
    handler = logging.StreamHandler(target)
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.INFO)
    logging.getLogger("httpx").setLevel(logging.WARNING)  # a line for every request is of no use


def _masked(_logger: object, _method: str, event: "EventDict") -> "EventDict":
    return {key: hide_tokens(value) if isinstance(value, str) else value for key, value in event.items()}
