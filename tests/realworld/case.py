"""One case as a row of figures: broken, healed without a model, and, where that did not do, with the oracle."""

import os
import time

from healing.model import Category
from tests.realworld.projects import Project
from tests.realworld.report import Row, revision
from tests.realworld.stage import Stage
from tests.realworld.trial import break_it, heal, heal_with, run_of


async def play(stage: Stage, project: Project, name: str) -> Row:
    """Raises NotHereError where the project can't be had, AssertionError where no such slip turns its CI red."""
    home = await stage.home(project)
    began = time.monotonic()
    broken = await break_it(stage, home, name)
    free = await heal(stage, stage.free, home, broken, broken.pull)
    await stage.close(stage.free, broken.pull)
    last, oracle = free, ""
    if free.verdict.end in ("unfixable", "partly"):
        last = await heal_with(stage, home, broken, f"{name}-oracle")
        oracle = last.verdict.end
    spent = last.outcome.spending
    clusters = last.outcome.clusters if spent.calls else ()
    return Row(
        project=project.title,
        language=project.language.name,
        name=name,
        category=broken.breakage.category,
        what=broken.breakage.what,
        red=broken.red,
        errors=len(free.outcome.errors),
        failing=sum(error.category is Category.TEST for error in free.outcome.errors),
        free=free.verdict.end,
        oracle=oracle,
        exact=last.verdict.exact,
        sources=last.sources,
        delivery=tuple(dict.fromkeys(one.delivery for one in last.offered)),
        seconds=round(free.seconds, 1),
        first=round(last.first, 1) if last.first is not None else None,
        clusters=tuple((cluster.phase, len(cluster.error_ids)) for cluster in clusters),
        calls=spent.calls,
        tokens_in=spent.input_tokens + spent.cache_write_tokens + spent.cache_read_tokens,
        tokens_out=spent.output_tokens,
        dollars=spent.dollars,
        why="" if last.verdict.end == "healed" else last.verdict.why or run_of(last),
        whole=round(time.monotonic() - began, 1),
        load=round(os.getloadavg()[0], 1),
        revision=revision(),
    )
