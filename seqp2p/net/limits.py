"""Every limit of the network. A peer can make this program hold or do no more than this.

Three small classes keep them, without a clock or a task: ``Pace`` bounds costs, ``Window`` counts, ``Newest`` memory.

Theory of a pace. One pace belongs to one authenticated peer, and outlives its links. Everything that it makes this
program do has a price in seconds of processor time: a message and its bytes (read from any of its links), bytes that
are sent to it again, a link, and the measured time of each check that changed nothing. When more is spent than the
burst and the rate allow, the peer is not punished but read later: its readers wait, and its new links too.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

K = TypeVar("K")
V = TypeVar("V")

SPECTATORS_MAX: Final = 200
"""The most that an option allows at one host: 200 links carry each byte of the game 200 times."""
_AT_ONCE_S: Final = 0.001
"""A shorter wait than this is none: clocks are no finer."""
_PAUSE_S: Final = 0.2
"""A wait lasts this much longer than it must: to wake up for each message would cost more than the message."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes are bytes, times seconds. Each default has the reason for its value."""

    frame_before_auth_max: int = 4_096
    """A stranger's frame. The largest message of a handshake has under 300 bytes; a whole page is generous."""

    frame_max: int = 131_072
    """A frame of a known peer. Evidence is the largest: two contributions of at most 32 kB each, and a signature."""

    handshakes_max: int = 64
    """Strangers that have not authenticated yet. An honest handshake takes milliseconds, so the oldest of 64 is a slow
    one: it makes room for the newest."""

    handshake_cost_ms: int = 2
    """For each TLS handshake of a source: 1.0 ms, and as much to check a proof and refuse it. A seat that is then
    linked gets it back."""

    handshake_rate: float = 0.5
    """Of one core, for the handshakes of one source with a lobby: 250 a second, and 250 at once. Beyond it they wait,
    and the oldest lose their places."""

    game_handshake_rate: float = 0.02
    """The same during a game: ten a second, and 100 at once. A seat that is not linked any more makes these alone, and
    on a busy machine each takes 4 ms. A seat that comes back makes one; with fifty spectators of one club it is 61."""

    sources_max: int = 1_024
    """Sources whose handshakes are counted. The one that came longest ago is forgotten first."""

    authenticate_s: float = 5.0
    """From the connection to "accepted": TLS and two round trips, under 0.1 s on a LAN, 1 s on a small busy machine."""

    connect_s: float = 5.0
    """For TCP to connect to one address. A running machine answers at once; one retransmission takes 1 s."""

    unsent_max: int = 2_097_152
    """Queued for one link. The longest whole game of twelve has under 1 MB, so only a neighbour that does not read
    reaches it; 11 links at this limit are 23 MB."""

    resync_max: int = 524_288
    """Sent in answer to one ``have``: hundreds of steps, yet a quarter of what a link may hold unsent."""

    resend_s: float = 4.0
    """The pause before a thing is sent again on one link: two heartbeats, which would confirm it."""

    answer_pause_s: float = 0.5
    """Between two answers to one neighbour's ``have``. An honest one sends one every heartbeat on each of two links."""

    heartbeat_s: float = 2.0
    """Between two signs of life on a quiet link. Four fit into the silence that ends a link."""

    silence_s: float = 8.0
    """Without a byte from the other side, or with a frame unsent, a link is dead: noticed within 10 s."""

    cost_rate: float = 0.05
    """Of one core, for one seat over all its links in the long run: half a core for a table of twelve at its worst. A
    seat that costs more is read later, not punished. What is accepted is free, whether it is its own or passed on."""

    cost_burst_s: float = 0.5
    """Of processor time, for one seat at once before the rate counts: a whole resync of any game, three times."""

    message_cost_us: int = 250
    """For each message: to read, decode and hand it on takes 100 to 250 µs. An honest seat sends a few a second that
    are not accepted: signs of life, and what another has sent before."""

    byte_cost_ns: int = 50
    """For each byte read: 1 MB a second is what the rate allows, where a game needs a few kB."""

    resend_cost_ns: int = 250
    """For each byte sent in answer to ``have``: the burst has room for the longest whole game (1 MB) twice."""

    link_cost_ms: int = 50
    """For each link that a seat makes: ten at once, then one a second. An honest one makes one after each break."""

    code_tries: int = 3
    """Wrong or broken-off exchanges before a join code of two words is burned: 3 guesses in 65,536. Each further word
    gives 256 times as many, at the same chance (docs/security.md)."""

    code_words_max: int = 4
    """Words of a join code after two burned ones: 196,608 tries, which take almost three hours."""

    codes_per_day: int = 10
    """Burned codes in 24 hours. Then only keys that finished a game with this host may try, until the day is over."""

    code_wrong_s: float = 0.05
    """After a wrong guess: 20 a second for the whole table, at 25 ms of arithmetic each."""

    code_friend_tries: int = 3
    """Wrong guesses an hour of a key that has finished a game with this host. They burn no code."""

    code_exchange_s: float = 5.0
    """For a client to begin the exchange of a join code, and to end it. Two round trips and 4 × 6 ms of arithmetic."""

    code_hurry_s: float = 1.5
    """For a client to confirm while others wait and none succeeds: ten times what an honest one needs."""

    code_parallel_max: int = 16
    """Exchanges side by side. They share the processor, so more gain nothing; clients that stall hold 16 places."""

    code_waiting_max: int = 64
    """Clients that have begun and wait for their turn: eleven honest joiners and fifty spectators, all at once. As many
    may be about to begin."""

    code_rest_s: float = 0.05
    """After a spectator's exchange. Each takes 25 ms of arithmetic, so a peer that knows the code and comes again and
    again takes at most a third of one core from the game."""

    knock_s: float = 20.0
    """For a joiner to get its turn at the code: it dials again as long as its code was not tried."""

    lobby_answer_s: float = 10.0
    """For a joiner to answer with a nonce, or to check the table: no person is asked, so only a lost one takes long."""

    full_table_s: float = 10.0
    """A full table whose host is a person at a terminal: players change seats and colours, and talk. Each change begins
    the time again, and the host can begin the game at once."""

    rematch_keeps_s: float = 30.0
    """Another game at one table: seats are kept this long for their players. All return at once, before they answer."""

    rematch_wait_s: float = 90.0
    """Another game at one table: a seat looks this long for the host's open lobby. The host may think for 60 s."""

    rematch_pause_s: float = 0.5
    """Between two tries at the host's lobby."""

    dial_s: float = 5.0
    """One dial of a seat, from TCP to "accepted". Those of its addresses go on side by side."""

    dial_min_s: float = 0.25
    """First pause between two attempts to reach a seat; doubles, with jitter, up to ``dial_max_s``."""

    dial_max_s: float = 8.0
    """Longest pause: a seat that resumes is linked again within 10 s."""

    dial_patience_s: float = 1.0
    """The lower seat gives the higher one this time to dial, before it dials itself."""

    links_per_seat: int = 2
    """Both ends may dial at once, and a new link may come before the old one is known to be dead. More are no fault
    and no use: the oldest goes."""

    faults_max: int = 3
    """Invalid messages before a seat is not linked any more. One could be a bug met once; three are a habit."""

    addresses_per_seat: int = 4
    """IPv4 and IPv6 of two interfaces."""

    tables_max: int = 64
    """Advertised tables that are shown, and seats' statements that are kept. A large party has a dozen."""

    same_number_max: int = 8
    """Advertised tables of one number, or seats of one game, that are kept: so a flood of others hides none."""

    advert_max: int = 512
    """An advertisement's text, in bytes. An honest one has under 200."""

    advert_addresses_max: int = 8
    """Addresses advertised, and kept of one advertisement: four interfaces, IPv4 and IPv6. Each dial costs time."""

    discovery_close_s: float = 2.0
    """To take an advertisement back. Three packets within 0.3 s; without them it expires by itself."""

    rescan_s: float = 10.0
    """Between two scans of this machine's addresses: a network that comes up has advertisements within 10 s."""

    known_players_max: int = 1_000
    """Players remembered with their keys: more than a person plays with, under 200 kB. Beyond it the player not met for
    the longest time is forgotten; to push out a friend takes a thousand tables under other names."""

    remark_burst: int = 8
    """Remarks of one seat taken within ``remark_burst_s``: a quick typist's. Further ones wait."""

    remark_burst_s: float = 10.0
    """See ``remark_burst``: players read no more than this at a table."""

    known_max: int = 4_096
    """Digests kept per neighbour, of the things it has: over twice the contributions of the longest game."""

    lines_max: int = 20
    """Lines that one player says in a lobby within ``lines_s``, and as many wishes for seats and colours; also the
    lines about players who come and go. More than a person types; each change of seats begins the agreement again, so a
    flood of them would hold up the start."""

    lines_s: float = 60.0
    """See ``lines_max``."""

    spectators_max: int = 50
    """Spectators at a table, unless the host sets another number: a class, a club's evening."""

    watch_batch_max: int = 131_072
    """Sent to a spectator in answer to one ``more``, with all that is unsent then. The longest game (1 MB) still comes
    within 5 s. All queues share the frames of one log, so the game is in memory once, also at the host's goodbye."""

    watch_frame_max: int = 1_024
    """A spectator's frame: ``more`` has under 30 bytes, ``bye`` under 900."""

    feed_cost_rate: float = 0.5
    """Of one core, for the host of a spectator: 2,000 messages a second; the longest game has three times as many."""

    watch_cost_rate: float = 0.004
    """Of one core, for one spectator in the long run: 16 messages a second, where an honest one sends two or three."""

    watch_cost_burst_s: float = 0.016
    """For one spectator at once before the rate counts: a few seconds' messages after a pause."""

    watch_link_cost_ms: int = 4
    """For each link of one spectator: four at once, then one a second. Another one is closed, and may try again."""

    watch_known_max: int = 1_024
    """Spectators remembered by key, who reconnect without the code: five times as many as there can be at once. The
    one that came longest ago is forgotten first."""

    watch_backlog_max: int = 8_388_608
    """Kept by a spectator before it is checked: twice the longest game, so only a host that invents contributions
    reaches it; then it is read no further."""

    relay_silence_s: float = 2.0
    """From the relay's ``ok`` to the first byte of the other end. A line that a router has forgotten stays silent."""

    relay_renew_s: float = 60.0
    """A waiting line is replaced after this time: routers forget a quiet line after minutes."""

    relay_keepalive_s: float = 20.0
    """Between two probes of TCP on a line."""

    relay_pause_min_s: float = 0.1
    """The shortest pause before the next line at one token. A random one keeps two sides from closing each other's."""

    relay_pause_max_s: float = 0.5
    """The longest of these pauses. Those at one token double after four lines in a row that came to nothing, up to
    ``dial_max_s``."""

    relay_second_s: float = 2.0
    """A joiner waits so long at one of the host's four tokens before it tries another one, too."""

    relay_meet_s: float = 12.0
    """For a joiner to be joined with the host. A host that is there has a line at each token within 10 s."""

    relay_check_s: float = 8.0
    """For a relay to join two lines of one program, which shows that it is a relay: two round trips, and a slow machine
    may be busy. A player is told within 15 s what is wrong."""

    close_s: float = 2.0
    """For a farewell to be sent and answered."""


