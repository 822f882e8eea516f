"""How well and how fast logs are read: on a corpus of real logs, and on a generated long one.

`HEAL_CORPUS` names the corpus' folder (default: `shared/corpus/logs` beside this checkout). Peers: what one writes on
the first day, a regular expression for `file:line: message`; and reviewdog's errorformat with all formats that it
ships, the best open extractor that can be built here (quality alone). Where the corpus or errorformat
(golang-github-reviewdog-errorformat-dev) isn't here, the rest is measured, and nothing is kept.
"""

import asyncio
import os
from pathlib import Path

from benchmarks.shape import Goal, Result

MEGABYTES = int(os.environ.get("HEAL_BENCH_MEGABYTES", "1000"))
CORPUS = Path(os.environ.get("HEAL_CORPUS", Path(__file__).parents[3] / "shared" / "corpus" / "logs"))


async def measure() -> Result:
    """Quality first (where there is a corpus), then speed and memory, Heal and its peer in turn."""
    from benchmarks.extraction import peers, quality, speed  # here, since `speed` is a program of its own, too

    has_corpus = (CORPUS / "manifest.json").is_file()
    result = Result("extraction", seed=speed.SEED, partly=not (has_corpus and peers.has_errorformat()))
    if has_corpus:
        quality.measure(CORPUS, result)
    heal, peer = [await asyncio.to_thread(speed.measure, who, MEGABYTES) for who in ("heal", "regex")]
    for who, run in (("heal", heal), ("regex", peer)):
        result.rows.append(
            {"what": f"{MEGABYTES} MB log", "who": who, "MB/s": run.megabytes_a_second, "peak MB": run.peak_megabytes}
        )
    rate = heal.megabytes_a_second
    result.goals += [
        Goal("throughput of a long noisy log, MB/s", ">= 50", round(rate, 1), rate >= 50),
        Goal("peak memory of it, MB", "< 200", round(heal.peak_megabytes, 1), heal.peak_megabytes < 200),
        Goal("errors found in it, of those planted", "= 1", heal.share_found, heal.share_found == 1),
    ]
    return result
