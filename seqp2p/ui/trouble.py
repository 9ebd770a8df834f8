"""The table's reactions to seats that are away, have left or have cheated, in sentences for newcomers."""

from collections.abc import Collection
from typing import Final

from seqp2p.i18n import message
from seqp2p.ui.language import t, tn, translate
from seqp2p.ui.words import Company, listed

NO_FORM: Final = message("what it signed is not in the form that it has in a game")


def away_explained(company: Company, seat: int, players: int) -> str:
    """Explain the consequences of an absence, and the way to resume."""
    name = company.name(seat)
    if players == 2:
        return t("{name} can come back with seqp2p resume; after that time the game ends unfinished", name=name)
    return t(
        "{name} can come back with seqp2p resume; after that time the table decides whether to go on without {name}",
        name=name,
    )


def proven_line(company: Company, seat: int, step: int, reason: str) -> str:
    """A seat has signed what it must not have signed: what that was."""
    # A library's own words speak of fields and types.
    what = (
        translate(NO_FORM)
        if any(sign in reason for sign in ("`", "msgpack", "canonical"))
        else company.to_reader(reason)
    )
    if seat == company.own:
        return t("you are proved to have cheated at step {step}: {reason}", step=step, reason=what)
    name = company.name(seat)
    return t("{name} is proved to have cheated at step {step}: {reason}", name=name, step=step, reason=what)


def proof_explained() -> str:
    """Explain the weight of evidence."""
    return t("everybody at the table has the proof and has checked it; it is in the replay too")


def left_line(company: Company, seats: Collection[int]) -> str:
    """Seats that have left the game by their own signature."""
    names = listed([company.name(seat) for seat in sorted(seats)])
    return tn("{names} has left the table", "{names} have left the table", len(seats), names=names)


def vote_explained(company: Company, action: str, seats: Collection[int]) -> str:
    """Explain a vote, to ``skip`` the turn of seats or to ``drop`` them."""
    names = listed([company.name(seat) for seat in sorted(seats)])
    if action == "skip":
        return t(
            "that is a vote: once more than half of the seats have voted so, the turn of {names} passes, and no more",
            names=names,
        )
    return t(
        "that is a vote: once more than half of the seats have voted so, the game goes on without {names},"
        " and all cards that have not been played are dealt anew",
        names=names,
    )
