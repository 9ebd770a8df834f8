"""``seqp2p games``: the replays of this player, last first, with who played, the result and the length."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import click

from seqp2p.api.home import own_keys
from seqp2p.cli import home
from seqp2p.cli.checking import Named, newest, of_all, summarise_named
from seqp2p.cli.output import ABANDONED, DONE, CommandError, Output
from seqp2p.cli.stopping import stopping_alike
from seqp2p.cli.verify import plain_reason
from seqp2p.i18n import message
from seqp2p.match.events import Result
from seqp2p.replay.sidecar import is_held, sidecar_path
from seqp2p.replay.summary import Summary
from seqp2p.ui.cards import variant_title
from seqp2p.ui.frame import clipped, width_of
from seqp2p.ui.language import t, tn, without_accents
from seqp2p.ui.words import LEFT, Company, listed, result_line

LAST: Final = 20
NAMES_WIDTH: Final = 28
NO_GAMES: Final = message("--replay-dir names the folder that the replays are in")


@dataclass(frozen=True, slots=True)
class PastGame:
    """A replay and its summary; ``own`` is the seat of this player, 0 for one who watched."""

    path: Path
    at: datetime
    summary: Summary
    own: int

    @property
    def company(self) -> Company:
        return Company(tuple(player.name for player in self.summary.report.players), (), self.own)

    @property
    def resumable(self) -> bool:
        """True if ``resume`` will take it: the seat's own file is there, and no process plays it."""
        kept = sidecar_path(self.path)
        return self.summary.report.verdict != "invalid" and kept.exists() and not is_held(kept)

    @property
    def outcome(self) -> str:
        """The result in a word or two, for the reader."""
        summary, report = self.summary, self.summary.report
        if report.verdict == "invalid":
            return t("damaged: seqp2p verify {file}", file=self.path.name)
        if self.resumable:
            return t("unfinished: seqp2p resume {game}", game=(report.game or "")[:12])
        if sidecar_path(self.path).exists():
            return t("being played in another window")
        if report.result is not None:
            return result_line(self.company, report.result)
        reason = LEFT if self.own in summary.left else plain_reason(report.reason or "")
        return result_line(self.company, Result("unfinished", (), reason), heirs=summary.heirs)

    @property
    def line(self) -> str:
        """When, what, who, the length, and the result."""
        course, names = self.summary.course, self.company.names
        who = listed([t("you") if seat == self.own else name for seat, name in enumerate(names, 1)])
        shown = clipped(who, NAMES_WIDTH)
        title = variant_title(course.variant) if course else ""
        turns = tn("{count} turn", "{count} turns", course.turns) if course else ""
        words = [f"{self.at:%Y-%m-%d %H:%M}", shown + " " * (NAMES_WIDTH - width_of(shown)), f"{turns:>9}"]
        return "  ".join([*words, self.outcome, f"({title})"] if title else [*words, self.outcome])

    def has(self, words: Sequence[str]) -> bool:
        """Return True if each word is in the line or in a name."""
        text = _plain(" ".join([self.line, *self.company.names, self.path.name]))
        return all(_plain(word) in text for word in words)

    @property
    def fields(self) -> dict[str, Any]:
        report, course = self.summary.report, self.summary.course
        return {
            "file": str(self.path),
            "written": self.at.isoformat(timespec="seconds"),
            "verdict": report.verdict,
            "game": report.game,
            "variant": course.variant if course else None,
            "names": self.company.names,
            "own": self.own or None,
            "result": report.result.kind if report.result and report.verdict == "verified" else "unfinished",
            "winners": report.result.winners if report.result and report.verdict == "verified" else (),
            "forfeit": report.result.winners if report.result and report.verdict == "unfinished" else (),
            "turns": course.turns if course else 0,
            "resumable": self.resumable,
        }


@click.command(
    "games",
    help=message(
        "List your games, last first: who played, how long, and the result.\n\n"
        "FILTER is words that a line has to have: a name, a date, won, lost, unfinished, kids. Each replay is verified"
        " for its line."
    ),
)
@click.argument("words", nargs=-1, metavar=message("[FILTER...]"))
@click.option("--last", type=click.IntRange(min=1), default=LAST, show_default=True, help=message("So many games."))
@click.option("--replay-dir", type=click.Path(file_okay=False), help=message("The folder of the replays."))
@click.option("--json", "as_json", is_flag=True, help=message("One JSON object per game on standard output."))
def command(words: tuple[str, ...], last: int, replay_dir: str | None, *, as_json: bool) -> None:
    output, shown = Output(as_json), 0
    folder = home.shown_dir(replay_dir)
    try:
        with stopping_alike():
            for shown, game in enumerate(past_games(folder, words, last), 1):
                output.event("game", **game.fields)
                if not as_json:
                    output.say(f"{shown:>3}  {game.line}")
    except KeyboardInterrupt:
        raise CommandError(t("stopped"), exit_code=ABANDONED) from None
    if not shown:
        none = t("there is no such game in {folder}", folder=folder)
        raise CommandError(none if words else t("there is no game in {folder} yet", folder=folder), NO_GAMES)
    if not as_json and folder == home.shown_dir(None):
        output.say(t("seqp2p show last shows the last one, and seqp2p show asks for one"))
    raise SystemExit(DONE)


def past_games(folder: Path, words: Sequence[str] = (), most: int = LAST) -> Iterator[PastGame]:
    """Yield the games whose lines have all these words, last written first; a game of several own seats once each."""
    keys = {key.hex() for key in own_keys()}
    files = newest(folder)
    with closing(of_all(summarise_named, [Named(path) for path, _ in files])) as summaries:
        for (path, at), summary in zip(files, summaries, strict=True):
            own = next((player.seat for player in summary.report.players if player.key in keys), 0)
            game = PastGame(path, at, summary, own)
            if game.has(words):
                yield game
                most -= 1
            if not most:
                return


def _plain(text: str) -> str:
    return without_accents(text).lower()
