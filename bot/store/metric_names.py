"""All metrics of /metrics: name, meaning and labels. The table in docs/metrics.md is generated from them."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["gauge", "counter", "histogram"]

MODEL_SECONDS = (0.5, 1, 2, 5, 10, 20, 40, 80, 160, 320)
CHECK_SECONDS = (0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1200)
RUN_SECONDS = (5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120)


@dataclass(frozen=True)
class Metric:
    """`bounds` are a histogram's upper bounds in seconds. No label ever holds untrusted text: a repository, a branch or
    a message would leak a secret and make the number of series unbounded."""

    name: str
    kind: Kind
    help: str
    labels: tuple[str, ...] = ()
    bounds: tuple[float, ...] = ()


RUNS = Metric("heal_runs", "gauge", "Runs that Heal remembers.", ("state",))
PROPOSALS = Metric("heal_proposals", "gauge", "Fixes that Heal remembers.", ("status",))
QUEUE_DEPTH = Metric("heal_queue_depth", "gauge", "Deliveries and runs that are not over yet.", ("of",))
QUEUE_OLDEST = Metric("heal_queue_oldest_seconds", "gauge", "How long the oldest of them has waited.", ("of",))
DELIVERIES = Metric("heal_deliveries", "gauge", "Webhook deliveries that Heal remembers.", ("state",))
WORKERS = Metric("heal_workers", "gauge", "Workers that are taken for living.")
SILENCE = Metric("heal_worker_silence_seconds", "gauge", "Since any worker last said that it lives.")
RATE_LIMIT = Metric(
    "heal_github_rate_limit_remaining",
    "gauge",
    "Requests that GitHub still allows this hour: the least of any installation in the worker's last 15 seconds.",
    ("resource",),
)
CACHE_SHARE = Metric(
    "heal_model_cache_share", "gauge", "Share of a model's input tokens that came from its cache, ever.", ("model",)
)

RECEIVED = Metric(
    "heal_deliveries_stored_total",
    "counter",
    "Webhook deliveries and forms of the dashboard that were taken.",
    ("event",),
)
ENDED = Metric("heal_runs_ended_total", "counter", "Runs that came to their end.", ("verdict",))
ERRORS = Metric("heal_errors_total", "counter", "Errors of runs that ended, by how they ended.", ("resolution",))
OFFERED = Metric("heal_proposals_made_total", "counter", "Proven fixes, by what made them.", ("source",))
PREVENTED = Metric(
    "heal_regressions_prevented_total", "counter", "Fixes that were refused or reverted because they broke something."
)
CALLS = Metric("heal_model_calls_total", "counter", "Model calls that were answered.", ("model",))
LOST = Metric("heal_model_calls_lost_total", "counter", "Model calls whose answer never came.", ("model",))
TOKENS = Metric("heal_model_tokens_total", "counter", "Tokens of model calls.", ("model", "kind"))
DOLLARS = Metric("heal_model_dollars_total", "counter", "US dollars spent on model calls.", ("model",))
REQUESTS = Metric("heal_github_requests_total", "counter", "Requests to GitHub's API.", ("method", "status"))

LATENCY = Metric("heal_model_call_seconds", "histogram", "How long a model took to answer.", ("model",), MODEL_SECONDS)
CHECKS = Metric("heal_check_seconds", "histogram", "How long a check took.", ("ended",), CHECK_SECONDS)
RUN = Metric("heal_run_seconds", "histogram", "How long a run took, all its lives together.", ("verdict",), RUN_SECONDS)

LOOKED_UP = (RUNS, PROPOSALS, QUEUE_DEPTH, QUEUE_OLDEST, DELIVERIES, WORKERS, SILENCE, RATE_LIMIT, CACHE_SHARE)
COUNTED = (
    *(RECEIVED, ENDED, ERRORS, OFFERED, PREVENTED, CALLS, LOST, TOKENS, DOLLARS, REQUESTS),
    *(LATENCY, CHECKS, RUN),
)
ALL = (*LOOKED_UP, *COUNTED)
