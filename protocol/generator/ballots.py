"""Vectors for ballots, heads, leaves, the head after an action, and the outcome of a certificate."""

from typing import Any, Final

from protocol.generator.games import Game, settings
from protocol.generator.vectors import Vector, bad, file_of, flip, good, packb
from seqp2p.crypto.hashing import BALLOT, HEAD, LEAVE
from seqp2p.match.ballots import Decree, Last, Sanction, Vote
from seqp2p.match.signed import head_of_action

LABELS: Final = {"ballot": BALLOT, "head": HEAD, "leave": LEAVE}
PREV: Final = bytes(range(32))
CONTRIBUTED: Final = b"\1" * 32
ANOTHER: Final = b"\2" * 32


def ballots() -> Vector:
    """Return all of them."""
    table = Game("kids-3/ballots", settings("kids", 3))
    vectors = [*_signed(table), *_heads_of_actions(), *_certificates()]
    return file_of("Ballots, heads, leaves; the head after an action; what a round closes a step by.", vectors)


def _signed(table: Game) -> list[Vector]:
    game = table.match.game.id
    place = {"v": 1, "game": game, "step": 20, "prev": PREV}
    ballot = place | {"seat": 2, "round": 1, "action": "drop", "about": [1, 3], "reason": "absent", "last": None}
    head = place | {"seat": 3, "round": 2, "head": CONTRIBUTED}
    leave = {"v": 1, "game": game, "seat": 1}
    closed = ballot | {"round": 2, "action": "skip", "about": [3], "last": {"round": 1, "head": CONTRIBUTED}}
    goods = {"a ballot": ballot, "a ballot with a last": closed, "a head": head, "a leave": leave}
    vectors = [_sign(table, name, said) for name, said in goods.items()]
    wrong = {
        "about the voter": ballot | {"about": [1, 2]},
        "seats not ascending": ballot | {"about": [3, 1]},
        "a seat twice": ballot | {"about": [1, 1]},
        "about nobody": ballot | {"about": []},
        "round 0": ballot | {"round": 0},
        "round 1001": ballot | {"round": 1001},
        "another action": ballot | {"action": "wait"},
        "another reason": ballot | {"reason": "dull"},
        "a last of the same round": closed | {"round": 1},
        "a last cut short": closed | {"last": {"round": 1, "head": bytes(31)}},
        "no last": {key: value for key, value in ballot.items() if key != "last"},
        "another game": ballot | {"game": bytes(32)},
        "a head of step 0": head | {"step": 0},
        "a head of round 1001": head | {"round": 1001},
        "a leave of another version": leave | {"v": 2},
    }
    vectors += [_sign(table, name, said, "ballot") for name, said in wrong.items()]
    right = vectors[0]["in"]
    spoilt = {
        "a bit of the signature": {"signature": flip(bytes.fromhex(right["signature"]), 5).hex()},
        "read as a head": {"kind": "head"},
        "a byte behind it": {"payload": right["payload"] + "00"},
    }
    return [*vectors, *(bad("signed", name, "ballot", right | change) for name, change in spoilt.items())]


def _sign(table: Game, name: str, said: dict[str, Any], failure: str = "") -> Vector:
    kind = "ballot" if "about" in said else "head" if "head" in said else "leave"
    signed = table.signed(packb(said), said["seat"], LABELS[kind])
    of_table = {"agreement": table.match.agreement_bytes, "kind": kind}
    given = of_table | {"payload": signed.payload, "signature": signed.signature}
    return bad("signed", name, failure, given) if failure else good("signed", name, given, {"seat": said["seat"]})


def _heads_of_actions() -> list[Vector]:
    actions: tuple[tuple[Sanction, list[int]], ...] = (("skip", [3]), ("drop", [3]), ("drop", [2, 11, 12]))
    return [
        good(
            "head of action",
            f"{action} {', '.join(map(str, about))}",
            {"prev": PREV, "action": action, "about": about},
            {"head": head_of_action(PREV, action, frozenset(about))},
        )
        for action, about in actions
    ]


