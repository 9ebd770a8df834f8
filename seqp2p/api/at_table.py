"""What a seat and a spectator both know of their table."""

from seqp2p.match.machine import Match
from seqp2p.match.table import Settings
from seqp2p.replay.verify import Player


class AtTable:
    """Somebody at a table: which game it is, how it is played, and who plays."""

    def __init__(self, match: Match) -> None:
        self._match = match

    @property
    def game(self) -> str:
        """The id of the game, 64 hexadecimal digits."""
        return self._match.game.id.hex()

    @property
    def settings(self) -> Settings:
        """How the table plays."""
        return self._match.game.agreement.settings

    @property
    def players(self) -> tuple[Player, ...]:
        """Who sits at the table, in seat order: name, and identity key (64 hexadecimal digits)."""
        entries = enumerate(self._match.game.agreement.seats, 1)
        return tuple(Player(number, entry.name, entry.key.hex()) for number, entry in entries)
