"""Waiting in a lobby, and what comes after a game: with the lobby and the game as the test says."""

import json
import signal
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from seqp2p.api.home import LockedIdentity
from seqp2p.cli import games as module
from seqp2p.cli import seating
from seqp2p.cli.games import ANSWER_S, LastGame, play_games
from seqp2p.cli.output import ABANDONED, DONE, NOT_CONNECTED, CommandError, Output
from seqp2p.cli.playing import Choices, Ended
from seqp2p.cli.seating import Door, Lobbying, SitDown
from seqp2p.lobby.events import Former
from seqp2p.lobby.table import AgreedTable
from seqp2p.net.errors import LinkLost
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.ui.person.console import Console
from tests.cli import documented
from tests.net.tools import agreement, credentials, identity

FINISHED = Ended(DONE, begun=True, left=False, out=frozenset())
FORFEIT = Ended(ABANDONED, begun=True, left=False, out=frozenset({3}))
LEFT = Ended(ABANDONED, begun=True, left=True, out=frozenset({2}))
NOT_BEGUN = Ended(ABANDONED, begun=False, left=False, out=frozenset())
HOST_GONE = Ended(DONE, begun=True, left=False, out=frozenset({1}))


def door_of(bot: str | None = "random", *, child: bool = False, json: bool = True, games: int = 1) -> Door:
    lobbying = Lobbying(Choices(bot, 0, Path()), "ann", Output(json), child, games)
    return Door(lobbying, cast("LockedIdentity", None), credentials(2), "ann", [])


def table_of(seat: int = 2) -> AgreedTable:
    return AgreedTable(credentials(seat), agreement(3), seat, {}, [])


