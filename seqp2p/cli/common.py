"""Options and exit codes that every command has."""

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

import click

from seqp2p.cli.output import ABANDONED, DONE, FAILED, NOT_CONNECTED, NOT_VERIFIED, USAGE, CommandError, what_failed
from seqp2p.i18n import Message, message
from seqp2p.ui.language import t, translate

EXIT_CODES: Final[Mapping[int, Message]] = MappingProxyType(
    {
        DONE: message("done: the game was played to its end, every file is verified"),
        FAILED: message("failed"),
        USAGE: message("usage"),
        NOT_VERIFIED: message("verify: a file is invalid"),
        NOT_CONNECTED: message("could not connect, or was refused"),
        ABANDONED: message("the game was abandoned; verify: none invalid, but one is unfinished"),
    }
)


class ReplayPath(click.Path):
    """The name of a file or a folder. An empty name, as from an unset variable, is refused: it means this folder."""

    def __init__(self) -> None:
        # Files are opened one by one: one that cannot be read must not stop the others.
        super().__init__(readable=False, path_type=Path)

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> str | bytes | os.PathLike[str]:
        """Raises click.BadParameter."""
        if not os.fspath(value):
            self.fail(t("an empty name is no file's"), param, ctx)
        return super().convert(value, param, ctx)


def common_options() -> list[click.Parameter]:
    return [
        click.Option(
            ["--no-progress"],
            is_flag=True,
            expose_value=False,
            callback=_hide_progress,
            help=message("Show no bars, and no line that says how far something is."),
        ),
        click.Option(
            ["--log-file"],
            type=click.Path(dir_okay=False),
            expose_value=False,
            is_eager=True,
            callback=_start_log,
            help=message("Write events, errors and the traces of faults to this file, without secrets."),
        ),
    ]


def write_exit_codes(formatter: click.HelpFormatter) -> None:
    with formatter.section(t("Exit codes")):
        formatter.write_dl([(str(code), translate(text)) for code, text in EXIT_CODES.items()])


def _hide_progress(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    del context, parameter
    if value:
        from seqp2p.cli import progress

        progress.hide()


def _start_log(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    del parameter
    if value is not None and not context.resilient_parsing:
        from seqp2p.cli import log_file

        try:
            log_file.start(value)
        except OSError as error:
            message = t("cannot write the log file {path}: {reason}", path=value, reason=what_failed(error))
            raise CommandError(message, t("name another file with --log-file")) from None
