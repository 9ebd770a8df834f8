"""Votes of one seat to close a step without its contributor. Decisions only; match/ballots.py has the theory.

A seat votes at once to drop seats that have signed a leave or are proved cheats; after the grace to drop seats that
cannot be reached; when the table's clock has run out to skip the mover, and the second time in a row to drop it. Where
there are no votes (before the first deal, with two seats, at the end) such things end the game: ``Absence.why_over``.

Without evidence (absent, late, owing, silent, or as others vote) it votes only about a seat that it has a direct link
to, or has looked for itself since the wait began (net/relay.py): a host between two seats can keep back what one of
them sends. A search puts off a vote by at most ``SEARCH_MAX_S`` after the grace.
"""

import math
from dataclasses import dataclass
from typing import Final, Protocol

from seqp2p.live.absence import Absence
from seqp2p.match.ballots import Wish
from seqp2p.match.chain import LiveStep
from seqp2p.match.machine import Match
from seqp2p.match.signed import Reason
from seqp2p.net.relay import SEARCH_MAX_S

# The time of a round; each further one of a step takes a little longer, so that all seats meet in one.
ROUND_S: Final = 2.0
ROUND_MAX_S: Final = 8.0
# A seat that can be reached and has not voted as the others by then is dropped too: it would stop the game.
SILENT_S: Final = 15.0
# From its last ballot on, besides the grace, a seat waits so long: others find it silent, and vote without it.
SPENT_S: Final = SILENT_S + SEARCH_MAX_S + 2 * ROUND_MAX_S


class LinkedSeats(Protocol):
    """The links of this seat, as far as votes depend on them: a relay."""

    def has_sought(self, seat: int, since: float) -> bool:
        """Return True if there is a direct link to a seat, or it has been looked for everywhere since then."""
        ...

    def claimed_links(self, seat: int) -> frozenset[int]:
        """Return the seats that another claims direct links with."""
        ...


@dataclass(frozen=True, slots=True)
class Due:
    """A ballot to sign now."""

    round: int
    wish: Wish
    reason: Reason


@dataclass(frozen=True, slots=True)
class AskAbout:
    """The seats to ask the player of this seat about now: they have been away for the whole grace. None ends it."""

    seats: tuple[int, ...]


