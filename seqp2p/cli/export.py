"""``seqp2p export FILE``: a replay as text, JSON, a picture, or a page that shows it in a browser."""

import json
import re
from pathlib import Path
from typing import Final, Literal, TypeAlias, assert_never, cast, get_args

import click
import msgspec

from seqp2p.api.replays import Source, bytes_of
from seqp2p.arguments import check_arguments
from seqp2p.cli import json_events
from seqp2p.cli.moments import VERIFY_HINT, frames_of, header_lines, play_file, read_file, review_of
from seqp2p.cli.output import STDOUT, Output, printable, write_result
from seqp2p.cli.replays import ReplayPath, describe, resolved, verdict_of
from seqp2p.errors import DONE, FAILED, NOT_VERIFIED, USAGE, UserError
from seqp2p.i18n import message
from seqp2p.replay.export import game_text
from seqp2p.replay.playback import Playback, play_back
from seqp2p.rules import format_game, view
from seqp2p.ui.board_model import board_model
from seqp2p.ui.cards import colour_name, variant_title
from seqp2p.ui.language import t, tn
from seqp2p.ui.picture import board_svg
from seqp2p.ui.plain import sequences_made
from seqp2p.ui.words import listed, plain_reason

Form: TypeAlias = Literal["text", "json", "svg", "html"]
FORMATS: Final[tuple[Form, ...]] = get_args(Form)
ENDINGS: Final = {".json": "json", ".svg": "svg", ".html": "html", ".htm": "html", ".txt": "text"}
"""The format by the ending of a file's name; without an ending it is text."""
PAGE_SIZE_MAX: Final = 8 * 1024 * 1024
"""Bytes of a replay that a page can show: a page holds every moment at once. The longest games have under 4 MB."""


@click.command(
    "export",
    help=message(
        "Write a replay as something else.\n\n"
        "text is the game in its notation, json all that is signed, svg a picture of the board, html a page that shows"
        " the game in any browser. An unfinished game is written as far as it went; an invalid file is not."
    ),
)
@click.argument("file", type=ReplayPath(), metavar=message("FILE"))
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help=message("The format; default: what the name of --output says, or text."),
)
@click.option(
    "--output", "target", default=STDOUT, help=message("Where to write it; default, and with -: standard output.")
)
@click.option("--force", is_flag=True, help=message("Overwrite an existing file."))
@click.option("--at", type=click.IntRange(0), help=message("svg: the board after this turn, and not the last one."))
@click.option("--raw", is_flag=True, help=message("json: with the digits of ciphertexts, shares, proofs, signatures."))
def command(file: Path, form: str | None, target: str, at: int | None, *, force: bool, raw: bool) -> None:
    form = cast("Form", form or form_of(target))
    for name, given, of in (("--at", at is not None, "svg"), ("--raw", raw, "json")):
        if given and form != of:
            raise UserError(t("{option} is for {form} only", option=name, form=of), exit_code=USAGE)
    file = resolved(file)
    data = read_file(file)
    refuse_large(form, file, data)
    playback = play_file(file, data)
    written = rendered(form, file, playback, at, raw=raw)
    if playback.report.verdict != "verified":
        Output(json=True).say(t("{file}: {verdict}", file=file, verdict=describe(playback.report)))
    write_result(written, target, force=force)
    raise SystemExit(DONE)


@check_arguments
def export(source: Source, form: Form = "text", *, at: int | None = None, raw: bool = False) -> str:
    """Return a replay as something else; ``seqp2p.verify`` comes first, and an invalid one is not exported.

    text is the game in its notation, from the deal on, which ``parse_game`` reads back; json all that is signed,
    svg a picture of the board, html a page that shows the game in any browser. ``at`` is for svg: the board after this
    turn (0: as dealt), and not the last one. ``raw`` is for json: with the digits of ciphertexts, shares, proofs and
    signatures. Raises ValueError, with the reason, for a replay that cannot be written so, and OSError for a file that
    cannot be read.
    """
    if form not in FORMATS:
        raise ValueError(f"form is one of {', '.join(FORMATS)}, not {form!r}")
    data = bytes_of(source)
    file = Path("replay" if isinstance(source, bytes) else source)
    try:
        refuse_large(form, file, data)
        playback = play_back(data)
        if playback.agreement is None:
            raise ValueError(f"the replay shows no game: {playback.report.reason}")
        return rendered(form, file, playback, at, raw=raw)
    except UserError as error:
        raise ValueError(str(error)) from None


