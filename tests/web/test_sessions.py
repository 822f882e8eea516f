"""What keeps a session its owner's: state, PKCE, cookies, CSRF, ends, limits (OP-4)."""

import re
from http.cookies import SimpleCookie
from urllib.parse import parse_qs, urlsplit

import pytest

from bot.keys.sealing import Sealer, Unsealable
from tests.web.conftest import Stage, consent, csrf_of, sign_in

pytestmark = pytest.mark.asyncio(loop_scope="session")


# OP-4
async def test_the_question_to_github_has_a_state_and_a_challenge_and_no_secret(stage: Stage) -> None:
    async with stage.stranger() as client:
        begun = await client.get("/auth/start")
    asked = parse_qs(urlsplit(begun.headers["location"]).query)
    assert set(asked) == {"client_id", "redirect_uri", "state", "code_challenge", "code_challenge_method"}
    assert asked["code_challenge_method"] == ["S256"]
    assert asked["redirect_uri"] == [f"{stage.url}/auth/callback"]
    assert stage.app.client_secret not in begun.headers["location"] + begun.headers["set-cookie"]


# OP-4
async def test_an_answer_that_this_browser_did_not_ask_for_signs_nobody_in(stage: Stage) -> None:
    async with stage.stranger() as client, stage.stranger() as victim:
        begun = await client.get("/auth/start")
        back = await consent(stage, "maya", begun.headers["location"])
        assert (await victim.get(back)).status_code == 403
        await victim.get("/auth/start")
        assert (await victim.get(back)).status_code == 403
        assert (await client.get(re.sub("state=[^&]+", "state=x", back))).status_code == 403
        stage.clock.at += 601
        assert (await client.get(back)).status_code == 403
        assert stage.settings.site_url
        assert not [name for name in (*victim.cookies, *client.cookies) if name == "heal_session"]


# OP-4
async def test_a_code_is_worth_nothing_to_who_has_not_the_verifier(stage: Stage) -> None:
    async with stage.stranger() as client, stage.stranger() as thief:
        begun = await client.get("/auth/start")
        back = await consent(stage, "maya", begun.headers["location"])
        code = parse_qs(urlsplit(back).query)["code"][0]
        other = await thief.get("/auth/start")
        state = parse_qs(urlsplit(other.headers["location"]).query)["state"][0]
        answer = await thief.get("/auth/callback", params={"code": code, "state": state})
        assert answer.status_code == 403
        assert "incorrect or expired" in answer.text


# OP-4
async def test_who_says_no_at_github_is_told_that_nothing_was_done(stage: Stage) -> None:
    async with stage.stranger() as client:
        begun = await client.get("/auth/start")
        answer = await client.get(await consent(stage, "maya", begun.headers["location"], says="no"))
    assert answer.status_code == 403
    assert "Nothing was done" in answer.text


# OP-4
async def test_the_cookie_is_for_this_site_alone_and_no_script_reads_it(stage: Stage) -> None:
    async with stage.stranger() as client:
        answer = await sign_in(stage, client, "maya")
    cookie = SimpleCookie(answer.headers.get_list("set-cookie")[0])["heal_session"]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"], cookie["domain"]) == (True, "lax", "/", "")
    assert 0 < int(cookie["max-age"]) <= 8 * 3600


# OP-4
async def test_a_changed_cookie_opens_nothing(stage: Stage) -> None:
    async with stage.signed_in("maya") as maya:
        good = maya.cookies["heal_session"]
        for bad in (good[:-1] + ("A" if good[-1] != "A" else "B"), good + "A", good.upper(), "", "x" * 4000, "%00"):
            async with stage.stranger() as client:
                answer = await client.get("/", headers={"Cookie": f"heal_session={bad}"})
                assert answer.status_code == 303, bad
        assert (await maya.get("/")).status_code == 200


# OP-4
async def test_a_session_ends_by_itself_and_by_signing_out(stage: Stage) -> None:
    async with stage.signed_in("maya") as maya:
        cookie = maya.cookies["heal_session"]
        page = (await maya.get("/")).text
        assert (await maya.post("/sign-out", data={"csrf": csrf_of(page)})).headers["location"] == "/sign-in"
        async with stage.stranger() as thief:
            assert (await thief.get("/", headers={"Cookie": f"heal_session={cookie}"})).status_code == 303
    async with stage.signed_in("maya") as maya:
        stage.clock.at += 8 * 3600 + 1
        assert (await maya.get("/")).status_code == 303


# OP-4
async def test_nobody_is_signed_out_by_another_site(stage: Stage) -> None:
    async with stage.signed_in("maya") as maya, stage.signed_in("noor") as noor:
        theirs = csrf_of((await noor.get("/")).text)
        own = csrf_of((await maya.get("/")).text)
        for fields, headers in (
            ({}, {}),
            ({"csrf": ""}, {}),
            ({"csrf": theirs}, {}),
            ({"csrf": own}, {"Origin": "https://evil.example"}),
            ({"csrf": own}, {"Origin": "null"}),
            ({"csrf": own}, {"Sec-Fetch-Site": "cross-site"}),
            ({"csrf": "x" * 70_000}, {}),
        ):
            answer = await maya.post("/sign-out", data=fields, headers=headers)
            assert answer.status_code == 403, fields
        assert (await maya.get("/sign-out")).status_code == 405
        assert (await maya.get("/")).status_code == 200


# OP-4
async def test_nobody_is_sent_to_another_site_after_signing_in(stage: Stage) -> None:
    for wanted in ("//evil.example", "https://evil.example", "/\\evil.example", "/a\nb", "evil", "/" + "a" * 600):
        async with stage.stranger() as client:
            begun = await client.get("/auth/start", params={"next": wanted})
            back = await client.get(await consent(stage, "maya", begun.headers["location"]))
            assert back.headers["location"] == "/", wanted


# OP-4
async def test_one_address_can_not_begin_to_sign_in_for_ever(stage: Stage) -> None:
    async with stage.stranger() as client:
        statuses = [(await client.get("/auth/start")).status_code for _ in range(22)]
        assert statuses == [303] * 20 + [429] * 2
        stage.clock.at += 301
        assert (await client.get("/auth/start")).status_code == 303


# OP-4
async def test_the_database_holds_no_token_and_no_cookie_of_a_person(stage: Stage) -> None:
    async with stage.signed_in("maya") as maya:
        [token] = [value for value, one in stage.hub.tokens.items() if one.app_id is not None]
        for path in stage.settings.data.rglob("*"):
            held = path.read_bytes() if path.is_file() else b""
            assert token.encode() not in held, path
            assert maya.cookies["heal_session"].encode() not in held, path


# OP-1
async def test_what_is_sealed_opens_with_an_older_key_and_moves_to_the_newest(stage: Stage) -> None:
    old, new, other = "o" * 32, "n" * 32, "x" * 32
    sealed = Sealer([old], "app").seal("hush")
    assert "hush" not in sealed
    both = Sealer([new, old], "app")
    assert both.open(sealed) == "hush"
    renewed = both.renewed(sealed)
    assert renewed is not None
    assert Sealer([new], "app").open(renewed) == "hush"
    assert both.renewed(renewed) is None
    for wrong in (Sealer([other], "app"), Sealer([old], "sessions")):
        with pytest.raises(Unsealable):
            wrong.open(sealed)
