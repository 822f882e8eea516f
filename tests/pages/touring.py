"""A person on the demo's guided tour, in a real browser: what they read there, and what is in their view."""

from dataclasses import dataclass

from playwright.async_api import Locator, Page, expect

IN_VIEW = """place => {
    const box = place.getBoundingClientRect(), tour = document.getElementById("tour").getBoundingClientRect();
    return box.top >= tour.bottom - 1 && box.top < window.innerHeight - 20;
}"""


@dataclass(frozen=True)
class Tourist:
    """Reads the tour, presses its buttons, and looks at the rest of the page without scrolling."""

    page: Page

    @property
    def tour(self) -> Locator:
        return self.page.locator("#tour")

    async def stands_at(self, progress: str, words: str) -> None:
        """The tour itself stays in view, whatever it scrolls to."""
        await expect(self.tour).to_contain_text(progress)
        await expect(self.tour).to_contain_text(words)
        await expect(self.tour.locator("summary")).to_be_in_viewport()

    async def press(self, button: str) -> None:
        await self.tour.get_by_role("button", name=button, exact=True).click()

    async def place(self) -> str:
        """The fragment of what the tour speaks of."""
        return await self.tour.get_attribute("data-place") or ""

    async def sees(self, words: str, inside: str) -> None:
        """The beginning of a place is below the tour and above the window's end, and says this."""
        place = self.page.locator(inside).first
        await expect(place).to_contain_text(words)
        await expect(place.get_by_text(words).first).to_be_visible()
        handle = await place.element_handle()
        await self.page.wait_for_function(IN_VIEW, arg=handle, timeout=5000)