class Evening:
    """Games that end as the test says, with lobbies that are full at once."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *ends: Ended, typed: tuple[str | None, ...] = ()) -> None:
        self.ends = list(ends)
        self.typed = list(typed)
        self.lobbies: list[LastGame | None] = []
        self.closed = 0
        self.answers_at: list[float] = []
        self.failure: Exception | None = None
        self.fails_at = 2
        monkeypatch.setattr(module, "play", self.play)
        monkeypatch.setattr(Output, "read_line", lambda _: self.read_line())
        monkeypatch.setattr(Output, "asks", True)
        monkeypatch.setattr(seating, "check_known", self.check_known)
        monkeypatch.setattr(seating, "own_desk", self.desk)

    @asynccontextmanager
    async def open_lobby(self, last: LastGame | None) -> AsyncGenerator[SitDown]:
        async def sit_down() -> AgreedTable:
            await trio.lowlevel.checkpoint()
            if self.failure is not None and len(self.lobbies) == self.fails_at:
                raise self.failure
            return table_of()

        self.lobbies.append(last)
        yield sit_down
        self.closed += 1

    async def play(self, *_: Any) -> Ended:
        await trio.lowlevel.checkpoint()
        return self.ends.pop(0)

    async def read_line(self) -> str | None:
        if not self.typed:
            await trio.sleep_forever()
        await trio.sleep(1)
        return self.typed.pop(0)

    async def check_known(self, *_: Any, **__: Any) -> None:
        await trio.lowlevel.checkpoint()

    def desk(self, output: Output) -> Console:
        return Console(trio.sleep_forever, output.say, output.ring, terminal=True)


async def test_so_many_games_as_were_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    evening = Evening(monkeypatch, NOT_BEGUN, FINISHED, NOT_BEGUN, FORFEIT)
    assert await play_games(door_of(games=2), evening.open_lobby) == ABANDONED
    # Games that did not begin do not count.
    assert evening.ends == []
    assert evening.closed == 4
    assert evening.lobbies[0] is None
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert events == [{"event": "rematch", "game": number} for number in (2, 3, 4)]


@pytest.mark.parametrize(
    ("door", "end"), [(door_of(), FINISHED), (door_of(None, child=True), NOT_BEGUN), (door_of(None), LEFT)]
)
async def test_no_other_game(monkeypatch: pytest.MonkeyPatch, door: Door, end: Ended) -> None:
    evening = Evening(monkeypatch, end)
    assert await play_games(door, evening.open_lobby) == end.exit_code
    assert len(evening.lobbies) == 1


@pytest.mark.parametrize("typed", [("no",), ("what?", "N"), ("leave",), (), ("perhaps",)])
async def test_a_person_who_does_not_want_to(
    monkeypatch: pytest.MonkeyPatch,
    autojump_clock: object,
    capsys: pytest.CaptureFixture[str],
    typed: tuple[str, ...],
) -> None:
    evening = Evening(monkeypatch, FINISHED, typed=typed)
    begun = trio.current_time()
    assert await play_games(door_of(None), evening.open_lobby) == DONE
    assert trio.current_time() - begun <= ANSWER_S
    assert "another game at this table? yes/no (60 s)" in capsys.readouterr().err


async def test_a_person_whose_input_ends(monkeypatch: pytest.MonkeyPatch, autojump_clock: object) -> None:
    evening = Evening(monkeypatch, FINISHED, typed=(None,))
    assert await play_games(door_of(None), evening.open_lobby) == DONE


async def test_a_person_who_wants_to(monkeypatch: pytest.MonkeyPatch, autojump_clock: object) -> None:
    evening = Evening(monkeypatch, FINISHED, FORFEIT, FINISHED, typed=(" Yes ", "y", "no"))
    assert await play_games(door_of(None), evening.open_lobby) == DONE
    assert len(evening.lobbies) == 3


async def test_nobody_to_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    evening = Evening(monkeypatch, FINISHED, typed=("yes",))
    monkeypatch.setattr(Output, "asks", False)
    assert await play_games(door_of(None), evening.open_lobby) == DONE
    # Nor is anybody asked to play on with a host that has left.
    evening = Evening(monkeypatch, HOST_GONE, typed=("yes",))
    assert await play_games(door_of(None), evening.open_lobby) == DONE
    assert evening.typed == ["yes"]


async def test_a_signal_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    evening = Evening(monkeypatch, FINISHED)
    async with trio.open_nursery() as nursery:

        async def stop() -> None:
            await wait_all_tasks_blocked()
            signal.raise_signal(signal.SIGTERM)

        nursery.start_soon(stop)
        assert await play_games(door_of(None), evening.open_lobby) == DONE


@pytest.mark.parametrize(("end", "exit_code"), [(FINISHED, NOT_CONNECTED), (NOT_BEGUN, ABANDONED)])
async def test_a_host_that_cannot_be_found_again(monkeypatch: pytest.MonkeyPatch, end: Ended, exit_code: int) -> None:
    evening = Evening(monkeypatch, end)
    evening.failure = LinkLost("The host is gone.")
    with pytest.raises(CommandError) as raised:
        await play_games(door_of(games=2), evening.open_lobby)
    assert str(raised.value) == "there is no other game at this table: the host is gone"
    assert (raised.value.exit_code, bool(raised.value.hint)) == (exit_code, True)


async def test_a_host_that_has_left_is_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    evening = Evening(monkeypatch, HOST_GONE)
    with pytest.raises(CommandError, match="the host is gone"):
        await play_games(door_of(games=2), evening.open_lobby)
    assert len(evening.lobbies) == 1


async def test_the_first_lobby_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    evening = Evening(monkeypatch)
    evening.failure, evening.fails_at = LinkLost("The host has closed the table."), 1
    with pytest.raises(LinkLost):
        await play_games(door_of(), evening.open_lobby)


@pytest.mark.parametrize(("bot", "said"), [(None, "you left the table"), ("random", "this seat left the table")])
async def test_leaving_the_lobby_of_another_game(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], bot: str | None, said: str
) -> None:
    evening = Evening(monkeypatch, NOT_BEGUN)

    @asynccontextmanager
    async def open_lobby(last: LastGame | None) -> AsyncGenerator[SitDown]:
        async def stop() -> AgreedTable:
            signal.raise_signal(signal.SIGTERM)
            await trio.sleep_forever()
            raise AssertionError

        async with evening.open_lobby(last) as sit_down:
            yield sit_down if last is None else stop

    assert await play_games(door_of(bot), open_lobby) == ABANDONED
    told = capsys.readouterr()
    (over,) = [json.loads(line) for line in told.out.splitlines()]
    assert over.keys() == documented.fields()["over"]
    assert (over["event"], over["result"], over["reason"]) == ("over", "unfinished", "left the table")
    assert told.err.splitlines()[-1] == said


def test_what_a_host_remembers() -> None:
    before = LastGame(table_of(1), FORFEIT)
    assert before.former == Former(before.table.game, {identity(2).public: 2}, 30.0)
    assert LastGame(table_of(1), NOT_BEGUN).former.keeps_s == 0


# The lobby.


async def signals_when(event: trio.Event) -> AsyncGenerator[int]:
    await event.wait()
    yield signal.SIGTERM
    yield signal.SIGTERM


async def full_at_once() -> AgreedTable:
    await trio.lowlevel.checkpoint()
    return table_of()


class Left:
    """Who was said goodbye to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, known: Callable[..., Awaitable[None]] | None = None) -> None:
        self.tables: list[AgreedTable] = []
        monkeypatch.setattr(seating, "leave_table", self.leave_table)
        monkeypatch.setattr(seating, "check_known", known or self.check_known)

    async def leave_table(self, table: AgreedTable, reason: str) -> None:
        await trio.lowlevel.checkpoint()
        assert reason == ""
        self.tables.append(table)

    async def check_known(self, *_: Any, **__: Any) -> None:
        await trio.lowlevel.checkpoint()


