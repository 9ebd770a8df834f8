"""A seat costs another no more than its pace, over all its links; what is accepted is free."""

from pathlib import Path

import pytest
import trio

from seqp2p.live.seat_session import price_s
from seqp2p.match.contribution import Contribution, TurnBody, make_payload
from seqp2p.match.errors import Violation
from seqp2p.match.intake import Applied, BadSender, Cheating, Deferred, Ignored, Outcome
from seqp2p.match.signed import SignedBallot, SignedHead
from seqp2p.net.errors import LinkLost
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import ContributionMessage, EvidenceMessage, Have, Signed, WireMessage
from tests.live.parties import Party, Raw, Thinker, WithoutThreads, checked
from tests.live.test_mesh import link, meshed
from tests.table import identity, signed

LIMITS = DEFAULT_LIMITS
FOE = 2
CHECK_S = 0.005
ATTACK_S = 60
# Three times as many as the pace allows.
MESSAGES = 2000
LINKS = 150


class Priced(WithoutThreads):
    """Each check takes 5 ms of processor time."""

    def __init__(self) -> None:
        self._asked = 0

    def processor_s(self) -> float:
        self._asked += 1  # before a check, and after it
        return self.spent

    @property
    def spent(self) -> float:
        return self._asked // 2 * CHECK_S


def allowed_s(time_s: float) -> float:
    return LIMITS.cost_burst_s + LIMITS.cost_rate * time_s


@pytest.mark.parametrize(("kind", "links"), [("early contributions", 1), ("evidence of nothing", 25)])
async def test_a_flood_costs_what_the_pace_allows(virtual_time: object, tmp_path: Path, kind: str, links: int) -> None:
    """Each message is a right one, and changes nothing. On new links it costs no more than on one."""
    party, runtime, thinker = Party(tmp_path, 3), Priced(), Thinker(1, sleep_s=ATTACK_S)
    party.sit(1, thinker, runtime=runtime)
    party.sit_others()
    async with party.playing() as nursery:
        await thinker.asleep.wait()
        match = party[1].match
        begun, spent = trio.current_time(), runtime.spent

        def made(number: int) -> WireMessage:
            if kind == "evidence of nothing":
                right = match.record[-1].contributions[-1][1]
                return EvidenceMessage((Signed(right.payload, right.signature),))
            body = TurnBody("pass", (), b"", b"")
            payload = make_payload(match.game.id, match.number + 100 + number, bytes(32), FOE, "turn", body)
            early = signed(identity(FOE), payload)
            return ContributionMessage(early.payload, early.signature)

        async def flood(first: int) -> None:
            try:
                raw = await party.raw(FOE, to=1)
                nursery.start_soon(raw.drain)
                await raw.say(*(made(first + number) for number in range(MESSAGES // links)))
            except (LinkLost, trio.BrokenResourceError):
                pass  # A newer link has taken its place.

        async with trio.open_nursery() as attack:
            for number in range(links):
                attack.start_soon(flood, number * MESSAGES)
        await trio.sleep_until(begun + ATTACK_S - 1)
        passed = trio.current_time() - begun
        assert 0.5 <= runtime.spent - spent <= allowed_s(passed) + 0.5
    checked(party)


async def test_new_links_have_a_price_and_so_has_all_that_is_sent_again(autojump_clock: object) -> None:
    async with meshed(2, 1) as world:
        for step in range(1, 21):
            world.seats[1].contribute(1, step, 20_000)
        sent, answered, begun = 0, set[int](), trio.current_time()
        for attempt in range(LINKS):
            raw: Raw = await link(world, 2, 1)
            await raw.say(Have(1, ()))
            with trio.move_on_after(ATTACK_S / LINKS):
                while True:
                    heard = await raw.hear()
                    answered.add(attempt)
                    sent += len(heard.payload) if isinstance(heard, ContributionMessage) else 0
            await raw.frames.abort()
        cost_s = len(answered) * LIMITS.link_cost_ms / 1e3 + sent * LIMITS.resend_cost_ns / 1e9
        assert cost_s <= allowed_s(trio.current_time() - begun) + 0.2
        assert sent >= 400_000


THING = Contribution(b"", b"")
CHARGED: list[Outcome] = [Deferred(), Ignored(""), BadSender(""), Applied(SignedHead(THING), FOE, 1)]
FREE: list[Outcome] = [
    Applied(THING, FOE, 1),
    Applied(SignedBallot(THING), 3, 1),
    Cheating(Violation(3, 1, "", ()), first=True),
]


@pytest.mark.parametrize("outcome", [*CHARGED, *FREE])
def test_who_pays_for_what(outcome: Outcome) -> None:
    """The sender pays, never the signer, and nothing for what was accepted; but its own votes it pays for."""
    assert price_s(outcome, FOE, CHECK_S) == (CHECK_S if outcome in CHARGED else -LIMITS.message_cost_us / 1e6)
