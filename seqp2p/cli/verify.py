"""``seqp2p verify FILE…``: every signature, proof, share and move of a replay, checked by playing it again."""

import time
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

import click

from seqp2p.api.many import Named, missing_of, named_files, processes
from seqp2p.api.replays import reports_on
from seqp2p.cli import json_events, progress
from seqp2p.cli.errors import stopping_alike
from seqp2p.cli.output import Output
from seqp2p.cli.replays import ReplayPath, describe, known_names, resolved, table_text, verdict_of
from seqp2p.crypto.identity import fingerprint
from seqp2p.errors import ABANDONED, DONE, NOT_VERIFIED, USAGE, UserError
from seqp2p.i18n import message
from seqp2p.match.contribution import Contribution
from seqp2p.replay.verify import Cheat, Player, Report, marks
from seqp2p.ui.language import number, t, tn
from seqp2p.ui.words import Company, plain_reason
from seqp2p.workers import JOBS_MAX

AGAIN_MAX: Final = 1_000
"""So many lines about invalid files are printed again at the end."""


@click.command(
    "verify",
    help=message(
        "Verify replay FILES: nothing in them is taken on trust.\n\n"
        "A folder stands for all *.seqp2p in it and below, a pattern in quotes for what it matches. "
        "Exit code 0: all verified. 3: one is invalid. 5: none is invalid, but one is unfinished."
    ),
)
@click.argument("files", nargs=-1, required=True, type=ReplayPath(), metavar=message("FILES..."))
@click.option("--jobs", type=click.IntRange(1, JOBS_MAX), help=message("Processes; default: one for each core."))
@click.option(
    "--dask", metavar=message("ADDRESS"), help=message("Verify on the Dask cluster whose scheduler is at this address.")
)
@click.option(
    "--results",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar=message("FILE"),
    help=message("Keep each verdict in this file, and do not verify again what has one in it."),
)
@click.option("--json", "as_json", is_flag=True, help=message("One JSON object per file on standard output."))
def command(
    files: tuple[Path, ...], jobs: int | None, dask: str | None, results: Path | None, *, as_json: bool
) -> None:
    if jobs is not None and dask is not None:
        raise UserError(t("--jobs is for this machine, --dask for a cluster"), t("name one of them"), USAGE)
    output, meant = Output(as_json), list[Named]()
    tally, kept = Verdicts(), None
    if results is not None:  # Others need not wait for it.
        from seqp2p.cli.verdicts import KeptVerdicts

        kept = KeptVerdicts(results)
    early: UserError | None = None
    try:
        with stopping_alike():
            meant += _meant([*map(resolved, files)])
            verify = partial(reports_on, jobs=processes(len(meant), jobs), dask=dask, note=output.warn)
            _verify(output, kept.through(meant, verify) if kept else verify(meant), len(meant), tally)
    except KeyboardInterrupt:
        done, files_ = number(tally.files), number(len(meant))
        early = UserError(t("stopped after {done} of {files} files", done=done, files=files_), exit_code=ABANDONED)
    except UserError as error:
        early = error
    is_summed_up = len(meant) > 1 if early is None else tally.files > 0 and not as_json
    if is_summed_up:
        _summarise(output, tally, len(meant))
    if kept is not None and kept.taken and not as_json:
        values = {"path": results, "count": number(kept.taken)}
        output.say(tn("1 verdict is from {path}", "{count} verdicts are from {path}", kept.taken, **values))
    if early is not None:
        early.exit_code = NOT_VERIFIED if tally.verdicts["invalid"] else early.exit_code
        raise early
    raise SystemExit(tally.exit_code)


def _meant(files: Sequence[Path]) -> list[Named]:
    if missing := missing_of(files):
        raise UserError(
            t("no such file: {files}", files=", ".join(map(str, missing))),
            t("nothing was verified: name a file, a folder or a quoted pattern"),
            USAGE,
        )
    return named_files(files)


@dataclass
class Verdicts:
    """The verdicts so far. Of ``invalid``, the lines, only so many are kept: memory does not grow with the files."""

    verdicts: Counter[str] = field(default_factory=Counter[str])
    invalid: list[str] = field(default_factory=list[str])
    begun: float = field(default_factory=time.perf_counter)

    @property
    def files(self) -> int:
        return self.verdicts.total()

    @property
    def exit_code(self) -> int:
        return NOT_VERIFIED if self.verdicts["invalid"] else ABANDONED if self.verdicts["unfinished"] else DONE