def _vote(seat: int, round_: int, about: list[int], last: tuple[int, bytes] | None = None) -> dict[str, Any]:
    said = None if last is None else {"round": last[0], "head": last[1]}
    return {"seat": seat, "round": round_, "action": "drop", "about": about, "last": said}


def _certificates() -> list[Vector]:
    dropped = head_of_action(PREV, "drop", frozenset({4}))
    by, other, action = (0, CONTRIBUTED), (0, ANOTHER), (1, dropped)
    first = [_vote(seat, 1, [4]) for seat in (1, 2, 3)]
    rounds = {
        "all have voted": (4, first, [], []),
        "one has not": (4, first[:2], [], []),
        "one voted in another round": (4, [*first[:2], _vote(3, 2, [4])], [], []),
        "two of four": (4, [_vote(1, 1, [3, 4]), _vote(2, 1, [3, 4])], [], []),
        "one had closed it by contributions": (4, [*first[:2], _vote(3, 1, [4], by)], [CONTRIBUTED], []),
        "one says so, and they are not here": (4, [*first[:2], _vote(3, 1, [4], by)], [], []),
        "the second round finds the first": (
            4, [*first, _vote(1, 2, [3]), _vote(2, 2, [3], action), _vote(4, 2, [3], by)], [CONTRIBUTED], [],
        ),
        "a round that is not here": (
            4, [_vote(1, 2, [3]), _vote(2, 2, [3], action), _vote(4, 2, [3], by)], [CONTRIBUTED], [],
        ),
        "a head that the first round does not have": (
            4, [*first, _vote(1, 2, [3]), _vote(2, 2, [3], (1, ANOTHER)), _vote(4, 2, [3])], [], [],
        ),
        "two versions, nobody proved": (
            4, [_vote(1, 1, [4], by), _vote(2, 1, [4], other), _vote(3, 1, [4])], [CONTRIBUTED, ANOTHER], [],
        ),
        "two versions, neither can be final": (
            4, [_vote(1, 1, [4], by), _vote(2, 1, [4], other), _vote(3, 1, [4])], [CONTRIBUTED, ANOTHER], [4],
        ),
        "two versions, one can be final": (
            4, [_vote(1, 1, [4], by), _vote(2, 1, [4], other), _vote(3, 1, [4], other)], [CONTRIBUTED, ANOTHER], [4],
        ),
        "two versions, the cheat votes with one": (
            4, [_vote(1, 1, [4], by), _vote(2, 1, [4], other), _vote(3, 1, [4], by)], [CONTRIBUTED, ANOTHER], [3],
        ),
        "of five, both can be final": (
            5, [_vote(1, 1, [5], by), _vote(2, 1, [5], by), _vote(3, 1, [5], other), _vote(4, 1, [5], other)],
            [CONTRIBUTED, ANOTHER], [5],
        ),
    }  # fmt: skip
    return [_certificate(name, *given) for name, given in rounds.items()]


def _certificate(
    name: str, members: int, votes: list[dict[str, Any]], complete: list[bytes], cheats: list[int]
) -> Vector:
    decree = Decree(frozenset(range(1, members + 1)), lambda action, about: head_of_action(PREV, action, about))
    decree.complete, decree.cheats = list(complete), set(cheats)
    for vote in votes:
        last = None if vote["last"] is None else Last(**vote["last"])
        decree.vote(Vote(vote["seat"], vote["round"], vote["action"], frozenset(vote["about"]), last))
    newest = max(vote["round"] for vote in votes)
    value = decree.certificate(newest)
    round_ = {"ballots": votes, "contributed": complete, "cheats": cheats, "round": newest}
    given = {"members": members, "prev": PREV, **round_}
    return good("certificate", name, given, {"head": None if value is None else value.head})
