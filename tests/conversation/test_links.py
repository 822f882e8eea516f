"""From GitHub's page to Heal's own: the check run leads to its run, the summary to the newest run and the settings."""

import re
from urllib.parse import urlsplit

from handlers.model import Addresses
from tests.conversation.at_dashboard import at_dashboard
from tests.conversation.small_repo import GREEN, ONE_SLIP, THREE_SLIPS
from tests.conversation.test_commands import look_at_the_rest
from tests.world import OpenWorld


# GH-4 GH-10 OP-4
async def test_the_check_run_and_the_summary_lead_to_heals_own_pages(world: OpenWorld) -> None:
    async with world({**GREEN, ".github/heal.yml": "generations: 0\n"}) as w:
        pr = await w.healed(THREE_SLIPS)
        (check,) = (run for run in w.hub.check_runs.values() if run.name == "Heal")
        (comment,) = (one for one in w.hub.conversation(pr.pull) if "### Heal:" in one.body)
        places = [check.details_url or "", *re.findall(r"\]\((http[^)]+)\)", comment.body)]
        async with at_dashboard(w, "maya") as maya:
            pages = [await maya.client.get(place) for place in places]
        assert [page.status_code for page in pages] == [200, 200, 200]
        run, settings = f"/runs/{w.repo.full_name}/{pr.head}/1", f"/repositories/{w.repo.full_name}#settings"
        assert [urlsplit(place)._replace(scheme="", netloc="").geturl() for place in places] == [run, run, settings]
        assert pr.head[:7] in pages[0].text
        told = pages[2].text.partition('id="settings"')[2].partition("</table>")[0]
        assert '<code>generations</code></td><td class="wide"><code>0</code>' in told
        assert f"/blob/{pr.pull.base_sha}/.github/heal.yml" in told
        assert "on <code>main</code>, as read" in told
        look_at_the_rest(pr)


# GH-4 OP-4
async def test_where_nobody_reaches_heals_pages_nothing_leads_there(world: OpenWorld) -> None:
    async with world(public_url="") as w:
        pr = await w.healed(ONE_SLIP)
        assert [run.details_url for run in w.hub.check_runs.values() if run.name == "Heal"] == [None]
        assert "](http" not in "".join(pr.comments())
        assert len(pr.reviews()) == pr.suggested() == 1


def test_addresses_hold_whatever_a_repository_is_called() -> None:
    pages = Addresses(site="https://heal.example.com", repo="octo/a.b-c_d")
    assert pages.settings == "https://heal.example.com/repositories/octo/a.b-c_d#settings"
    assert pages.run("f" * 40, 2) == f"https://heal.example.com/runs/octo/a.b-c_d/{'f' * 40}/2"
    assert (Addresses(repo="octo/a").run("f", 1), Addresses(repo="octo/a").settings) == ("", "")
