"""A Messages API on loopback for tests and benchmarks: strict like the real one, scripted by a brain.

async with serve(scripted(Reply.text("hello"))) as standin:
    model = AnthropicModel("claude-sonnet-5-5", standin.key, standin.url)
"""

from tests.model_standin.brains import adversary, oracle, scripted
from tests.model_standin.replies import Brain, Fault, Reply, use
from tests.model_standin.server import Exchange, Standin, serve

__all__ = ["Brain", "Exchange", "Fault", "Reply", "Standin", "adversary", "oracle", "scripted", "serve", "use"]