def rendered(form: Form, file: Path, playback: Playback, at: int | None, *, raw: bool) -> str:
    """Return the replay in this form. Raises UserError."""
    if playback.report.verdict == "invalid":
        problem = t("{file} is not exported: it is {verdict}", file=file, verdict=describe(playback.report))
        raise UserError(problem, VERIFY_HINT, NOT_VERIFIED)
    match form:
        case "text":
            return as_text(file, playback)
        case "json":
            return as_json(file, playback, raw=raw)
        case "svg":
            return as_svg(file, playback, at)
        case "html":
            return as_html(file, playback)
        case _:
            assert_never(form)


def form_of(target: str) -> str:
    """The format that the name of a file says; raises UserError (usage) where its ending says none."""
    ending = Path(target).suffix.lower()
    if not ending:
        return "text"
    if ending not in ENDINGS:
        problem = t(
            "{path} does not say what to write: {ending} is not the ending of a format", path=target, ending=ending
        )
        hint = t("end its name in one of {endings}, or use --format", endings=", ".join(ENDINGS))
        raise UserError(problem, hint, USAGE)
    return ENDINGS[ending]


def refuse_large(form: Form, file: Path, data: bytes) -> None:
    """Raise UserError for a replay too large for a page."""
    if form == "html" and len(data) > PAGE_SIZE_MAX:
        problem = t("{file} is too large for a page: at most {most} bytes", file=file, most=PAGE_SIZE_MAX)
        raise UserError(problem, t("--format text or json has no such limit"), FAILED)


def as_text(file: Path, playback: Playback) -> str:
    """The game in its notation, and before it, as comments, who played it and what was verified."""
    game = game_text(playback)
    if game is None:
        reason = plain_reason(playback.report.reason or "")
        problem = t("{file} has no game to write, for no cards were dealt: {reason}", file=file, reason=reason)
        raise UserError(problem, VERIFY_HINT, NOT_VERIFIED)
    verdict, *about = header_lines(playback)
    head = (t("game {number}", number=playback.report.game), verdict, *about)
    comments = [printable(f"# {line}".rstrip()) + "\n" for line in head]
    return "".join(comments) + format_game(game)


def as_json(file: Path, playback: Playback, *, raw: bool) -> str:
    """One object on one line: docs/scripting.md, "Replays as JSON"."""
    fields = playback.as_json(raw=raw)
    fields["verdict"] = verdict_of(json_events.VerdictFields, file, playback.report)
    return json.dumps(msgspec.to_builtins(json_events.ReplayEvent(**fields), enc_hook=str)) + "\n"


def as_svg(file: Path, playback: Playback, at: int | None) -> str:
    """The board, after the turn ``at`` or at the end."""
    frames = frames_of(file.name, playback)
    turns = frames.turns
    if at is not None and not 0 <= at <= turns:
        problem = tn("the game has {count} turn", "the game has {count} turns", turns)
        raise UserError(problem, t("name a turn from 0 to {turns}", turns=turns), USAGE)
    turn = turns if at is None else at
    moment = [moment for moment in frames.moments if moment.turn <= turn][-1]
    if moment.position is None:
        problem = t("{file} has no board to show: the cards are not dealt yet", file=file)
        raise UserError(problem, VERIFY_HINT, NOT_VERIFIED)
    seen, colours = view(moment.position, 0), frames.company.colours
    made = zip(colours, sequences_made(seen), strict=True)
    score = ", ".join(f"{colour_name(colour)} {count}" for colour, count in made)
    caption = [
        t("turn {turn} of {turns}", turn=moment.turn, turns=turns),
        *(printable(line.text.strip()) for line in moment.lines),
        t("sequences: {teams}", teams=score),
        *([printable(frames.verdict)] if at is None or not frames.is_right else []),
    ]
    return board_svg(
        frames.variant,
        board_model(seen, colours, moment.moves),
        printable(t("{game}: {file}", game=variant_title(frames.variant.name), file=frames.title)),
        caption,
        [(frames.company.colour(seat), name) for seat, name in enumerate(frames.company.names, 1)],
    )


def as_html(file: Path, playback: Playback) -> str:
    from seqp2p.ui.viewer import page

    _, _, *about = header_lines(playback)
    assert playback.agreement is not None, "without a table there is nothing to show"
    date = re.match(r"\d{4}-\d\d-\d\d(?=-)", file.name)  # As this program names its replays.
    names = listed([seat.name for seat in playback.agreement.seats])
    title = ", ".join([names, *([date[0]] if date else [])])
    return page(frames_of(printable(title), playback, reviewed=review_of(playback)), about)
