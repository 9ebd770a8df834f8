"""Settings of a table, with the usual value for every choice left out."""

from typing import Any, Unpack

from seqp2p.arguments import check_arguments
from seqp2p.i18n import listed, message, message_of
from seqp2p.match.table import (
    GRACE_S_MAX,
    TURN_TIME_S_MAX,
    USUAL_OPTIONS,
    Settings,
    TableChoices,
    TableError,
    check_settings,
)
from seqp2p.rules import KNOWN_VARIANTS, VARIANTS, Options, RulesError, check_table, default_teams

GRACE_S = 120
TURN_TIME_S_MIN = 5
"""A clock too short to play by is refused at this end. Those of others may be as short as they like."""


@check_arguments
def table_settings(players: int = 2, **choices: Unpack[TableChoices]) -> Settings:
    """Return the settings of a table for so many players. Raises TableError with the reason if they cannot be played.

    ``variant`` is classic (the usual one) or kids; without ``teams`` there are as many as usual. ``advanced``: one-eyed
    jacks may break a completed sequence. ``table_talk=False``: a remark may be called. ``manual_draw``: players draw by
    themselves, and can forget to. ``open_hands=False``: the replay does not show all hands in the end.
    ``turn_time_s``: seconds for a turn, 5 to 86400, or 0 (usual) for no clock. ``grace_s``: seconds to wait for a seat
    that cannot be reached, 1 to 86400 (120).
    """
    variant, teams = choices.get("variant", "classic"), choices.get("teams")
    if variant not in KNOWN_VARIANTS:
        raise TableError(
            message("no such game: {name!r}; there are {variants}", name=variant, variants=listed(VARIANTS))
        )
    rules = KNOWN_VARIANTS[variant]
    try:
        count = default_teams(rules, players) if teams is None else teams
        check_table(rules, players, count, Options())
    except RulesError as error:
        raise TableError(message_of(error)) from None
    values: dict[str, Any] = {**USUAL_OPTIONS, "turn_time_s": 0, "grace_s": GRACE_S, **choices}
    values |= {"variant": variant, "players": players, "teams": count, "colours": rules.colours[:count]}
    settings = Settings(**values)
    # What the others would refuse, no table is opened with.
    check_settings(settings)
    if settings.turn_time_s != 0 and not TURN_TIME_S_MIN <= settings.turn_time_s <= TURN_TIME_S_MAX:
        raise TableError(
            message("a turn has {least} to {most} s, or 0 for no clock", least=TURN_TIME_S_MIN, most=TURN_TIME_S_MAX)
        )
    if not 1 <= settings.grace_s <= GRACE_S_MAX:
        raise TableError(message("a seat that cannot be reached is waited for 1 to {most} s", most=GRACE_S_MAX))
    return settings