class Voting:
    """The votes of one seat. ``asks``: a person plays it, and is asked before a seat is dropped for being away."""

    def __init__(self, match: Match, own_seat: int, absence: Absence, ways: LinkedSeats, *, asks: bool) -> None:
        self._match = match
        self._own_seat = own_seat
        self._absence = absence
        self._ways = ways
        self._asks = asks and not match.game.agreement.settings.turn_time_s
        self._allowed: set[int] = set()
        self._waits_from = -math.inf  # when the person who plays here last said to wait
        self._round: tuple[int, int] = (0, 0)
        self._round_at = 0.0
        self._hindered_at = 0  # the step
        self._hindering: dict[int, float] = {}  # since when, by seat
        self._spent_at = (0, 0.0)  # the step about which this seat has no ballot left, and since when
        self._accused_at = 0  # the step
        self._accused: dict[int, float] = {}  # since when others vote about a seat

    def allow(self, seat: int) -> None:
        """Note that the person who plays here no longer waits for this seat."""
        self._allowed.add(seat)

    def wait(self, now: float) -> None:
        """Note that the person who plays here waits for all who are away, for another grace; then it is asked again."""
        self._waits_from = now

    def waits_for(self, seat: int) -> None:
        """Note that the seat is back: if it goes away again, the person is asked again."""
        self._allowed.discard(seat)

    def to_ask(self, now: float) -> frozenset[int]:
        """Return the seats to ask the person about: away for the whole grace, and awaited by the game.

        Nobody is asked where too few are left for a vote.
        """
        base = self._match.chain.base
        if not self._asks or base is None or not base.votable:
            return frozenset()
        if not base.decree.majority(base.decree.members - self._absence.away(now)):
            return frozenset()
        return (self._keep_waiting(now, now) & self._match.awaited) - self._allowed

    def due(self, now: float) -> Due | None:
        """Return the ballot that this seat should sign now, or None."""
        base = self._match.chain.base
        if base is None or not base.votable or self._own_seat not in base.decree.members:
            return None
        stuck = self._stuck(base, now)
        wished = self._wish(base, now)
        due = base.decree.ballot_due(self._own_seat, wished[0] if wished else None, stuck=stuck)
        if due is None:
            return None
        round_, wish = due
        if wished and wished[0] == wish:
            return Due(round_, wish, wished[1])
        foreign = wish.about - wished[0].about if wished else wish.about
        return Due(round_, wish, "joined") if self._may_join(base, foreign, now) else None

    def _may_join(self, base: LiveStep, foreign: frozenset[int], now: float) -> bool:
        """Return True if this seat may copy a ballot about these seats too, which it has no wish about.

        A seat that holds a way to close the step names that, and it counts in place of the ballot's action.
        """
        if base.decree.last() is not None and not base.decree.cheats:
            return True
        known = self._accused if self._accused_at == base.number else {}
        self._accused_at = base.number
        self._accused = known | dict.fromkeys(foreign - known.keys(), now)
        sure = self._match.left.keys() | self._match.proven.keys()
        return all(self._has_sought(seat, self._accused[seat], now) for seat in foreign - sure)

    def _has_sought(self, seat: int, since: float, now: float) -> bool:
        put_off_s = self._absence.grace_s + SEARCH_MAX_S
        return now - since >= put_off_s or self._ways.has_sought(seat, since)

    def hopeless(self, now: float) -> frozenset[int]:
        """Return the gone, overdue and voted out seats, and cheats, if there is no majority without them; else none."""
        base = self._match.chain.base
        if base is None or not base.votable:
            return frozenset()
        cheats_or_left = self._match.proven.keys() | self._match.left.keys()
        away_or_silent = self._away(now) | self._silent(base, now)
        own = base.decree.votes.get(base.decree.promised, {}).get(self._own_seat)
        voted_out = own.about if own is not None and own.action == "drop" else frozenset[int]()
        without_proof = away_or_silent | (self._absence.late(now) & voted_out) | self._absence.overdue(now)
        gone = (self._unspared(without_proof, now) | cheats_or_left) & base.decree.members
        return frozenset() if base.decree.majority(base.decree.members - gone) else gone

    def spent(self, now: float) -> bool:
        """Return True if this seat has no ballot left about the base, and the others have had time to close it."""
        base = self._match.chain.base
        if base is None or not base.votable or not base.decree.voted_out(self._own_seat):
            return False
        if self._spent_at[0] != base.number:
            self._spent_at = base.number, now
        return now - self._spent_at[1] >= SPENT_S + self._absence.grace_s

    def _stuck(self, base: LiveStep, now: float) -> bool:
        # Its own round: a seat that begins one after the other holds no other seat up.
        own_round = base.decree.promised
        if (base.number, own_round) != self._round:
            self._round, self._round_at = (base.number, own_round), now
        return now - self._round_at >= min(ROUND_MAX_S, ROUND_S * max(1, own_round))

    def _wish(self, base: LiveStep, now: float) -> tuple[Wish, Reason] | None:
        members = base.decree.members - {self._own_seat}
        left = self._match.left.keys() & members
        cheats = self._match.proven.keys() & members
        away = self._unspared(self._away(now), now) & members
        late = self._unspared(self._absence.late(now) | self._absence.owing(now), now) & members
        late = frozenset(seat for seat in late if self._has_sought(seat, self._absence.moved_at, now))
        # A seat that is away is no hindrance as long as the game does not wait for it.
        awaited = self._match.awaited | (members if base is not self._match.chain.open else frozenset[int]())
        gone = left | cheats | self._unspared(self._silent(base, now), now)
        if away & awaited or gone:
            gone |= away
        skippable = len(late) == 1 and base.plan.kind == "turn" and base is self._match.chain.open
        if late and not (skippable and late.isdisjoint(self._match.game.skipped)):
            gone |= late
        if gone:
            reason: Reason = "cheated" if cheats else "left" if left else "absent" if away else "late"
            wish = Wish("drop", frozenset(gone))
        elif late:
            reason, wish = "late", Wish("skip", late)
        else:
            return None
        return (wish, reason) if base.decree.majority(base.decree.members - wish.about) else None

    def _away(self, now: float) -> frozenset[int]:
        away = self._sought_away(now, now)
        if not self._asks:
            return away
        # A person who does not answer for as long again is not asked any more.
        long_away = self._keep_waiting(now - self._absence.grace_s, now)
        return (away & (self._allowed | self._given_up_by_others())) | long_away

    def _keep_waiting(self, at: float, now: float) -> frozenset[int]:
        """The seats that had been away for the whole grace at a time, and since the person said to wait."""
        return self._sought_away(at, now) if at - self._waits_from >= self._absence.grace_s else frozenset()

    def _sought_away(self, at: float, now: float) -> frozenset[int]:
        """The seats that had been away for the whole grace at a time, and were looked for."""
        away = self._absence.away(at)
        return frozenset(seat for seat in away if self._has_sought(seat, self._absence.away_since(seat), now))

    def _unspared(self, seats: frozenset[int], now: float) -> frozenset[int]:
        """Return those of these seats that this seat may vote about: not the spared ones, unless others have begun."""
        return seats - (self._absence.spared(now) - self._given_up_by_others())

    def _given_up_by_others(self) -> frozenset[int]:
        """The seats without which another person wants to go on: one answer is enough for a table."""
        base = self._match.chain.base
        votes = base.decree.votes.values() if base is not None else ()
        return frozenset(seat for each in votes for vote in each.values() for seat in vote.about)

    def _silent(self, base: LiveStep, now: float) -> frozenset[int]:
        """The seats that keep this seat's rounds from closing the step for longer than honest ones ever differ.

        They can be reached all that time, or have had the grace besides.
        """
        votes = base.decree.votes.get(base.decree.promised, {})
        own = votes.get(self._own_seat)
        hindering = base.decree.hindering(Wish(own.action, own.about)) if own is not None else frozenset[int]()
        hindering -= {self._own_seat}  # its own statement may be the one that is not borne out here
        about = own.about if own is not None else frozenset[int]()
        looked_for = about - self._match.left.keys() - self._match.proven.keys()
        known = self._hindering if self._hindered_at == base.number else {}
        # The others find a silent seat so at other moments: it stays in this seat's ballots until it votes itself.
        stays = about & known.keys()
        if stays & votes.keys():
            known, stays = dict[int, float](), frozenset[int]()
        hindering |= stays
        self._hindered_at, self._hindering = base.number, {seat: known.get(seat, now) for seat in hindering}

        def is_silent(seat: int, since: float) -> bool:
            # It may be looking for a seat that it has no link with.
            looks_s = 0.0 if looked_for <= self._ways.claimed_links(seat) | {seat} else SEARCH_MAX_S
            waited_s = min(now - since, self._absence.reachable_s(seat, now))
            long = waited_s >= SILENT_S + looks_s or now - since >= SILENT_S + looks_s + self._absence.grace_s
            if stays and seat in votes and about - votes[seat].about <= stays:
                # It may take the longest of these times until it finds the same seats silent.
                long = now - since >= SILENT_S + SEARCH_MAX_S + self._absence.grace_s
            return long and self._has_sought(seat, since, now)

        return frozenset(seat for seat, since in self._hindering.items() if is_silent(seat, since))
