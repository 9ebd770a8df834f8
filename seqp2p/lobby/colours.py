"""The colours of a lobby's teams: each team may choose one, and the others keep what is left."""

from msgspec.structs import replace

from seqp2p.match.table import Settings


class TeamColours:
    """The colours chosen so far: for each team its colour, and the key that chose it."""

    def __init__(self) -> None:
        self._chosen: dict[int, tuple[bytes, str]] = {}

    def choose(self, settings: Settings, team: int, key: bytes, colour: str) -> Settings | str:
        """Return the settings with this team's new colour, or the code of the reason why it cannot have it.

        A team that has chosen nothing gives its colour away for the one that becomes free.
        """
        if colour not in settings.offered_colours:
            return "no_colour"
        if any(colour == chosen for other, (_, chosen) in self._chosen.items() if other != team):
            return "colour_taken"
        self._chosen[team] = key, colour
        old = settings.colours[team - 1]
        swapped = {old: colour, colour: old}
        return replace(settings, colours=tuple(swapped.get(each, each) for each in settings.colours))

    def forget(self, key: bytes) -> None:
        """Release the choice of a player who has left its team; the team keeps the colour until another chooses it."""
        self._chosen = {team: choice for team, choice in self._chosen.items() if choice[0] != key}
