"""A seat whose files may be older than its last signatures: what it may sign, and when.

Theory of operation. A backup or a synced folder can bring back an older copy of a seat's files. What the seat signed
after the copy was made is with the others alone. To sign a second thing for one place would be cheating; to forget a
ballot or a head would break a promise on which the consensus rests (ballots.py). So the seat asks each other seat for
all that it has signed, adopts it, and goes through these states, never by time alone:

    state        entered when                                   contributions, remarks       ballots, heads
    recovering   its files may be older                         none                         none
    careful      a strict majority of the members, itself not   in the open step, once       none
                 counted (of two: the other), has answered      every other has answered
    recovered    every other has answered, and all steps that   all                          all
                 were open when a majority had are final; at
                 once if no member is left out

A seat counts as having answered once its first step that is not final is here too, so that the answer is about the same
steps. Others that have left or are proved cheats are not waited for. Between careful and recovered, ballots and heads
are free as soon as the steps that were open then are final: a majority has closed them without this seat, so a
forgotten vote about them changes nothing. Above a step that is not final yet the seat signs nothing meanwhile, because
that would show how it closed the step. Where there are no ballots, a closed step is final at once.

An answer of every seat, and not of a majority alone, is needed for contributions: one that only a single seat has
received would be evidence in its hands. Once every member has answered, no vote is forgotten either: one that no other
seat holds is as good as never signed.

A seat that recovers itself counts in no majority. Once it waits only for seats that recover too, it answers with what
it holds. Something on its way from its former life to a third seat may have come there later than the answer of that
seat, so after such an answer the others are asked again.
"""

from seqp2p.match.machine import Match


class Recovery:
    """The recovery of one seat. ``waited_out`` is asked about once a second; times are on the caller's clock."""

    def __init__(self, match: Match, own_seat: int) -> None:
        self._match = match
        self._own_seat = own_seat
        self._answered: set[int] = set()
        self._half_answered: set[int] = set()  # by seats that recover themselves
        self.asking: set[int] = set()  # seats that recover, as far as they have asked this one
        self._opened = 0  # the last step that was open when a majority had answered; 0 before
        self._blocked_since: float | None = None

    @property
    def others(self) -> frozenset[int]:
        """The other seats of the game, without those that have left or are proved cheats."""
        gone = self._match.left.keys() | self._match.proven.keys() | {self._own_seat}
        return frozenset(self._match.game.seats) - gone

    @property
    def missing(self) -> frozenset[int]:
        """The seats that have not answered."""
        return self.others - self._answered - self._half_answered

    @property
    def careful(self) -> bool:
        """True once a majority has answered."""
        return self._opened > 0

    @property
    def may_answer(self) -> bool:
        """True if only seats that recover themselves have not answered: the others know no more of them than this."""
        return self.careful and self.missing <= self.asking

    @property
    def may_vote(self) -> bool:
        """True if ballots and heads may be signed."""
        return self.careful and (self._knows_all or self._match.final >= self._opened)

    @property
    def may_contribute(self) -> bool:
        """True if a contribution to the open step may be signed."""
        base = self._match.chain.base
        below = base is not None and base.votable and self._match.number != base.number <= self._opened
        return self.careful and not self.missing and (self._knows_all or not below)

    @property
    def recovered(self) -> bool:
        """True if the seat has all that it signed, and forgotten votes change nothing."""
        return self.may_vote and not self.missing

    @property
    def _knows_all(self) -> bool:
        """True if every other member of each step that is not final has answered."""
        base = self._match.chain.base
        members = frozenset(self._match.game.seats) if base is None else base.decree.members
        return members - {self._own_seat} <= self._answered | self._half_answered

    def asked(self, seat: int) -> None:
        """Note that a seat has asked this one for its own signatures: it recovers too."""
        self.asking.add(seat)

    def answered(self, seat: int, step: int, *, recovers: bool = False) -> None:
        """Note that a seat has sent all that this one has signed; ``step`` is its first that is not final.

        ``recovers``: it may have lost some of that.
        """
        if step > self._match.final + 1:
            return  # Not before this seat is as far: it asks again.
        if seat in self.missing:
            self._blocked_since = None
        if not recovers:
            self._answered.add(seat)
        elif seat not in self._half_answered:
            self._half_answered.add(seat)
            self._answered.clear()
        members = self._match.game.seats
        others = frozenset(members) - {self._own_seat}
        answered = self._answered & others
        if not self.careful and (2 * len(answered) > len(members) or others <= answered):
            self._opened = self._match.number

    def waited_out(self, now: float, grace_s: float) -> bool:
        """Return True if the seat could not sign what the others wait for, for the grace since the last answer."""
        blocked = not self.careful or (self._own_seat in self._match.awaited and not self.may_contribute)
        if not blocked or self._blocked_since is None:
            self._blocked_since = now
        return now - self._blocked_since >= grace_s
