"""The queue's laws, over any history of requests: pure, with chance as git."""

from collections.abc import Callable
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from healing.verify.queue import rules
from healing.verify.queue.records import changed, session_of
from healing.verify.queue.refusal import QueueRefusal
from healing.verify.queue.session import Agent, Handback, QueueLimits, Session

LIMITS = QueueLimits(agents=4, retries=2)
NAMES = st.sampled_from("abcdef")
STEPS = st.lists(
    st.tuples(st.sampled_from(["register", "hand_in", "withdraw", "merge", "conflict", "break", "wait"]), NAMES),
    max_size=60,
)


@dataclass
class Play:
    """One history. `ends` counts the end of every ticket, `stored` is what a ledger would have."""

    session: Session = field(
        default_factory=lambda: Session(
            id="s", feature="heal/s", base_branch="main", base="0", tip="0", created_at=0, seen_at=0
        )
    )
    now: float = 0.0
    ticket: int = 0
    tips: int = 0
    ends: dict[int, int] = field(default_factory=dict)
    served: list[int] = field(default_factory=list)
    stored: dict[str, str] = field(default_factory=dict)

    def step(self, what: str, name: str) -> None:
        self.now += 1
        agent = self.session.agents.get(name)
        head = next(iter(self.session.waiting), None)
        if what == "register":
            new = Agent(id=name, branch=name, worktree="", base=self.session.tip, seen_at=self.now)
            self.take(lambda s: rules.register(s, new, len(s.at_work), LIMITS))
        elif what == "hand_in" and agent:
            self.tips += 1
            tip, now = f"t{self.tips}", self.now
            self.take(lambda s: rules.enqueue(s, agent, tip, "", self.ticket + 1, now))
            self.ticket = max(self.ticket, self.session.agents[name].ticket or 0)
        elif what == "withdraw" and agent:
            self.take(lambda s: rules.withdraw(s, agent, self.now))
        elif what == "wait":
            self.now += LIMITS.stale_after / 3
            self.take(lambda s: rules.expire(s, self.now, LIMITS))
        elif head and head.tip and head.ticket:
            self.serve(what, head, head.tip, head.ticket)

    def serve(self, what: str, head: Agent, tip: str, ticket: int) -> None:
        """What the merger does with the head of the queue."""
        self.served.append(ticket)
        if what == "merge":
            self.take(lambda s: rules.merged(s, head, f"m{ticket}", self.now, ()))
        elif what == "conflict":
            back = Handback(base="0", ours=self.session.tip, theirs=tip, files=("x",))
            self.take(lambda s: rules.return_conflict(s, head, back, self.now, LIMITS))
        else:
            self.take(lambda s: rules.end(s, head, "broken", "git can't", self.now))

    def take(self, rule: Callable[[Session], Session]) -> None:
        before = self.session
        try:
            self.session = rule(before)
        except QueueRefusal:
            return
        self.stored |= changed(before, self.session)
        for name, agent in self.session.agents.items():
            old = before.agents.get(name)
            if agent.ended and agent.ticket and not (old and old.ended):
                self.ends[agent.ticket] = self.ends.get(agent.ticket, 0) + 1


def played(steps: list[tuple[str, str]]) -> Play:
    play = Play()
    play.stored = changed(None, play.session)
    for what, name in steps:
        play.step(what, name)
    return play


# MQ-1
@settings(deadline=None)
@given(steps=STEPS)
def test_merges_come_in_the_order_of_their_tickets_unless_one_was_away_to_solve_a_conflict(
    steps: list[tuple[str, str]],
) -> None:
    play = Play()
    for what, name in steps:
        waiting = [agent.ticket for agent in play.session.waiting]
        served = len(play.served)
        play.step(what, name)
        if len(play.served) > served:
            assert play.served[-1] == min(ticket for ticket in waiting if ticket)


# MQ-2
@settings(deadline=None)
@given(steps=STEPS)
def test_every_entry_ends_exactly_once_when_the_queue_is_left_to_itself(steps: list[tuple[str, str]]) -> None:
    play = played(steps)
    for _ in range(LIMITS.agents * (LIMITS.retries + 2) + len(steps)):
        play.step("merge", "a")
    for _ in range(4):
        play.step("wait", "a")
    tickets = {agent.ticket for agent in play.session.agents.values() if agent.ticket}
    revivable = {a.ticket for a in play.session.agents.values() if a.ended == "stale"}
    assert all(play.ends.get(ticket) == 1 for ticket in tickets - revivable)
    assert not play.session.waiting
    assert not play.session.at_work


# MQ-2
@settings(deadline=None)
@given(steps=STEPS, name=NAMES)
def test_nobody_starves_an_entry_is_served_after_a_bounded_number_of_others(
    steps: list[tuple[str, str]], name: str
) -> None:
    play = played(steps)
    agent = play.session.agents.get(name)
    if agent is None or not agent.waiting or agent.ticket is None:
        return
    before = [other for other in play.session.agents.values() if (other.ticket or 0) < agent.ticket]
    bound = len(before) * (LIMITS.retries + 1) + 1
    began = len(play.served)
    while agent.ticket not in play.served[began:]:
        play.step("conflict", name)  # the worst case: everybody before it conflicts, and comes again at once
        for other in before:
            play.step("hand_in", other.id)
        assert len(play.served) - began <= bound


# MQ-4
@settings(deadline=None)
@given(steps=STEPS)
def test_what_is_stored_step_by_step_is_the_whole_session(steps: list[tuple[str, str]]) -> None:
    play = played(steps)
    assert session_of(play.stored) == play.session


# MQ-1
@settings(deadline=None)
@given(steps=STEPS, name=NAMES)
def test_asking_twice_is_asking_once(steps: list[tuple[str, str]], name: str) -> None:
    play = played(steps)
    agent = play.session.agents.get(name)
    if agent is None or agent.tip is None:
        return
    if agent.waiting or agent.ended == "merged":
        assert rules.enqueue(play.session, agent, agent.tip, "", 10**6, play.now + 1) is play.session
    if agent.waiting:
        gone = rules.withdraw(play.session, agent, play.now)
        assert rules.withdraw(gone, gone.agents[name], play.now) is gone


# MQ-2
@settings(deadline=None)
@given(steps=STEPS)
def test_an_entry_is_handed_back_no_more_often_than_the_limit_allows(steps: list[tuple[str, str]]) -> None:
    for agent in played(steps).session.agents.values():
        assert agent.conflicts <= LIMITS.retries + 1
        assert agent.ended == "conflict" or agent.conflicts <= LIMITS.retries or agent.ended
