"""A fix that changes tests says so first, and nobody applies it without naming it."""

# ruff: noqa: E501  (pages have long lines)

from inline_snapshot import snapshot

from tests.conversation.small_repo import ONE_SLIP, TEST
from tests.conversation.test_verify_by_ci import JUDGED, nothing_left, red
from tests.world import OpenWorld

NO_COLON = {"test_shop.py": TEST.replace("def test_total():", "def test_total()")}


# JD-2
async def test_a_fix_that_changes_tests_says_so_first_and_is_no_part_of_apply_all(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(NO_COLON)
        (offer,) = pr.standing()
        first, _, look, *_ = pr.texts_of(offer).split("\n\n")
        assert (first, look) == snapshot(
            (
                "**Fix the syntax of test\\_shop.py (changes the tests)**",
                """\
**Needs a closer look:**
- changes the tests: test\\_shop.py, because pytest found fault with it\
""",
            )
        )
        assert await pr.says("maya", "/heal apply all") == snapshot(
            "- `22333211` was skipped because it changes the tests: `/heal apply 22333211` commits it."
        )
        assert set((await pr.fixes()).values()) == {"offered"}
        assert await pr.says("maya", f"/heal apply {offer.id[:8]}") == snapshot("""\
- `22333211` was tested again and committed as `head2`.

`/heal rollback <id>` reverts one.\
""")
        await w.ci()
        await w.heal()
        assert pr.red() == []
        assert [pr.comments(), pr.reviews(), pr.withdrawn()]


# JD-2, CK-2
async def test_a_fix_that_cis_own_run_alone_proved_is_divided_by_roles_too(world: OpenWorld) -> None:
    async with world(JUDGED, sandboxed=False) as w:
        pr = await red(w, NO_COLON)
        (stored,) = await pr.stored()
        assert stored.proposal.touches == "tests"
        (offer,) = pr.standing()
        first, _, look, *_ = pr.texts_of(offer).split("\n\n")
        assert (first, look) == snapshot(
            (
                "**Fix the syntax of test\\_shop.py (changes the tests)**",
                "**Needs a closer look:**\n- changes the tests: test\\_shop.py, because ruff found fault with it\n- test\\_shop.py: a test changes, since CI found fault with it (ruff invalid-syntax)",
            )
        )
        assert await pr.says("maya", "/heal apply all") == snapshot(
            "- `22333211` was skipped because it changes the tests: `/heal apply 22333211` commits it."
        )
        assert set((await pr.fixes()).values()) == {"offered"}
        await nothing_left(w, pr)


# JD-2, CK-2
async def test_a_fix_that_ci_tested_only_beside_one_that_changes_tests_says_so(world: OpenWorld) -> None:
    async with world(JUDGED, sandboxed=False) as w:
        pr = await red(w, {**ONE_SLIP, **NO_COLON})
        stored = {item.proposal.touches: item.proposal for item in await pr.stored()}
        assert set(stored) == {"", "tests"}
        assert stored[""].needs == ()
        assert stored["tests"].needs == (stored[""].id,)
        (output,) = stored[""].flags
        assert output == f"your CI tested it together with {stored['tests'].id[:8]}, which changes the tests"
        await nothing_left(w, pr)


# JD-2, CK-2
async def test_a_repair_of_the_script_that_ci_judges_by_says_that_it_changes_the_checks(world: OpenWorld) -> None:
    script = (
        "import subprocess\nimport sys\n\nimport shop\n\nshop.total([])\nsys.exit(subprocess.call(['pytest', '-q']))\n"
    )
    ci = JUDGED[".github/workflows/ci.yml"].replace("python -m pytest -q", "python run_checks.py")
    broken = {"run_checks.py": script.replace("shop.total([])", "shop.totla([])")}
    async with world({**JUDGED, ".github/workflows/ci.yml": ci, "run_checks.py": script}, sandboxed=False) as w:
        pr = await red(w, broken)
        assert [item.proposal.touches for item in await pr.stored()] == ["checks"]
        await nothing_left(w, pr)
