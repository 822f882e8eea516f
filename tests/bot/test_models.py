"""The operator's models: which rungs there are, what is missing, and the money that a run holds."""

from pathlib import Path

import pytest

from bot.runs.models import Models
from bot.settings import Settings
from bot.store.repo import RepoStore
from handlers.errors import UserError
from healing.llm.fallback import CHEAP, OUTAGE, STUCK
from healing.pipeline.agent_work.keyless import missing_key
from healing.repair.agents.estimate import DEFAULT_MODEL
from healing.repair.agents.rules import AgentRules


def models(environ: dict[str, str] | None = None, **set_to: object) -> Models:
    return Models(Settings.model_validate({"anthropic_api_key": "sk-x", **set_to}), environ or {})


# LM-1, LM-2
def test_the_models_stand_in_order_and_those_without_a_key_are_left_out() -> None:
    some = models(
        {"GROQ_API_KEY": "k"},
        HEAL_FIRST_MODEL="claude-haiku-5-5",
        HEAL_STRONGER_MODEL="claude-opus-5-5",
        HEAL_FALLBACK_MODELS="groq/openai/gpt-oss-120b, openai/gpt-6-sol",
    )
    fallback_chain = some.fallback_chain()
    assert fallback_chain is not None
    assert [(r.model.name, r.takes) for r in fallback_chain.tiers] == [
        ("claude-haiku-5-5", frozenset()),
        ("claude-sonnet-5-5", CHEAP),
        ("groq/openai/gpt-oss-120b", OUTAGE),
        ("claude-opus-5-5", STUCK | OUTAGE),
    ]


# LM-2
def test_a_second_model_works_beside_the_main_one_where_it_has_a_key() -> None:
    names = {"HEAL_FIRST_MODEL": "claude-haiku-5-5", "HEAL_SECOND_MODEL": "groq/openai/gpt-oss-120b"}
    fallback_chain = models({"GROQ_API_KEY": "k"}, **names).fallback_chain()
    assert fallback_chain is not None
    assert [r.second_model.name if r.second_model else "" for r in fallback_chain.tiers] == [
        "",
        "groq/openai/gpt-oss-120b",
    ]
    assert [r.second_model for r in fallback_chain.for_simple_errors(25.0).tiers] == [None, None]
    assert models({"GROQ_API_KEY": "k"}, **names).second_model == "groq/openai/gpt-oss-120b"
    assert models(**names).second_model == ""


# LM-7
def test_without_the_main_models_key_there_is_no_team() -> None:
    assert models(anthropic_api_key="").fallback_chain() is None
    assert models(anthropic_api_key="").missing_key == "ANTHROPIC_API_KEY"
    assert models(HEAL_MODEL="openai/gpt-6-sol").missing_key == "OPENAI_API_KEY"
    assert models(HEAL_MODEL="ollama/qwen3-coder").missing_key == ""
    assert models(HEAL_MODEL="openai/gpt-6-sol").missing == missing_key("OPENAI_API_KEY", "openai/gpt-6-sol")
    assert models(HEAL_MODEL="groq/new").missing == missing_key("GROQ_API_KEY", DEFAULT_MODEL), "told at a known price"


# OP-10
def test_a_repository_may_allow_some_of_the_operators_models_and_no_others() -> None:
    named = {"HEAL_FIRST_MODEL": "claude-haiku-5-5", "HEAL_STRONGER_MODEL": "claude-opus-5-5"}
    named["HEAL_FALLBACK_MODELS"] = "groq/openai/gpt-oss-120b"  # which has no key
    every = models(**named)
    cheap = every.under(AgentRules(models=("claude-haiku-5-5", "claude-opus-9-9"))).fallback_chain()
    assert cheap is not None
    assert [tier.model.name for tier in cheap.tiers] == ["claude-haiku-5-5"]
    assert (every.under(AgentRules(models=("claude-haiku-5-5",))).main, every.main) == (
        "claude-haiku-5-5",
        "claude-sonnet-5-5",
    ), "what a plan would cost is told of the model that would be asked"
    none = every.under(AgentRules(models=("gpt",)))
    assert none.fallback_chain() is None
    assert none.missing.why == (
        "`agents.models` in .github/heal.yml allows none of the models of this Heal"
        " (claude-haiku-5-5, claude-sonnet-5-5, claude-opus-5-5)"
    )
    whole = every.fallback_chain()
    assert whole is not None
    assert len(whole.tiers) == 3, "another repository's rules change nothing"


# OP-10, LM-6
def test_a_repositorys_own_limit_stands_beside_the_operators() -> None:
    some = models(HEAL_BUDGET_DOLLARS="5")
    assert (some.caps().run, some.caps().own) == (5.0, None)
    own = some.under(AgentRules(dollars=2.5)).caps()
    assert (own.run, own.own) == (5.0, 2.5)


# LM-6
def test_a_model_without_a_price_is_a_clear_error() -> None:
    with pytest.raises(UserError, match="no price for the model 'claude-9'"):
        models(HEAL_MODEL="claude-9").fallback_chain()


# LM-6
def test_a_wrong_price_table_is_found_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "prices.toml").write_text("not a table", encoding="utf-8")
    with pytest.raises(ValueError, match=r"prices\.toml, which is no table of prices"):
        Settings.model_validate({"HEAL_PRICES": str(tmp_path / "prices.toml")})


# LM-6
async def test_a_run_holds_its_room_for_as_long_as_it_works(store: RepoStore) -> None:
    some = models(HEAL_BUDGET_DOLLARS=10, HEAL_PULL_DOLLARS=12)
    async with some.model_set(store, "r1", 3) as first:
        assert first is not None
        assert first.budget.dollars == 10
        async with some.model_set(store, "r2", 3) as second:
            assert second is not None
            assert (second.budget.dollars, second.budget.before) == (12, 10)
    async with some.model_set(store, "r2", 3) as later:
        assert later is not None
        assert later.budget.before == 0
    await some.close()
