"""A bot that plays a seat of a script."""

import random
import secrets

import trio

from seqp2p.api.seat import Seat
from seqp2p.api.turns import Turn
from seqp2p.arguments import check_arguments
from seqp2p.bots.exec_player import FAILURES_MAX, BotFailed, Time
from seqp2p.bots.player import TIME_S, TIME_S_MAX, Bot, check_bot
from seqp2p.bots.registry import BOTS, RandomBot, why_no_bot
from seqp2p.i18n import message
from seqp2p.live.asking import PATIENCE_S
from seqp2p.match.events import Result
from seqp2p.rules import Action


@check_arguments
async def play_bot(seat: Seat, bot: Bot | str, *, pace_s: float = 0.0, time_s: float = TIME_S) -> Result:
    """Play this seat to the end of its game with a bot, or the one of that name in BOTS; return its result.

    ``choose`` is called in a worker thread, one call at a time; ``pace_s`` is the least time in seconds that a turn
    takes. A bot that does not choose within ``time_s`` seconds, or within the time that the table gives, is treated as
    a program of ``--exec``: an action is drawn at random, ``seat.events`` has BotFailed, and after three such failures
    in a row the bot is not asked again. Nor is it asked while it still thinks about an earlier turn. Both times are at
    most a day. Cancelled, it waits for no bot: a thread that still runs is abandoned.

    Raises TypeError for what is no bot, ValueError for an unknown name or what is no time, IllegalAction for an illegal
    choice, and any error of the bot.
    """
    if not 0 <= pace_s <= TIME_S_MAX:
        raise ValueError(f"pace_s must be 0 to {TIME_S_MAX} seconds, not {pace_s}")
    if not 0 < time_s <= TIME_S_MAX:
        raise ValueError(f"time_s must be more than 0 and at most {TIME_S_MAX} seconds, not {time_s}")
    # A bot's choices need no secrecy, but no player should be able to foresee them.
    randomness = random.Random(secrets.randbits(128))  # noqa: S311  # seeded with secrets
    if isinstance(bot, str):
        if reason := why_no_bot(bot):
            raise ValueError(reason)
        bot = BOTS[bot](randomness)
    check_bot(bot)
    ask, lot = bot.choose, RandomBot(randomness)
    time = Time(time_s, seat.settings.turn_time_s, PATIENCE_S)
    failures, one_call = 0, trio.CapacityLimiter(1)  # A call that is too late may still go on.

    async def choose(turn: Turn) -> Action:
        nonlocal failures
        still_thinks = one_call.borrowed_tokens > 0
        if failures < FAILURES_MAX and not still_thinks:
            limit_s = time.limit_s(turn.view.phase)
            with trio.move_on_after(limit_s):
                action = await trio.to_thread.run_sync(ask, turn.view, abandon_on_cancel=True, limiter=one_call)
                failures = 0
                return action
            failures += 1
            reason = message("it did not choose within {seconds} seconds", seconds=f"{limit_s:g}")
            seat.tell(BotFailed(reason, gone=failures == FAILURES_MAX))
        return lot.choose(turn.view)

    async for turn in seat:
        begun = trio.current_time()
        action = await choose(turn)
        await trio.sleep_until(begun + pace_s)
        await turn.play(action)
    assert seat.result is not None, "the game has ended"
    return seat.result
