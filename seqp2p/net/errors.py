"""The errors between peers, by the side to blame. The text of each is one sentence for a person."""

from types import MappingProxyType
from typing import Final

from seqp2p.errors import NOT_CONNECTED, USAGE, UserError
from seqp2p.i18n import message
from seqp2p.match.text import clean


class NetError(UserError):
    """Base of every error of this package."""

    exit_code = NOT_CONNECTED
    hint = message("Check the address, and that the host is still there; then try again.")


class PeerError(NetError):
    """The other side sent something that no honest program sends."""

    code = "faulty_peer"

    def __init__(self, text: str) -> None:
        shown, hint = clean(text), message("The other program is damaged, of another kind, or dishonest.")
        # A text that needed no cleaning remembers how it was made.
        super().__init__(text if text == shown else shown, hint)


class WrongKey(PeerError):
    """The peer at that address is another than expected: its key differs."""

    code = "wrong_key"


class LinkLost(NetError):
    """The connection ended or fell silent. Neither side is to blame."""

    code = "link_lost"


class TooSlow(LinkLost):
    """A peer is there that did not authenticate in time."""

    code = "no_answer"


class TableClosed(LinkLost):
    """The host has closed its lobby, and may have given a reason."""

    code = "table_closed"

    def __init__(self, reason: str = "") -> None:
        said = message("The host has closed the table: {reason}", reason=clean(reason))
        hint = message("Ask the host whether there will be another table, or open one.")
        super().__init__(said if reason else message("The host has closed the table."), hint)


class Unreachable(NetError):
    """There is no answer at that address."""

    code = "unreachable"


class BadCode(NetError):
    """A typed text is no join code."""

    exit_code = USAGE
    quotes_code = True
    hint = message("A code is a number and two to four words, as in 7-amber-falcon.")


# The refusals of this version: a sentence for the refused person, and a remedy.
REFUSALS: Final = MappingProxyType(
    {
        "version": (
            message("The other side speaks another version of the protocol."),
            message("Use the same version of seqp2p everywhere."),
        ),
        "bad_proof": (message("The other side did not accept the proof of this identity."), message("Try again.")),
        "wrong_game": (message("The other side plays another game."), message("Check the address.")),
        "not_seated": (
            message("This identity has no seat in that game."),
            message("Use the identity that took this seat."),
        ),
        "game_started": (message("The game at this table has started."), message("Wait for the next one.")),
        "not_started": (message("The table is still filling up."), message("Wait until it is full.")),
        "table_full": (message("The table is full."), message("Ask the host for a larger table.")),
        "seats_kept": (
            message("The free seats are kept for those who have played here before."),
            message("Try again in half a minute."),
        ),
        "same_key": (
            message("This identity already sits at the table."),
            message("Another player on the same machine needs an identity of its own."),
        ),
        "bad_name": (message("The host does not accept this name."), message("Join with another name.")),
        "wrong_code": (message("Wrong code."), message("Compare it with the one that the host shows.")),
        "code_burned": (
            message("Wrong code, or the host has a new one by now."),
            message("Ask the host for the code it shows now."),
        ),
        "no_spectators": (
            message("This table takes no more spectators."),
            message("Ask the host to let more people watch. A host that has resumed its seat lets nobody watch."),
        ),
        "not_watching": (
            message("The host no longer knows this spectator, or never did."),
            message("Watch again with the join code."),
        ),
        "removed": (
            message("The host has removed this player from the table."),
            message("Ask the host, or open a table."),
        ),
        "busy": (message("Too many are joining at once."), message("Try again in a moment.")),
        "too_slow": (message("The host waited too long for an answer."), message("Try again.")),
        "faulty": (message("The other side has had too many invalid messages from this seat."), ""),
    }
)


class PeerRefused(NetError):
    """The other side said no. ``code`` is one of REFUSALS, or a later version's."""

    def __init__(self, code: str, reason: str = "") -> None:
        text, hint = REFUSALS.get(code, ("", ""))
        sentence = text or message("The other side refused: {reason}", reason=clean(reason) or clean(code))
        super().__init__(sentence, hint, code=code)
