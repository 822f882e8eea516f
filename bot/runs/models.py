"""The models in the operator's settings, as a fallback chain; clients are created on first use."""

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from bot.runs.documentation import documentation
from bot.settings import Settings
from handlers.errors import UserError

if TYPE_CHECKING:
    from bot.store.repo import RepoStore
    from bot.store.spending import Caps
    from healing.llm.anthropic import AnthropicModel
    from healing.llm.budget import WhyNot
    from healing.llm.chat import ChatModel
    from healing.llm.fallback import FallbackChain
    from healing.llm.providers import Named
    from healing.llm.usage_records import UsageRecords
    from healing.pipeline.agent_work.keyless import NoModel
    from healing.pipeline.agent_work.model_set import ModelSet
    from healing.repair.agents.rules import AgentRules

TRIAL_DOLLARS = 1.0  # per repository and day, while Heal only observes it


class Models:
    """The models of one process. `environ` has the keys and URLs of all providers: `GROQ_API_KEY`, `GROQ_BASE_URL` and
    so on. `rules` are a repository's, `opened` the existing connections."""

    def __init__(
        self,
        settings: Settings,
        environ: Mapping[str, str] = os.environ,
        rules: "AgentRules | None" = None,
        opened: "dict[str, AnthropicModel | ChatModel] | None" = None,
    ) -> None:
        self._settings = settings
        self._environ = environ
        self._rules = rules
        self._open = {} if opened is None else opened

    def under(self, rules: "AgentRules") -> "Models":
        """Returns the same models, with the same connections, restricted by a repository's rules."""
        return Models(self._settings, self._environ, rules, self._open)

    @property
    def missing_key(self) -> str:
        """The name of the variable for the main model's key if that is not set; else empty."""
        from healing.llm.providers import Named

        named = Named.of(self._settings.model)
        return "" if self._key(named) or named.provider.keyless else named.provider.key

    @property
    def missing(self) -> "NoModel":
        """Why there is no model to use, and the model whose price is used to estimate costs: the main model, if it has
        a price."""
        from healing.llm.prices import UnknownModel, price_of
        from healing.pipeline.agent_work.keyless import missing_key, none_allowed
        from healing.repair.agents.estimate import DEFAULT_MODEL

        try:
            model = price_of(self._settings.model).model
        except UnknownModel:
            model = DEFAULT_MODEL
        return missing_key(self.missing_key, model) if self.missing_key else none_allowed(self.names(), model)

    def fallback_chain(self) -> "FallbackChain | None":
        """Returns the tiers in order; None if the main model has no key, or the repository allows no model. Further
        models without a key are left out; `heal doctor` lists the tiers. Raises UserError for a model without a price
        and for an invalid price table."""
        from healing.llm.fallback import CHEAP, OUTAGE, STUCK, FallbackChain, ModelTier
        from healing.llm.prices import UnknownModel, WrongPrices

        if self.missing_key:
            return None
        main = self._settings.model
        wanted = [(self._settings.first_model, frozenset[str]()), (main, CHEAP)]
        wanted += [(name, OUTAGE) for name in self.fallbacks()]
        wanted += [(self._settings.stronger_model, STUCK | OUTAGE)]
        try:
            second_model = self._known(self._settings.second_model)
            candidates = ((name, self._known(name), takes) for name, takes in wanted)
            tiers = tuple(
                ModelTier(model, takes=takes, second_model=second_model if name == main else None)
                for name, model, takes in candidates
                if model is not None
            )
            return FallbackChain(tiers) if tiers else None
        except (UnknownModel, WrongPrices) as error:
            raise UserError(str(error)) from error

    @property
    def main(self) -> str:
        """The full name of the main model; if the repository doesn't allow it, of the first allowed one."""
        allowed = self._rules.models if self._rules else ()
        main = self._settings.model
        return main if not allowed or main in allowed else next((n for n in self.names() if n in allowed), main)

    @property
    def second_model(self) -> str:
        """The full name of the second model for hard errors; empty if none is configured, allowed, or has a key."""
        model = self._known(self._settings.second_model)
        return model.name if model else ""

    def names(self) -> tuple[str, ...]:
        """Returns the full names of the operator's models that have a key, whether or not the repository allows
        them."""
        own = self._settings
        named = (own.first_model, own.model, *self.fallbacks(), own.stronger_model, own.second_model)
        return tuple(dict.fromkeys(name for name in named if self._has_key(name)))

    def fallbacks(self) -> tuple[str, ...]:
        """Returns the names of the fallback models, in the operator's order."""
        return tuple(name.strip() for name in self._settings.fallback_models.split(",") if name.strip())

    @asynccontextmanager
    async def model_set(
        self,
        store: "RepoStore",
        run_id: str,
        number: int | None,
        overnight: bool = False,
        why_not: "WhyNot | None" = None,
    ) -> "AsyncIterator[ModelSet | None]":
        """Yields the models of one run with its budget, which is reserved while it runs; None without a key.
        `overnight`: the run may wait for batches. `why_not` is called before every model call; by default it is the
        operator's stop."""
        fallback_chain = self.fallback_chain()
        if fallback_chain is None:
            yield None
            return
        from healing.llm.batches import PollPolicy
        from healing.llm.budget import Budget
        from healing.pipeline.agent_work.model_set import ModelSet

        usage_records = store.usage_records(run_id, number)
        known = frozenset(await usage_records.booked())
        limit = await store.hold_room(run_id, number, self.caps(trial=await store.observing()))
        try:
            budget = Budget.within(limit, usage_records, why_not or store.stopped, known)
            docs, poll_policy = documentation(self._settings), PollPolicy() if overnight else None
            yield ModelSet(fallback_chain, budget, docs, self._settings.simple_call_seconds, poll_policy)
        finally:
            await store.release_room(run_id)

    def lent_model_set(
        self, dollars: float | None, usage_records: "UsageRecords", why_not: "WhyNot"
    ) -> "ModelSet | None":
        """Returns the models for a part of another worker's run, with the `dollars` that it lends; None without a
        key."""
        fallback_chain = self.fallback_chain()
        if fallback_chain is None:
            return None
        from healing.llm.budget import Budget
        from healing.pipeline.agent_work.model_set import ModelSet

        budget = Budget(dollars, usage_records=usage_records, why_not=why_not, borrowed=True)
        return ModelSet(fallback_chain, budget, documentation(self._settings), self._settings.simple_call_seconds)

    def caps(self, trial: bool = False) -> "Caps":
        """Returns the operator's limits in US dollars, and the repository's own; `trial`: for a repository that Heal
        only observes."""
        from bot.store.spending import Caps

        settings, day = self._settings, TRIAL_DOLLARS if trial else None
        run, pull, month = settings.budget_dollars, settings.pull_dollars, settings.month_dollars
        return Caps(run=run, pull=pull, month=month, day=day, own=self._rules.dollars if self._rules else None)

    def _known(self, name: str) -> "AnthropicModel | ChatModel | None":
        """Returns the model of that name; None if the name is empty, there is no key, or the repository doesn't allow
        it."""
        from healing.llm.providers import Named

        allowed = self._rules.models if self._rules else ()
        if (allowed and name not in allowed) or not self._has_key(name):
            return None
        return self._model(Named.of(name))

    def _has_key(self, name: str) -> bool:
        """Whether the name is not empty, and its provider has a key or needs none."""
        from healing.llm.providers import Named

        named = Named.of(name)
        return bool(name) and (bool(self._key(named)) or named.provider.keyless)

    def _key(self, named: "Named") -> str:
        if named.provider.name == "anthropic":
            return self._settings.anthropic_api_key.get_secret_value()
        return self._environ.get(named.provider.key, "")

    def _model(self, named: "Named") -> "AnthropicModel | ChatModel":
        from healing.llm.anthropic import AnthropicModel
        from healing.llm.chat import ChatModel

        if named.full not in self._open:
            if named.provider.protocol == "messages":
                url = self._settings.anthropic_base_url or None
                self._open[named.full] = AnthropicModel(named.full, self._key(named), url)
            else:
                own = self._environ.get(f"{named.provider.name.upper()}_BASE_URL") or None
                self._open[named.full] = ChatModel(named.full, self._key(named), own)
        return self._open[named.full]

    async def close(self) -> None:
        """Closes the connections to models."""
        for model in self._open.values():
            await model.close()
        self._open.clear()
