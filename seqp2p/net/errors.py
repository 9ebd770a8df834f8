"""What can go wrong between peers, by who is to blame. The text of each is one sentence that a person reads."""

from typing import Final

from seqp2p.net.text import clean


class NetError(Exception):
    """Base of every error of this package. ``hint`` says what the reader can do, or is empty."""

    def __init__(self, text: str, hint: str = "") -> None:
        super().__init__(text)
        self.hint: Final = hint


class PeerError(NetError):
    """The other side sent something that no honest program sends."""

    def __init__(self, text: str) -> None:
        super().__init__(clean(text), "The other program is damaged, of another kind, or dishonest.")


class WrongKey(PeerError):
    """Whoever answers at that address is not who was expected: its key is another."""


class LinkLost(NetError):
    """The connection ended or fell silent. Nobody is to blame."""


class Unreachable(NetError):
    """Nobody answers at that address."""


class BadCode(NetError):
    """What was typed is no join code."""


# The refusals of this version: what the person who is refused reads, and what to do about it.
REFUSALS: Final = {
    "version": ("The other side speaks another version of the protocol.", "Use the same version of seqp2p everywhere."),
    "bad_proof": ("The other side did not accept the proof of this identity.", "Try again."),
    "wrong_game": ("The other side plays another game.", "Check the address."),
    "not_seated": ("This identity has no seat in that game.", "Use the identity that sat down."),
    "game_started": ("The game at this table has started.", "Wait for the next one."),
    "not_started": ("The table is still filling up.", "Wait until it is full."),
    "table_full": ("The table is full.", "Ask the host for a larger table."),
    "seats_kept": (
        "The free seats are kept for those who have played here before.",
        "Try again in half a minute.",
    ),
    "same_key": (
        "This identity already sits at the table.",
        "Another player on the same machine needs an identity of its own.",
    ),
    "bad_name": ("The host does not accept this name.", "Join with another --name."),
    "wrong_code": ("This is not the code of the table.", "Ask the host for the code it shows now."),
    "code_burned": (
        "This is not the code of the table, and after too many tries the old code holds no more.",
        "Ask the host for the code it shows now.",
    ),
    "no_spectators": ("This table has no room for another spectator.", "Ask the host for more room (--spectators N)."),
    "not_watching": ("The host does not know this spectator, or not any more.", "Watch again with the join code."),
    "busy": ("Too many are joining at once.", "Try again in a moment."),
    "too_slow": ("The host waited too long for an answer.", "Try again."),
    "faulty": ("The other side has had too many invalid messages from this seat.", ""),
}


class Refused(NetError):
    """The other side said no. ``code`` is one of REFUSALS, or a later version's."""

    def __init__(self, code: str, reason: str = "") -> None:
        text, hint = REFUSALS.get(code, ("", ""))
        super().__init__(text or f"The other side refused: {clean(reason) or clean(code)}", hint)
        self.code: Final = code