DEFAULT_LIMITS: Final = Limits()


class Pace:
    """A token bucket: a spender of more than it holds has to wait until it is full to zero again."""

    def __init__(self, rate_s: float, burst: float) -> None:
        self._rate_s = rate_s
        self._burst = burst
        self._tokens = burst
        self._at = float("-inf")

    def spend(self, cost: float, now: float) -> None:
        """Spend this much; a negative cost gives back."""
        self._tokens = self._held(now) - cost
        self._at = now

    def wait_s(self, now: float) -> float:
        """Return the seconds to wait until it holds something again; 0 if it does."""
        wait_s = -self._held(now) / self._rate_s
        return wait_s + _PAUSE_S if wait_s > _AT_ONCE_S else 0.0

    def _held(self, now: float) -> float:
        return min(self._burst, self._tokens + (now - self._at) * self._rate_s)


class Window:
    """Events: at most ``count_max`` are allowed in any ``time_s`` seconds."""

    def __init__(self, count_max: int, time_s: float) -> None:
        self._count_max = count_max
        self._time_s = time_s
        self._at: deque[float] = deque()

    def left(self, now: float) -> int:
        """Return the number still allowed now."""
        while self._at and now - self._at[0] >= self._time_s:
            self._at.popleft()
        return self._count_max - len(self._at)

    def add(self, now: float) -> None:
        self._at.append(now)

    def take(self, now: float) -> bool:
        """Count one event if it is allowed; return True if it was."""
        allowed = self.left(now) > 0
        if allowed:
            self.add(now)
        return allowed

    def take_back(self, at: float) -> None:
        """Uncount the event of this time, if it still counts."""
        if at in self._at:
            self._at.remove(at)


class Newest(dict[K, V]):
    """A dict of at most ``size_max`` keys: the key that was set longest ago is forgotten first."""

    def __init__(self, size_max: int) -> None:
        super().__init__()
        self._size_max = size_max

    def __setitem__(self, key: K, value: V) -> None:
        self.pop(key, None)
        super().__setitem__(key, value)
        if len(self) > self._size_max:
            del self[next(iter(self))]

    def of(self, key: K, make: Callable[[], V]) -> V:
        """Return the value of a key, made if it has none; the key counts as set now."""
        self[key] = value = self[key] if key in self else make()
        return value


def pace_of(limits: Limits) -> Pace:
    return Pace(limits.cost_rate, limits.cost_burst_s)


def message_price_s(limits: Limits, size: int) -> float:
    return limits.message_cost_us / 1e6 + size * limits.byte_cost_ns / 1e9