async def test_a_lobby_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    left = Left(monkeypatch)
    lost = LinkLost("The host has closed the table.")

    async def sit_down() -> AgreedTable:
        await trio.lowlevel.checkpoint()
        raise lost

    with pytest.raises(LinkLost) as raised:
        await door_of().wait(sit_down, signals_when(trio.Event()))
    assert raised.value is lost
    assert left.tables == []


async def test_a_signal_in_the_lobby(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    left, sitting, goodbyes = Left(monkeypatch), trio.Event(), list[str]()

    async def sit_down() -> AgreedTable:
        try:
            sitting.set()
            await trio.sleep_forever()
        finally:
            goodbyes.append("bye")
        raise AssertionError

    assert await door_of().wait(sit_down, signals_when(sitting)) is None
    assert (goodbyes, left.tables) == (["bye"], [])


async def test_a_signal_while_a_person_is_asked_who_that_is(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = trio.Event()

    async def check_known(*_: Any, **__: Any) -> None:
        asked.set()
        await trio.sleep_forever()

    left = Left(monkeypatch, known=check_known)
    assert await door_of().wait(full_at_once, signals_when(asked)) is None
    assert [table.game for table in left.tables] == [table_of().game]


async def test_a_person_who_types(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], autojump_clock: object
) -> None:
    begun = trio.current_time()
    Left(monkeypatch)
    send, receive = trio.open_memory_channel[str | None](10)
    desk = Console(receive.receive, Output(json=True).say, lambda: None, terminal=True)
    monkeypatch.setattr(seating, "own_desk", lambda _: desk)
    for line in ("QH e5", "leave"):
        send.send_nowait(line)

    async def never() -> AgreedTable:
        await trio.sleep_forever()
        raise AssertionError

    assert await door_of(None).wait(never, signals_when(trio.Event())) is None
    assert "the game has not started" in capsys.readouterr().err
    # An input that has ended hides no answer to whether a host is there, and is named as the reason.
    over = Console(receive.receive, Output(json=True).say, lambda: None, terminal=False)
    monkeypatch.setattr(seating, "own_desk", lambda _: over)
    send.send_nowait(None)

    async def nobody_there() -> AgreedTable:
        await wait_all_tasks_blocked()
        raise LinkLost("Nobody is there.")

    with pytest.raises(LinkLost):
        await door_of(None).wait(nobody_there, signals_when(trio.Event()))
    seated = door_of(None)
    seated.shown.set()
    send.send_nowait(None)
    assert await seated.wait(never, signals_when(trio.Event())) is None
    assert capsys.readouterr().err == "your input has ended\n"
    # Nor does it wait for that answer for ever.
    send.send_nowait(None)
    assert await door_of(None).wait(never, signals_when(trio.Event())) is None
    assert trio.current_time() - begun == pytest.approx(DEFAULT_LIMITS.lobby_answer_s)
    # Once the table is agreed, what is typed is for the game.
    table = await door_of(None).wait(full_at_once, signals_when(trio.Event()))
    assert table is not None
    send.send_nowait("leave")
    assert receive.receive_nowait() == "leave"
