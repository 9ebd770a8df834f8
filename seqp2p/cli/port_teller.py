"""``--map-port``: the option, and the sentences about the port of the router."""

import contextlib
import time
from collections.abc import Callable, Generator
from typing import Any

import click

from seqp2p.api.port_mapping import OnPortEvent, PortEvent
from seqp2p.cli.output import Output
from seqp2p.i18n import message
from seqp2p.ui.language import t, translate


def map_port_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--map-port`` to a command; it gets it as ``map_port``."""
    return click.option(
        "--map-port",
        is_flag=True,
        help=message("Ask the home router, by UPnP, to open a port to the internet until this ends."),
    )(command)


class PortTeller:
    """Tells people and scripts the events of the router's port."""

    def __init__(self, output: Output) -> None:
        self.output = output
        self._last = ""

    @contextlib.contextmanager
    def telling(self, output: Output) -> Generator[None]:
        """Tell it there until the block ends, the last sentence again: a screen hides the lines before it."""
        before, self.output = self.output, output
        if self._last and output.screen is not None:
            output.say(self._last)
        try:
            yield
        finally:
            self.output = before

    def asking(self, *, wanted: bool) -> OnPortEvent | None:
        """Say that the router is asked, if it is wanted. Return the listener for what comes of it, else None."""
        if not wanted:
            return None
        self.output.say(t("the router is asked to open a port…"))
        return self.on_event

    def on_event(self, event: PortEvent) -> None:
        """Tell an event."""
        address = None if event.address is None else str(event.address)
        until = round(event.until, 1)
        self.output.event("port", state=event.state, address=address, until=until, reason=str(event.reason))
        self._last = port_line(event)
        if event.state in {"closed", "left"}:
            self.output.say_last(self._last)
        else:
            self.output.say(self._last, "log" if event.state == "open" else "alarm")


def port_line(event: PortEvent) -> str:
    """Return the sentence for people."""
    until = time.strftime("%H:%M", time.localtime(event.until))
    reason = translate(event.reason)
    match event.state:
        case "open":
            return t(
                "the port {address} is open to the internet until {time}; it is renewed as long as you play, and closed"
                " at the end",
                address=event.address,
                time=until,
            )
        case "not_open":
            return t("no port is open to the internet: {reason}", reason=reason)
        case "lost":
            return t(
                "the port {address} was not renewed: {reason}; it closes at {time}",
                address=event.address,
                reason=reason,
                time=until,
            )
        case "closed":
            return t("the port {address} is closed", address=event.address)
        case "left":
            return t(
                "the port {address} could not be closed: {reason}; it closes by itself at {time}",
                address=event.address,
                reason=reason,
                time=until,
            )
