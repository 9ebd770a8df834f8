"""Playing a seat: its player, the events it hears, the signals that leave, and the exit code."""

import os
import random
import secrets
import signal
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import trio

from seqp2p.api.game import LiveGame, safety_words_with
from seqp2p.bots.exec_player import BotFailed, ExecPlayer, Notice, Time
from seqp2p.bots.learned import Outlook, ranking
from seqp2p.bots.player import BotPlayer, Program, SeatPlayer
from seqp2p.bots.registry import BOTS, RandomBot
from seqp2p.bots.value import shipped, why_no_weights
from seqp2p.bots.wire import hello
from seqp2p.cli import json_events
from seqp2p.cli.errors import can_resume, forget_command, remember_seat, resume_command
from seqp2p.cli.options import REPLAYS_HINT, Choices
from seqp2p.cli.output import Output
from seqp2p.cli.replays import folder_options
from seqp2p.cli.reporter import Reporter
from seqp2p.errors import ABANDONED, DONE, UserError, errors_in
from seqp2p.hangup import HANGUP, TerminalGone
from seqp2p.i18n import of_system
from seqp2p.live.absence import Absent, Back
from seqp2p.live.asking import PATIENCE_S
from seqp2p.live.recorder import TableEvent
from seqp2p.live.voting import AskAbout
from seqp2p.match.events import Result
from seqp2p.match.game import GameState
from seqp2p.match.names import is_bot_name
from seqp2p.match.seat import SeatKeys
from seqp2p.replay.sidecar import OlderCopy, SeatStopped, sidecar_path
from seqp2p.rules import Action, View
from seqp2p.ui.language import option, t, translate
from seqp2p.ui.person.console import Console
from seqp2p.ui.person.person import Person
from seqp2p.ui.person.seat_info import SeatInfo
from seqp2p.ui.plain import Ways
from seqp2p.ui.words import Sight


def hint(console: Console, colours: Sequence[str], seen: View) -> tuple[str, Action | None]:
    """Return a hint for the seat to move with its action, or the reason why there is none."""
    from seqp2p.ui.explain import advice  # 1 MB of the screen, which a peer without one never needs

    if reason := why_no_weights():
        return translate(reason), None
    ranked, outlook = ranking(seen), Outlook(seen, shipped(seen.variant, seen.teams))
    return advice(seen, ranked, outlook.gains, colours, console.action, console.card), ranked[0]


def make_player(choices: Choices, reporter: Reporter, seat: SeatKeys, ways: Callable[[], Ways] = dict) -> SeatPlayer:
    if choices.program is not None:
        return exec_player(choices.program, reporter.match.game, seat.number, choices.pace_s, reporter.output)
    if choices.bot is None:
        words = partial(safety_words_with, reporter.match, seat.number)
        sight = SeatInfo(reporter.match, seat, reporter.story, words, ways)
        auto_pass = reporter.output.preferences.auto_pass
        console, company = own_console(reporter.output), sight.company
        against_bots = all(is_bot_name(company.names[other - 1]) for other in company.seats if other != company.own)
        hints = partial(hint, console, company.colours) if choices.coached and against_bots else None
        person = Person(console, sight, PATIENCE_S, auto_pass=auto_pass, hints=hints, alone=against_bots)
        reporter.show(
            Sight(
                lambda: sight.view,
                lambda: person.asked,
                lambda: person.pending,
                lambda: person.proposed,
                coached=person.coached,
            )
        )
        return person
    # A bot's choices need no secrecy, but no player should be able to foresee them.
    return BotPlayer(BOTS[choices.bot](random.Random(secrets.randbits(128))), choices.pace_s)  # noqa: S311  # seeded with secrets


def resume_options(replay: Path, choices: Choices) -> list[str]:
    """Return the options with which ``resume`` finds this replay's game and has the seat played as it was."""
    bot = [] if choices.bot is None else ["--bot", choices.bot]
    return [*folder_options(replay), *bot, *(choices.program.options if choices.program else ()), *option()]


def own_console(output: Output) -> Console:
    say = output.say
    more: dict[str, Any] = {"hears": bool(os.environ.get("ACCESSIBLE"))}
    if (screen := output.screen) is not None:
        say = partial(output.say, kind="answer")
        more = {"shows_table": True, "card": screen.card, "action": screen.action, "repaint": screen.refresh_soon}
    return Console(output.read_line, say, output.ring, output.asks, title=output.title, ask=output.ask, **more)