def _verify(output: Output, reports: Generator[tuple[Named, Report]], files: int, tally: Verdicts) -> None:
    known = known_names(output)
    with closing(reports), progress.bar(files, t("verifying")) as advance:
        for file, report in reports:
            tally.verdicts[report.verdict] += 1
            output.event(verdict_of(json_events.VerdictEvent, file.path, report, known))
            if not output.json:
                _say(output, file.path, report, known, tally if files > 1 else None)
            advance()
            if output.is_unread and tally.files < files:
                raise SystemExit(tally.exit_code or ABANDONED)


def _say(output: Output, file: Path, report: Report, known: Mapping[str, str], tally: Verdicts | None) -> None:
    """Print the report on one file; a line alone, and kept if it is bad, where there is a tally of many."""
    line = t("{file}: {verdict}", file=file, verdict=describe(report))
    if tally is None:
        output.say(line)
        for detail in _details(report, known):
            output.say(f"    {detail}")
        return
    others = [_offence(cheat, report.players) for cheat in report.cheats if cheat.seat != report.seat]
    output.say(t("; ").join([line, *others]))
    if report.verdict == "invalid" and len(tally.invalid) < AGAIN_MAX:
        tally.invalid.append(line)


def _offence(cheat: Cheat, players: Sequence[Player]) -> str:
    return Company(tuple(player.name for player in players), ()).to_reader(plain_reason(cheat.reason))


def _details(report: Report, known: Mapping[str, str]) -> list[str]:
    lines = [_who(player, known.get(player.key), report) for player in report.players]
    if report.settings is None:
        return lines
    proved = report.proved
    parts = [
        tn("1 signature", "{count} signatures", proved.signatures, count=number(proved.signatures)),
        tn("1 shuffle", "{count} shuffles", proved.shuffles, count=number(proved.shuffles)),
        tn("1 share", "{count} shares", proved.shares, count=number(proved.shares)),
        tn("1 move", "{count} moves", proved.moves, count=number(proved.moves)),
    ]
    lines += [t("table: {table}", table=table_text(report.settings)), t("proved: {parts}", parts=", ".join(parts))]
    if report.seat is not None and report.seat not in {cheat.seat for cheat in report.cheats}:
        lines += _evidence(report.seat, report.evidence)
    for cheat in report.cheats:
        if cheat.seat != report.seat:  # The verdict says that one.
            lines.append(_offence(cheat, report.players))
        lines += _evidence(cheat.seat, cheat.evidence)
    if report.byte is not None:
        lines.append(t("the wrong record begins at byte {byte}", byte=report.byte))
    return lines


def _evidence(seat: int, evidence: Sequence[Contribution]) -> list[str]:
    return [
        t("evidence: what seat {seat} has signed, SHA-256 {hash}", seat=seat, hash=mark) for mark in marks(evidence)
    ]


def _who(player: Player, known: str | None, report: Report) -> str:
    mark = fingerprint(bytes.fromhex(player.key))
    values = {"seat": player.seat, "name": player.name, "fingerprint": mark}
    line = t("seat {seat}  {name}  {fingerprint}", **values)
    if known is not None:
        line = t("seat {seat}  {name}  {fingerprint}  known as {known}", **values, known=known)
    if player.seat in report.left:
        return t("{seat}   left the table", seat=line)
    return t("{seat}   out of the game", seat=line) if player.seat in report.out else line


def _summarise(output: Output, tally: Verdicts, named: int) -> None:
    """Print how many files have which verdict, after the invalid ones again."""
    seconds = time.perf_counter() - tally.begun
    counts = {verdict: tally.verdicts[verdict] for verdict in ("verified", "unfinished", "invalid")}
    output.event(json_events.SummaryEvent(tally.files, **counts, seconds=round(seconds, 3)))
    if output.json:
        return
    for line in tally.invalid:
        output.say(line)
    if more := counts["invalid"] - len(tally.invalid):
        output.say(tn("1 more is invalid", "{count} more are invalid", more, count=number(more)))
    values = {verdict: number(count) for verdict, count in counts.items()}
    values |= {"files": number(tally.files), "seconds": number(seconds, 1)}
    if tally.files == named:
        text = t(
            "{files} files: {verified} verified, {unfinished} unfinished, {invalid} invalid, {seconds} s", **values
        )
    else:
        text = t(
            "{files} of {named} files: {verified} verified, {unfinished} unfinished, {invalid} invalid, {seconds} s",
            named=number(named),
            **values,
        )
    output.say(text)
