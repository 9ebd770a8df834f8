"""How a table plays, with what is usual for all that is not said."""

from seqp2p.i18n import listed, message, message_of
from seqp2p.match.encoding import DecodeError, structure
from seqp2p.match.table import Settings, TableError, check_settings
from seqp2p.rules import VARIANTS, Options, RulesError, check_table, default_teams

GRACE_S = 120


def table_settings(
    players: int = 2,
    *,
    variant: str = "classic",
    teams: int | None = None,
    advanced: bool = False,
    table_talk: bool = True,
    manual_draw: bool = False,
    open_hands: bool = True,
    turn_time_s: int = 0,
    grace_s: int = GRACE_S,
) -> Settings:
    """The settings of a table for so many players; raises TableError with the reason where they cannot be played.

    ``variant`` is classic or kids; without ``teams`` there are as many as usual. ``advanced``: one-eyed jacks may
    break a completed sequence. Without ``table_talk`` a remark may be called. ``manual_draw``: players draw by
    themselves, and can forget to. ``open_hands``: the replay shows all hands in the end. ``turn_time_s``: seconds for
    a turn, 0 for no clock. ``grace_s``: how long a seat that cannot be reached is waited for.
    """
    if variant not in VARIANTS:
        raise TableError(
            message("no such game: {name!r}; there are {variants}", name=variant, variants=listed(VARIANTS))
        )
    rules = VARIANTS[variant]
    try:
        count = default_teams(rules, players) if teams is None else teams
        check_table(rules, players, count, Options())
    except RulesError as error:
        raise TableError(message_of(error)) from None
    fields = {
        "variant": variant,
        "players": players,
        "teams": count,
        "colours": rules.colours[:count],
        "advanced": advanced,
        "table_talk": table_talk,
        "manual_draw": manual_draw,
        "open_hands": open_hands,
        "turn_time_s": turn_time_s,
        "grace_s": grace_s,
    }
    try:
        settings = structure(Settings, fields)  # What the others would refuse, no table is opened with.
    except DecodeError as error:
        raise TableError(message_of(error)) from None
    check_settings(settings)
    return settings