async def play(
    game: LiveGame, choices: Choices, output: Output, signals: AsyncIterator[int], muted: Collection[bytes] = ()
) -> Result:
    """Play one seat to the end of its game; return the result. A signal makes it stop for now.

    The player has muted these keys in the lobby.

    The caller receives ``signals`` before and after, so that none is lost at the beginning, and an impatient second
    Ctrl-C does not cut off the result.
    """
    match, own, resumption = game.match, game.own.number, game.resumption
    reporter = Reporter(output, match, own if choices.person else 0, game.ways)
    reporter.story.muted |= set(muted)
    if resumption is None:
        reporter.seats()
    else:
        reporter.resumed(own, match.number, resumption.events)
    remember_seat(game.replay, match.game.id, resume_options(game.replay, choices))
    player = make_player(choices, reporter, game.own, game.ways)
    if isinstance(player, Person) and game.dealt:
        player.welcome()  # In a resumed game the cards are dealt.
    try:
        result = await _run(game, player, reporter, signals)
    except* SeatStopped as group:
        stopped = next(errors_in(group))
        assert isinstance(stopped, SeatStopped), "the group has no others"
        if isinstance(stopped, OlderCopy):
            forget_command()  # With these files it would end in the same way.
        raise
    finally:
        if not can_resume():
            with suppress(OSError):
                sidecar_path(game.replay).unlink()  # Nobody could use the secrets in it.
    resumable = game.resumable and can_resume()
    reporter.over(result, own, game.replay, resumable=resumable)
    if resumable and (command := resume_command()):
        output.say_last(t("come back with: {command}", command=command))
    return result


def exit_code_of(result: Result) -> int:
    return DONE if result.kind in {"won", "drawn"} else ABANDONED


async def _run(game: LiveGame, player: SeatPlayer, reporter: Reporter, signals: AsyncIterator[int]) -> Result:
    """Play the game to its end; stop for now when this process is asked to end.

    Raises UserError, and TerminalGone where nobody can read of the end.
    """
    result: Result | None = None
    failure: OSError | None = None
    is_gone = False

    async def stop_on_signal() -> None:
        nonlocal is_gone
        async for number in signals:
            is_gone |= number == HANGUP
            if number != signal.SIGINT or not isinstance(player, Person) or not player.interrupted():
                nursery.start_soon(game.stop)  # The next signal is taken as well, and changes nothing.

    async with trio.open_nursery() as nursery:
        nursery.start_soon(stop_on_signal)
        if isinstance(player, Person):
            nursery.start_soon(player.listen, game.say, game.leave, game.stop, game.go_on)
            reporter.follow(partial(_hear, player))
        if isinstance(player, ExecPlayer):
            await nursery.start(player.run)
            reporter.follow(partial(overhear, player))
        try:
            result = await game.play(
                player,
                reporter.on_event,
                asks=isinstance(player, Person),
                warn=reporter.output.say,
            )
        except OSError as error:
            failure = error
        if isinstance(player, ExecPlayer) and result is not None:
            await player.finish(result)
        nursery.cancel_scope.cancel()
    if is_gone:
        raise TerminalGone
    if result is None:
        raise cannot_write(game.replay, failure)
    return result


def _hear(person: Person, event: TableEvent) -> None:
    """Pass an event to a person, with a question about seats that are away."""
    match event:
        case AskAbout(seats):
            person.ask_absent(seats)
        case Back(seat):
            person.back(seat)
        case Absent(seat, grace_s, later):
            person.away(seat, later=later, gathers=grace_s is None)
        case _:
            person.hear(event)


def cannot_write(path: Path, error: OSError | None) -> UserError:
    reason = "" if error is None else of_system(error)
    return UserError(t("cannot write the replay {path}: {reason}", path=path, reason=reason), REPLAYS_HINT)


def exec_player(program: Program, game: GameState, seat: int, pace_s: float, output: Output) -> ExecPlayer:
    settings = game.agreement.settings
    table = hello(
        seat,
        game.variant,
        settings.teams,
        settings.options,
        [each.name for each in game.agreement.seats],
        game=game.id,
        turn_time_s=settings.turn_time_s,
    )
    time = Time(program.time_s, settings.turn_time_s, PATIENCE_S)
    lot = RandomBot(random.Random(secrets.randbits(128)))  # noqa: S311  # seeded with secrets
    return ExecPlayer(program, table, game.variant, time, lot, partial(_tell, output), pace_s)


def _tell(output: Output, notice: Notice) -> None:
    if not isinstance(notice, BotFailed):
        return
    output.event(json_events.BotFailedEvent(notice.reason, notice.gone))
    reason = translate(notice.reason)
    text = t("the bot has failed: {reason}; this move is chosen at random", reason=reason)
    if notice.gone:
        text = t(
            "the bot has failed: {reason}; its moves are chosen at random until the end of the game", reason=reason
        )
    output.say(text, "alarm")


def overhear(player: ExecPlayer, event: TableEvent) -> None:
    match event:
        case Absent(seat, grace_s, later):
            player.emit({"event": "absent", "seat": seat, "grace_s": grace_s, "later": later})
        case Back(seat):
            player.emit({"event": "back", "seat": seat})
        case AskAbout():
            pass  # A program is not asked whom to drop.
        case _:
            player.hear(event)
