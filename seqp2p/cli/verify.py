"""``seqp2p verify FILE…``: every signature, proof, share and move of a replay, checked by playing it again."""

from dataclasses import asdict
from pathlib import Path

import click

from seqp2p.cli.output import ABANDONED, DONE, NOT_VERIFIED, Output
from seqp2p.crypto.identity import fingerprint
from seqp2p.replay.format import REPLAY_SIZE_MAX
from seqp2p.replay.verify import Report, verify
from seqp2p.ui.words import Company, named, result_line, winners_text

FORM = "a record is not in the form that it has in a replay"


@click.command("verify")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON object per file on standard output.")
def command(files: tuple[Path, ...], *, as_json: bool) -> None:
    """Verify replay FILES: nothing in them is taken on trust.

    Exit code 0: all verified. 3: one is invalid. 5: none is invalid, but one is unfinished.
    """
    output = Output(as_json)
    verdicts = set[str]()
    for file in files:
        report = verify_file(file)
        verdicts.add(report.verdict)
        _print(output, file, report)
    raise SystemExit(NOT_VERIFIED if "invalid" in verdicts else ABANDONED if "unfinished" in verdicts else DONE)


def verify_file(file: Path) -> Report:
    """The report on a file; one that cannot be read is invalid with the reason."""
    try:
        if not file.is_file():
            return Report("invalid", reason="no such file" if not file.exists() else "not a file")
        with file.open("rb") as stream:
            return verify(stream.read(REPLAY_SIZE_MAX + 1))
    except OSError as error:
        return Report("invalid", reason=f"cannot be read: {error.strerror}")


def _print(output: Output, file: Path, report: Report) -> None:
    output.event(
        "verdict",
        file=str(file),
        verdict=report.verdict,
        game=report.game,
        players=[asdict(player) for player in report.players],
        result=outcome(report),
        winners=report.result.winners if report.result and report.verdict == "verified" else (),
        forfeit=report.result.winners if report.result and report.verdict != "verified" else (),
        steps=report.steps,
        reason=report.reason,
        step=report.step,
        writer=report.writer,
    )
    if output.json:
        return
    output.say(f"{file}: {describe(report)}")
    for player in report.players:
        output.say(f"    seat {player.seat}  {player.name}  {fingerprint(bytes.fromhex(player.key))}")


def outcome(report: Report) -> str | None:
    """How the game ended, in the words of the event ``over``; None for a file that says nothing that can be trusted."""
    if report.verdict == "invalid":
        return None
    return report.result.kind if report.result and report.verdict == "verified" else "unfinished"


def describe(report: Report) -> str:
    """The verdict in one line."""
    names = [player.name for player in report.players]
    if report.verdict == "verified" and report.result is not None:
        return f"{report.verdict}: {result_line(Company(tuple(names), ()), report.result)}, {report.steps} steps"
    reason = named(plain_reason(report.reason or ""), names)
    where = f" (step {report.step})" if report.step and f"step {report.step}" not in reason else ""
    forfeit = f"; {winners_text(report.result.winners, names)} won by forfeit" if report.result else ""
    return f"{report.verdict}: {reason}{where}{forfeit}"


def plain_reason(reason: str) -> str:
    """A reason without the text of the library that found it, which speaks of the record's fields and types.

    >>> plain_reason("Object missing required field `v` - at `$.table`")
    'a record is not in the form that it has in a replay'
    >>> plain_reason("seat 2 broke the rules at step 9: Expected `int`, got `str`")
    'seat 2 broke the rules at step 9: what it signed is not in the form that it has in a game'
    >>> plain_reason("the record ends at step 57, awaiting seat 4")
    'the record ends at step 57, waiting for seat 4'
    """
    who, colon, what = reason.rpartition(": ") if reason.startswith("seat ") else ("", "", reason)
    if "`" in what or "msgpack" in what or "canonical" in what:
        form = "what it signed is not in the form that it has in a game" if who else FORM
        return f"{who}{colon}{form}"
    return reason.replace(", awaiting ", ", waiting for ")
