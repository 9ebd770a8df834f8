"""Waiting in a lobby, and the question after a game: the test says how lobby and game go."""

import signal
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio
from msgspec import structs
from trio.testing import wait_all_tasks_blocked

from seqp2p.api.game import AnyTable, Lobby
from seqp2p.api.table import former_of
from seqp2p.cli import lobby as lobby_module
from seqp2p.cli import series as module
from seqp2p.cli.lobby import LobbyTeller, until_agreed
from seqp2p.cli.options import SeatOptions
from seqp2p.cli.output import Output
from seqp2p.cli.series import ANSWER_S, TOLD_S, RematchQuestion, play_games
from seqp2p.errors import ABANDONED, DONE, NOT_CONNECTED, UserError
from seqp2p.live.game import LiveGame
from seqp2p.lobby.events import (
    CodeShown,
    Former,
    Guest,
    LobbyEvent,
    LobbyRequest,
    LobbyShown,
    SpectatorCame,
    TurnedAway,
)
from seqp2p.lobby.table import AgreedTable
from seqp2p.match.events import Result
from seqp2p.net.errors import LinkLost
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import AcceptGame
from seqp2p.ui.person.console import Console
from tests.cli import documented
from tests.cli.conftest import options_of, teller_of, unanswered
from tests.cli.test_play import NoSignals
from tests.net.tools import agreement, credentials, identity
from tests.table import make_settings

pytestmark = pytest.mark.usefixtures("autojump_clock")


@dataclass(frozen=True)
class End:
    """A game at its end: the parts of a LiveGame that are used."""

    exit_code: int
    dealt: bool = True
    left: bool = False
    stopped: bool = False
    resumption: object = None
    names: tuple[str, ...] = ("player 1", "player 2", "player 3")
    out: frozenset[int] = frozenset()
    seat: int = 2

    @property
    def own(self) -> Any:
        return SimpleNamespace(number=self.seat)

    @property
    def table(self) -> AgreedTable:
        table = AgreedTable(credentials(self.seat), agreement(3), self.seat, {}, [])
        named = zip(table.agreement.seats, self.names, strict=True)
        seats = tuple(structs.replace(seat, name=name) for seat, name in named)
        return replace(table, agreement=structs.replace(table.agreement, seats=seats))


FINISHED = End(DONE)
FORFEIT = End(ABANDONED, out=frozenset({3}))
LEFT = End(ABANDONED, left=True, out=frozenset({2}))
NOT_BEGUN = End(ABANDONED, dealt=False)
HOST_GONE = End(DONE, out=frozenset({1}))


