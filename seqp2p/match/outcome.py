"""The end of a game: by the position on the board, or without an opponent."""

from collections.abc import Set as AbstractSet

from seqp2p.i18n import listed, message
from seqp2p.match.events import Result
from seqp2p.match.game import Game
from seqp2p.rules import team_of


def final_result(game: Game) -> Result:
    """Return the result by the position on the board."""
    position = game.table_position()
    if not position.winner:
        return Result("drawn")
    return Result("won", tuple(seat for seat in game.seats if team_of(seat, position.teams) == position.winner))


def names(game: Game, seats: AbstractSet[int]) -> str:
    """Return seats for people: ``seat 2 (ann), seat 3 (bob)``."""
    entries = game.agreement.seats
    return listed(message("seat {seat} ({name})", seat=seat, name=entries[seat - 1].name) for seat in sorted(seats))


def forfeit(game: Game, left: AbstractSet[int], cheats: AbstractSet[int]) -> Result | None:
    """Return a forfeit if every remaining opponent has left or is proved to have cheated; else None.

    Throwing players out is not winning: the seats dropped last must have signed a leave, or be proved cheats.
    """
    at_fault = left | cheats
    stay = [seat for seat in game.seats if seat not in at_fault]
    teams = game.teams_of(stay)
    if game.position is None or game.position.over or len(teams) != 1:
        return None
    last = {seat for seat in at_fault if seat in game.seats} or set(game.last_gone)
    opponents = {seat for seat in last if not game.teams_of([seat]) <= teams}
    if not opponents or not opponents <= at_fault:
        return None
    cheated, gone = opponents & cheats, opponents - cheats
    reasons = [message("{seats} cheated", seats=names(game, cheated))] if cheated else []
    reasons += [message("{seats} left the table", seats=names(game, gone))] if gone else []
    reason = reasons[0] if len(reasons) == 1 else message("{first}; {second}", first=reasons[0], second=reasons[1])
    return Result("forfeit", tuple(stay), reason)


def without_forfeit(result: Result) -> Result:
    """Return a result as all but the winners of a forfeit tell it: only a winner's replay names them."""
    return Result("unfinished", (), result.reason) if result.kind == "forfeit" else result


def result_of(game: Game, left: AbstractSet[int], cheats: AbstractSet[int]) -> Result:
    """Return the result of a game in which drops have left one team."""
    last = names(game, set(game.last_gone))
    reason = message("without {last} there is nobody to play against", last=last)
    if game.joint_key.is_infinity:
        reason = message(
            "without {last} the game keys of those who stay cancel each other out: no card can be dealt", last=last
        )
    return forfeit(game, left, cheats) or Result("unfinished", (), reason)
