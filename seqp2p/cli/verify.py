"""``seqp2p verify FILE…``: every signature, proof, share and move of a replay, checked by playing it again."""

from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import click

from seqp2p.cli import progress
from seqp2p.cli.output import ABANDONED, DONE, NOT_VERIFIED, Output
from seqp2p.crypto.identity import fingerprint
from seqp2p.replay.format import REPLAY_SIZE_MAX
from seqp2p.replay.verify import Report, verify
from seqp2p.said import Said, said
from seqp2p.ui.language import t, tr
from seqp2p.ui.words import Company, named, result_line, winners_text

FORM: Final = said("a record is not in the form that it has in a replay")
SIGNED_FORM: Final = said("what it signed is not in the form that it has in a game")


@click.command(
    "verify",
    help=said(
        "Verify replay FILES: nothing in them is taken on trust.\n\n"
        "Exit code 0: all verified. 3: one is invalid. 5: none is invalid, but one is unfinished."
    ),
)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help=said("One JSON object per file on standard output."))
def command(files: tuple[Path, ...], *, as_json: bool) -> None:
    """Verify each, and say what comes of it; the exit code is that of the worst."""
    output = Output(as_json)
    verdicts = set[str]()
    with progress.bar(len(files), t("verifying")) as advance:
        for file in files:
            report = verify_file(file)
            verdicts.add(report.verdict)
            _print(output, file, report)
            advance()
    raise SystemExit(NOT_VERIFIED if "invalid" in verdicts else ABANDONED if "unfinished" in verdicts else DONE)


def verify_file(file: Path) -> Report:
    """The report on a file; one that cannot be read is invalid with the reason."""
    try:
        if not file.is_file():
            return Report("invalid", reason=said("no such file") if not file.exists() else said("not a file"))
        with file.open("rb") as stream:
            return verify(stream.read(REPLAY_SIZE_MAX + 1))
    except OSError as error:
        return Report("invalid", reason=said("cannot be read: {reason}", reason=said(error.strerror or str(error))))


def _print(output: Output, file: Path, report: Report) -> None:
    output.event("verdict", **verdict_fields(file, report))
    if output.json:
        return
    output.say(t("{file}: {verdict}", file=file, verdict=describe(report)))
    for player in report.players:
        mark = fingerprint(bytes.fromhex(player.key))
        output.say(t("    seat {seat}  {name}  {fingerprint}", seat=player.seat, name=player.name, fingerprint=mark))


def verdict_fields(file: Path, report: Report) -> dict[str, Any]:
    """The fields of the event ``verdict``."""
    winners = report.result.winners if report.result else ()
    return {
        "file": str(file),
        "verdict": report.verdict,
        "game": report.game,
        "players": [asdict(player) for player in report.players],
        "result": outcome(report),
        "winners": winners if report.verdict == "verified" else (),
        "forfeit": winners if report.verdict != "verified" else (),
        "steps": report.steps,
        "reason": report.reason,
        "step": report.step,
        "writer": report.writer,
    }


def outcome(report: Report) -> str | None:
    """How the game ended, in the words of the event ``over``; None for a file that says nothing that can be trusted."""
    if report.verdict == "invalid":
        return None
    return report.result.kind if report.result and report.verdict == "verified" else "unfinished"


def describe(report: Report) -> str:
    """The verdict in one line."""
    names = [player.name for player in report.players]
    if report.verdict == "verified" and report.result is not None:
        result = result_line(Company(tuple(names), ()), report.result)
        return t("verified: {result}, {steps} steps", result=result, steps=report.steps)
    why = named(plain_reason(report.reason or ""), names)
    if report.step and f"step {report.step}" not in (report.reason or ""):
        why = t("{reason} (step {step})", reason=why, step=report.step)
    if report.result:
        why = t("{reason}; {winners} won by forfeit", reason=why, winners=winners_text(report.result.winners, names))
    return t("invalid: {reason}", reason=why) if report.verdict == "invalid" else t("unfinished: {reason}", reason=why)


def plain_reason(reason: str) -> str:
    """A reason in the reader's language, without the text of a library, which speaks of the record's fields and types.

    >>> plain_reason("Object missing required field `v` - at `$.table`")
    'a record is not in the form that it has in a replay'
    >>> plain_reason("seat 2 broke the rules at step 9: Expected `int`, got `str`")
    'seat 2 broke the rules at step 9: what it signed is not in the form that it has in a game'
    >>> plain_reason("the record ends at step 57, awaiting seat 4")
    'the record ends at step 57, waiting for seat 4'
    """
    who, colon, what = reason.rpartition(": ") if reason.startswith("seat ") else ("", "", reason)
    if not _is_of_library(what):
        return tr(reason).replace(", awaiting ", ", waiting for ")
    if not isinstance(reason, Said):
        return f"{who}{colon}{tr(SIGNED_FORM)}" if who else tr(FORM)
    values = {name: SIGNED_FORM if _is_of_library(str(value)) else value for name, value in reason.values.items()}
    return t(reason.template, **values) if who else tr(FORM)


def _is_of_library(text: str) -> bool:
    return "`" in text or "msgpack" in text or "canonical" in text
