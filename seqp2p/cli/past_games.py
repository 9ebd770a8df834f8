"""This player's games: the replays in a folder, last first, with who played, the result and the length."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from seqp2p.api.home import own_keys
from seqp2p.cli.json_events import GameEvent
from seqp2p.cli.replays import Named, newest, of_all, plain_reason, summarise_named
from seqp2p.match.events import Result, plain_result
from seqp2p.replay.sidecar import is_held, sidecar_path
from seqp2p.replay.statistics import Summary
from seqp2p.ui.cards import variant_title
from seqp2p.ui.frame import clipped, width_of
from seqp2p.ui.language import t, tn, without_accents
from seqp2p.ui.words import LEFT, Company, listed, result_line

SHOWN: Final = 20
"""So many games are listed, where no number is asked for."""
NAMES_WIDTH: Final = 28


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
    def event(self) -> GameEvent:
        report, course = self.summary.report, self.summary.course
        result = plain_result(report.result or Result("unfinished"))
        return GameEvent(
            file=str(self.path),
            written=self.at.isoformat(timespec="seconds"),
            verdict=report.verdict,
            game=report.game,
            variant=course.variant if course else None,
            names=self.company.names,
            own=self.own or None,
            result=result["result"],
            winners=result["winners"],
            forfeit=result["forfeit"],
            turns=course.turns if course else 0,
            resumable=self.resumable,
        )


def past_games(folder: Path, words: Sequence[str] = (), most: int = SHOWN) -> Iterator[PastGame]:
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
