"""``seqp2p demo``: bots only, N real peer processes over loopback, and a replay verified at the end."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from seqp2p.bots.registry import USUAL
from seqp2p.cli.errors import polite_signals, run_async, stopped_by
from seqp2p.cli.json_events import GAME_EVENTS, DealtEvent, OverEvent
from seqp2p.cli.options import BotName, NumberRange, make_address, make_settings, usable_replay_dir
from seqp2p.cli.output import Output
from seqp2p.cli.replays import describe, verify_file
from seqp2p.errors import ABANDONED, DONE, USAGE, UserError
from seqp2p.i18n import message, message_of
from seqp2p.match.events import Result, plain_result
from seqp2p.rules import CLASSIC
from seqp2p.ui.language import t, translate

if TYPE_CHECKING:  # What --help and completion need not wait for.
    import trio

    from seqp2p.cli.running import Child, Hear, Read

# Joiners sit down in any order: a number as a name would look like the number of the seat.
NAMES: Final = ("ann", "ben", "cleo", "dora", "emil", "finn", "gina", "hugo", "ines", "karl", "lena", "mona")
# Events that every peer has in common: the demo passes on the first seat's.
SHARED = frozenset({"shuffle", "dealer", "turn", "exchange"})


@click.command("demo", help=message("Watch bots play a whole game: real peers, one process each, over loopback."))
@click.option("--players", type=click.IntRange(2, 12), default=4, help=message("How many players at a table."))
@click.option("--bot", type=BotName(), default=USUAL, help=message("The bot that plays every seat."))
@click.option("--pace", "pace_s", type=NumberRange(0, 60), default=0, help=message("Minimum seconds for a turn."))
@click.option("--relay", metavar=message("HOST:PORT"), help=message("The relay at which the peers meet the first one."))
@click.option(
    "--replay-dir", type=click.Path(file_okay=False), help=message("Where the replays go; default: your own folder.")
)
@click.option("--json", "as_json", is_flag=True, help=message("One JSON object per event on standard output."))
def command(players: int, bot: str, pace_s: float, relay: str | None, replay_dir: str | None, *, as_json: bool) -> None:
    try:
        make_settings(players)
    except UserError as error:
        sizes = ", ".join(str(size.players) for size in CLASSIC.sizes)
        raise UserError(message_of(error), t("choose one of --players {sizes}", sizes=sizes), USAGE) from None
    used = make_address(relay, relay=True)
    directory = usable_replay_dir(replay_dir)
    arguments = ["--bot", bot, "--pace", str(pace_s), "--replay-dir", str(directory), "--json", "--until-stdin-closes"]
    arguments += [] if used is None else ["--relay", str(used)]
    with tempfile.TemporaryDirectory(prefix="seqp2p-demo-") as homes:
        demo = Demo(players, arguments, Path(homes), Output(as_json), meets=used is not None)
        raise SystemExit(run_async(demo.run))


class Demo:
    """One process for each seat."""

    def __init__(self, players: int, arguments: list[str], homes: Path, output: Output, *, meets: bool = False) -> None:
        """``meets``: a relay is in the ``arguments``, at which the others meet the first one."""
        self._meets = meets
        self._players = players
        self._arguments = arguments
        self._homes = homes
        self._output = output
        self._children: list[Child] = []
        self._dealt: list[float] = []  # seconds, from the seats that have their hands
        self._over: dict[int, dict[str, Any]] = {}  # the last event, by seat
        self._stopped_by: int | None = None  # the signal

    async def run(self) -> int:
        """Play the game; return the exit code. Raises UserError when it is asked to end, or a peer fails."""
        import trio

        from seqp2p.cli import running

        async def end_on_signal() -> None:
            """Let every peer leave the table, and tell the path of its replay; kill those that do not end."""
            self._stopped_by = await anext(aiter(signals))
            for child in self._children:
                child.ask_to_end()
            await trio.sleep(running.END_S)
            nursery.cancel_scope.cancel()

        with trio.open_signal_receiver(*polite_signals()) as signals:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(end_on_signal)
                async with trio.open_nursery() as peers:
                    if (table := await peers.start(self._host)) is not None:
                        for number in range(2, self._players + 1):
                            peers.start_soon(self._join, number, table["address"], table["code"])
                nursery.cancel_scope.cancel()
        if self._stopped_by is not None:
            result = plain_result(Result("unfinished", (), "stopped"))
            self._output.event(OverEvent(**result, resumable=False, replays=self._replays(), verdict="unfinished"))
            raise stopped_by(self._stopped_by)
        return self._conclude()

    async def _host(self, *, task_status: "trio.TaskStatus[dict[str, Any] | None]") -> None:
        from seqp2p.cli.reporter import TABLE_FULL

        listening = False

        def hear(event: dict[str, Any]) -> None:
            nonlocal listening
            if event["event"] == "listening":
                listening = True
                task_status.started(event)
            elif event["event"] in SHARED:
                self._output.event(GAME_EVENTS[event.pop("event")](**event))

        shown = False

        def read(line: str) -> None:
            # The first seat's lines for people are the demo's own text, but for its lobby: no others may join.
            nonlocal shown
            shown = shown or line == translate(TABLE_FULL)
            if shown:
                self._output.say(line)

        arguments = ["host", "--players", str(self._players), "--listen", "127.0.0.1:0", "--name", NAMES[0]]
        await self._peer(1, arguments, {}, hear, read)
        if not listening:
            task_status.started(None)

    async def _join(self, number: int, address: str, code: str) -> None:
        way = ["--listen", "127.0.0.1:0"] if self._meets else [address]
        arguments = ["join", *way, "--name", NAMES[number - 1]]
        await self._peer(number, arguments, {"SEQP2P_CODE": code}, lambda _: None, lambda _: None)

    async def _peer(
        self, number: int, arguments: list[str], environment: dict[str, str], hear: "Hear", read: "Read"
    ) -> None:
        """Start a peer, and hand on its events and lines until it ends. Raises UserError if it fails."""
        from seqp2p.cli.running import Child, ChildStart

        def note(event: dict[str, Any]) -> None:
            self._note(event)
            hear(event)

        home = {"SEQP2P_HOME": str(self._homes / str(number))}
        start = ChildStart(NAMES[number - 1], ["seqp2p", *arguments, *self._arguments], environment | home)
        child = Child(start, note, read)
        self._children.append(child)
        if await child.run() not in (DONE, ABANDONED) and self._stopped_by is None:
            raise child.failure()

    def _note(self, event: dict[str, Any]) -> None:
        if event["event"] == "dealt":
            self._dealt.append(event["seconds"])
            if len(self._dealt) == self._players:
                self._output.event(DealtEvent(max(self._dealt)))
        elif event["event"] == "over":
            self._over[event["seat"]] = event

    def _replays(self) -> list[str]:
        return [self._over[seat]["replay"] for seat in sorted(self._over)]

    def _conclude(self) -> int:
        """Tell the result that all seats agree on, and the verdict on the first seat's replay; return the exit code."""
        if len(self._over) < self._players:
            raise UserError(t("a peer left before the game began"))
        first = self._over[1]
        replays = self._replays()
        report = verify_file(Path(replays[0]))
        self._output.say(t("verify: {verdict}", verdict=describe(report)))
        result = {name: first[name] for name in ("result", "winners", "forfeit", "reason")}
        self._output.event(OverEvent(**result, resumable=False, replays=replays, verdict=report.verdict))
        agreed = {(event["result"], tuple(event["winners"])) for event in self._over.values()}
        if len(agreed) != 1 or report.verdict == "invalid":
            raise UserError(t("the peers do not agree on the game they played"))
        return DONE if report.verdict == "verified" else ABANDONED