class Evening(AnyTable):
    """A table whose games end as the test says. Its lobbies are full at once; the second may fail or wait."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *ends: End, typed: tuple[str | None, ...] = ()) -> None:
        self.ends = list(ends)
        self.typed = list(typed)
        self.last: LiveGame | None = None
        self.opened = self.closed = 0
        self.failure: Exception | None = None
        self.waits = False
        monkeypatch.setattr(module, "play", self.play)
        monkeypatch.setattr(Output, "read_line", lambda _: self.read_line())
        monkeypatch.setattr(Output, "asks", True)
        monkeypatch.setattr(module, "check_known", self.check_known)
        monkeypatch.setattr(lobby_module, "own_console", self.console)

    async def evening(self, options: SeatOptions) -> int:
        teller = teller_of(options)
        return await play_games(self, options, teller, teller.on_event, lambda lobby: lobby.wait())

    @asynccontextmanager
    async def open_lobby(self, tell: Callable[[LobbyEvent], None], *, asked: bool = False) -> AsyncGenerator[Lobby]:
        self.opened += 1
        self.accepted = trio.Event()
        if not asked:
            self.accepted.set()
        yield cast("Lobby", SimpleNamespace(wait=self.wait, ask=self.ask))
        self.closed += 1

    def ask(self, request: LobbyRequest) -> None:
        assert request == AcceptGame()
        self.accepted.set()

    async def wait(self) -> LiveGame:
        await self.accepted.wait()
        if self.waits and self.opened == 2:
            signal.raise_signal(signal.SIGTERM)
            await trio.sleep_forever()
        if self.failure is not None and self.opened == 2:
            raise self.failure
        self.last = cast("LiveGame", self.ends[0])
        return self.last

    async def play(self, *_: Any) -> Result:
        await trio.lowlevel.checkpoint()
        return Result("won", (2,)) if self.ends.pop(0).exit_code == DONE else Result("unfinished")

    async def read_line(self) -> str | None:
        if not self.typed:
            await trio.sleep_forever()
        await trio.sleep(1)
        return self.typed.pop(0)

    async def check_known(self, *_: Any, **__: Any) -> None:
        await trio.lowlevel.checkpoint()

    def console(self, output: Output) -> Console:
        return Console(trio.sleep_forever, output.say, output.ring, terminal=True)


async def test_so_many_games_as_were_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    evening = Evening(monkeypatch, NOT_BEGUN, FINISHED, NOT_BEGUN, FORFEIT)
    assert await evening.evening(options_of(games=2)) == ABANDONED
    # Games that did not begin do not count.
    assert evening.ends == []
    assert evening.closed == 4
    events = documented.stream(capsys.readouterr().out)
    assert events == [{"event": "rematch", "game": number} for number in (2, 3, 4)]


@pytest.mark.parametrize(
    ("options", "end"), [(options_of(), FINISHED), (options_of(None, child=True), NOT_BEGUN), (options_of(None), LEFT)]
)
async def test_no_other_game(monkeypatch: pytest.MonkeyPatch, options: SeatOptions, end: End) -> None:
    evening = Evening(monkeypatch, end)
    assert await evening.evening(options) == end.exit_code
    assert evening.opened == 1


@pytest.mark.parametrize("typed", [("no",), ("what?", "N"), ("leave",), (None,), (), ("say gg",)])
async def test_a_person_who_does_not_want_to(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], typed: tuple[str | None, ...]
) -> None:
    evening = Evening(monkeypatch, FINISHED, typed=typed)
    begun = trio.current_time()
    assert await evening.evening(options_of(None)) == DONE
    assert trio.current_time() - begun <= ANSWER_S + TOLD_S
    told = capsys.readouterr().err.splitlines()
    assert "another game at this table? (60 s)  yes (Enter) · no" in told
    # A clock that ran down is told once more before its end.
    assert ("another game at this table? (10 s)" in told) == (typed in ((), ("say gg",)))
    assert ("the game is over: this was not sent" in told) == (typed == ("say gg",))


async def test_a_no_before_the_host_s_next_lobby_reaches_it() -> None:
    question = RematchQuestion(cast("LiveGame", End(DONE)), Output(json=False), lambda _: None)
    host, own = (Guest(f"player {seat}", identity(seat).public, asked=True) for seat in (1, 2))
    begun = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(question.until_told)
        await trio.sleep(1)
        question.on_event(LobbyShown(make_settings(3), (host, own, None), 2))
    assert trio.current_time() - begun == pytest.approx(1)
    # A host that is gone is not waited for.
    await RematchQuestion(cast("LiveGame", End(DONE)), Output(json=False), lambda _: None).until_told()
    assert trio.current_time() - begun == pytest.approx(1 + TOLD_S)


async def test_yes_and_enter_are_a_yes_and_wins_are_counted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    evening = Evening(monkeypatch, FINISHED, FORFEIT, FINISHED, FINISHED, typed=(" Yes ", "", " ", "no"))
    assert await evening.evening(options_of(None)) == DONE
    assert evening.opened == 5  # with the lobby in which the person declined
    told = [line for line in capsys.readouterr().err.splitlines() if line.startswith("score")]
    assert told == [f"score at this table: player 1 0, you {wins}, player 3 0" for wins in (1, 2, 3)]


async def test_the_question_tells_who_accepts_and_ends_with_the_last_other(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Output, "read_line", unanswered)
    passed_on = list[LobbyEvent]()
    question = RematchQuestion(cast("LiveGame", End(DONE, seat=1)), Output(json=False), passed_on.append)
    host, ben, cem = (Guest(f"player {seat}", identity(seat).public, asked=True) for seat in (1, 2, 3))
    bot = Guest("bot 3", identity(3).public)

    def shown(*guests: Guest | None) -> None:
        question.on_event(LobbyShown(make_settings(3), (host, *guests), 1))

    begun = trio.current_time()
    async with trio.open_nursery() as nursery:

        async def answer() -> None:
            assert not await question.ask()

        nursery.start_soon(answer)
        await trio.sleep(1)
        question.on_event(CodeShown("7-amber-falcon"))
        shown(ben, cem)
        shown(replace(ben, asked=False), bot)
        shown(ben, cem)
        shown(None, cem)
        await wait_all_tasks_blocked()
        assert question.why_over == ""
        shown(None, None)
    assert trio.current_time() - begun < ANSWER_S
    assert question.why_over == "nobody else plays on"
    told = capsys.readouterr().out.splitlines()
    assert told[1:] == ["player 2 wants another game", "player 2 plays no other game", "player 3 plays no other game"]
    # The lobby is shown once the question is accepted.
    assert passed_on == []
    free_seats = list[bool]()
    question.show_lobby(lambda: free_seats.append(True))
    assert [type(event) for event in passed_on] == [CodeShown, LobbyShown]
    assert free_seats, "a screen shows the lobby: others can come"


async def test_a_wait_for_others_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    question = RematchQuestion(cast("LiveGame", End(DONE, seat=1)), Output(json=False), lambda _: None)
    question.accepted = True
    ben = Guest("player 2", identity(2).public, asked=True)
    host = Guest("host", identity(1).public)

    async def shown(after_s: float, guest: Guest) -> None:
        question.on_event(LobbyShown(make_settings(3), (host, guest, None), 1))
        with trio.move_on_after(after_s):
            await question.count_waits()

    await shown(20.5, ben)
    await shown(20.5, replace(ben, asked=False))
    told = capsys.readouterr().out.splitlines()
    assert told == ["waiting for player 2 (60 s)", "player 2 wants another game", "kept for player 3 (10 s)"]


async def test_nobody_to_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    evening = Evening(monkeypatch, FINISHED, typed=("yes",))
    monkeypatch.setattr(Output, "asks", False)
    assert await evening.evening(options_of(None)) == DONE
    # No person is asked to play on with a host that has left.
    evening = Evening(monkeypatch, HOST_GONE, typed=("yes",))
    assert await evening.evening(options_of(None)) == DONE
    assert evening.typed == ["yes"]


async def test_a_signal_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    evening = Evening(monkeypatch, FINISHED)
    async with trio.open_nursery() as nursery:

        async def stop() -> None:
            await wait_all_tasks_blocked()
            signal.raise_signal(signal.SIGTERM)

        nursery.start_soon(stop)
        assert await evening.evening(options_of(None)) == DONE


@pytest.mark.parametrize(
    ("end", "exit_code", "opened"),
    [(FINISHED, NOT_CONNECTED, 2), (NOT_BEGUN, ABANDONED, 2), (HOST_GONE, NOT_CONNECTED, 1)],
)
async def test_a_host_that_is_gone(monkeypatch: pytest.MonkeyPatch, end: End, exit_code: int, opened: int) -> None:
    """It is not looked for if it has left."""
    evening = Evening(monkeypatch, end)
    evening.failure = LinkLost("The host is gone.")
    with pytest.raises(UserError) as raised:
        await evening.evening(options_of(games=2))
    assert str(raised.value) == "there is no other game at this table: the host is gone"
    assert (raised.value.exit_code, bool(raised.value.hint), evening.opened) == (exit_code, True, opened)


@pytest.mark.parametrize(("bot", "said"), [(None, "you left the table"), ("random", "this seat left the table")])
async def test_leaving_the_lobby_of_another_game(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], bot: str | None, said: str
) -> None:
    evening = Evening(monkeypatch, NOT_BEGUN)
    evening.waits = True
    assert await evening.evening(options_of(bot)) == ABANDONED
    told = capsys.readouterr()
    (over,) = documented.stream(told.out)
    assert (over["event"], over["result"], over["reason"]) == ("over", "unfinished", "left the table")
    assert told.err.splitlines()[-1] == said


def test_what_a_host_remembers() -> None:
    before = End(ABANDONED, out=frozenset({3}), seat=1)
    assert former_of(cast("LiveGame", before)) == Former(before.table.game, {identity(2).public: 2}, 30.0)
    assert former_of(cast("LiveGame", End(ABANDONED, dealt=False, seat=1))).keeps_s == 0
    # The bots of a process that was killed have ended with its game.
    for resumption, seats in ((None, {2, 3}), (object(), {3})):
        end = End(DONE, seat=1, resumption=resumption, names=("ann", "bot 2", "cem"))
        assert set(former_of(cast("LiveGame", end)).seats.values()) == seats


Wait = Callable[[Callable[[], None]], Awaitable[str]]


async def test_a_person_who_types(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    begun = trio.current_time()
    send, receive = trio.open_memory_channel[str | None](10)
    terminal = True
    console = lambda output: Console(receive.receive, output.say, lambda _: None, terminal=terminal)  # noqa: E731
    monkeypatch.setattr(lobby_module, "own_console", console)
    options = options_of(None)

    async def wait(wait: Wait, told: LobbyTeller) -> str | None:
        return await until_agreed(wait, NoSignals(), told.leave_when_typed, lambda: None)

    for line in ("QH e5", "leave"):
        send.send_nowait(line)
    assert await wait(unanswered, teller_of(options)) is None
    assert "the game has not started" in capsys.readouterr().err
    # An input that has ended hides no answer to whether a host is there, and is named as the reason.
    terminal = False
    send.send_nowait(None)

    async def not_there(_: object) -> str:
        await wait_all_tasks_blocked()
        raise LinkLost("Nobody is there.")

    with pytest.raises(LinkLost):
        await wait(not_there, teller_of(options))
    seated = teller_of(options)
    seated.on_event(LobbyShown(make_settings(2), (None, None), 2))
    capsys.readouterr()
    send.send_nowait(None)
    assert await wait(unanswered, seated) is None
    assert capsys.readouterr().err == "your input has ended\n"
    # Nor does it wait for that answer for ever.
    send.send_nowait(None)
    assert await wait(unanswered, teller_of(options)) is None
    assert trio.current_time() - begun == pytest.approx(DEFAULT_LIMITS.lobby_answer_s)

    # Once the table is agreed, what is typed is for the game.
    async def full_at_once(stop_typing: Callable[[], None]) -> str:
        await trio.lowlevel.checkpoint()
        stop_typing()
        send.send_nowait("leave")
        await wait_all_tasks_blocked()
        return "agreed"

    assert await wait(full_at_once, teller_of(options)) == "agreed"
    assert receive.receive_nowait() == "leave"


async def test_lines_that_others_cause_are_bounded(capsys: pytest.CaptureFixture[str]) -> None:
    """A player who knows the code comes and goes as often as a connection is made."""
    teller = teller_of(options_of(None))
    host, foe = Guest("host", bytes(32)), Guest("foe", bytes(32))
    free, full = LobbyShown(make_settings(2), (host, None), 1), LobbyShown(make_settings(2), (host, foe), 1)

    def come_and_go(times: int) -> list[str]:
        for _ in range(times):
            teller.on_event(full)
            teller.on_event(TurnedAway("foe has left the table"))
            teller.on_event(free)
            teller.on_event(SpectatorCame("foe", foe.key, 1))
        return capsys.readouterr().err.splitlines()

    told = come_and_go(100)
    assert len(told) == DEFAULT_LIMITS.lines_max + 1
    assert told[-1] == "players come and go too often to report each time; seats lists who is here"
    assert come_and_go(100) == []
    await trio.sleep(DEFAULT_LIMITS.lines_s)
    assert len(come_and_go(100)) == DEFAULT_LIMITS.lines_max + 1
