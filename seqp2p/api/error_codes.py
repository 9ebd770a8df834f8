"""The codes of errors and refusals: what a program reads where a person reads a sentence."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from seqp2p.errors import UserError
from seqp2p.lobby.events import DECLINED
from seqp2p.net.errors import REFUSALS, PeerRefused

ERROR_CODES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "usage": "The command or an argument is not one that seqp2p takes.",
        "stopped": "Ctrl-C, a signal or the end of the input has ended the command.",
        "failed": "The command could not be done on this machine; the reason says why.",
        "invalid": "The replay is invalid.",
        "bug": "There is a fault in seqp2p itself.",
        "home": "The folder of this player's own files cannot be used.",
        "settings": "The file of settings cannot be read or written.",
        "held": "Another process uses this identity or plays this seat.",
        "damaged": "A file of this game is damaged, so the seat must not sign again.",
        "not_resumable": "This game cannot be resumed; the reason says why.",
        "game_over": "The game has ended, so there is nothing to resume.",
        "seat_stopped": "The seat can sign nothing more for now. Its files stay.",
        "older_copy": "A copy of this game's files was put back, so the seat must not sign again.",
        "changed_key": "A known player has another key than before, and was not accepted.",
        "network": "The connection could not be made or kept; the reason says why.",
        "unreachable": "There is no answer at that address, or no such table.",
        "link_lost": "The connection ended or fell silent.",
        "no_answer": "A program is there that did not answer in time.",
        "table_closed": "The host has closed the table.",
        "wrong_key": "The program at that address is not the expected one: its key differs.",
        "faulty_peer": "The other program sent something that no honest program sends.",
        "refused": "The other side refused, with a code that this version does not know.",
        **{code: sentence for code, (sentence, _) in REFUSALS.items()},
        **DECLINED,
    }
)
"""What each code means.

The codes from ``version`` to ``faulty`` are refusals of the other side. Those from ``seat_taken`` on are of the event
``declined``, and end no command.
"""


def code_of(error: UserError) -> str:
    """Return the code of an error, one of ERROR_CODES; that of a refusal is the other side's word: one of REFUSALS."""
    return error.code if error.code in (REFUSALS if isinstance(error, PeerRefused) else ERROR_CODES) else "refused"
