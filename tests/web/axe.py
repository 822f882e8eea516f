"""What axe-core finds wrong with a page for people who can't see it, use no mouse, or see little contrast."""

from playwright.async_api import Page

from tests.npm import needs_npm

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


async def faults(page: Page) -> list[str]:
    """A line for each; skips the test where npm is missing."""
    script = (needs_npm() / "axe-core" / "axe.min.js").read_text("utf-8")
    await page.evaluate(script)
    found = await page.evaluate("rules => axe.run(document, {runOnly: rules})", RULES)
    return [
        f"{one['id']} ({one['impact']}): {node['html'][:150]} {node['failureSummary'][:300]}"
        for one in found["violations"]
        for node in one["nodes"]
    ]
