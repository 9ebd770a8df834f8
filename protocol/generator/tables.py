"""Vectors for the table agreement, heads, joint randomness, the deal, payloads and the replay's frames."""

from itertools import count
from typing import Any

from protocol.generator.games import NAMES, settings
from protocol.generator.stream import Stream, identity
from protocol.generator.vectors import Vector, as_plain, bad, file_of, good, packb, unpackb
from seqp2p.crypto.hashing import FILE, STEP, TABLE, tagged_hash
from seqp2p.crypto.identity import sign
from seqp2p.match.contribution import Body, OverBody, SeatBody, StepKind, TurnBody, make_payload
from seqp2p.match.game import JointStream, draw_dealer
from seqp2p.match.table import Agreement, SeatEntry, game_id
from seqp2p.replay.format import MAGIC, EndRecord, OpeningRecord, TableRecord, end_digest, frame
from seqp2p.rules import CLASSIC, KIDS, VARIANTS, deal_order, format_card, hand_size


def agreements() -> Vector:
    """Agreements, the id of the game, and settings that no table may agree on."""
    base = _plain_agreement("kids", 2)
    vectors = [_agreed(name, _plain_agreement(*table)) for name, table in (
        ("kids, two seats", ("kids", 2)),
        ("classic, two seats", ("classic", 2)),
        ("classic, twelve seats in three teams", ("classic", 12, 3)),
    )]  # fmt: skip
    for what, name in {
        "a name of letters, digits, a space, a sign": "Zo\u00eb \u738b 7!",
        "a name in decomposed form": "Zoe\u0308",
        "a name with four marks in a row": "a" + "\u0301" * 4 + "b",
    }.items():
        vectors.append(_agreed(what, _changed(base, ("seats", 0, "name"), name)))
    return file_of("Table agreements and game ids.", [*vectors, *_not_agreed(base)])


def _plain_agreement(variant: str, players: int, teams: int | None = None) -> dict[str, Any]:
    """Return an agreement as plain data, so that anything in it can be changed."""
    entries = tuple(
        SeatEntry(name, identity(name).public, Stream(f"vector nonce {seat}")(32))
        for seat, name in enumerate(NAMES[:players], 1)
    )
    plain: dict[str, Any] = as_plain(Agreement(1, settings(variant, players, teams=teams), entries))
    return plain


def _agreed(name: str, plain: dict[str, Any]) -> Vector:
    data = packb(plain)
    return good("agreement", name, {"bytes": data}, {"agreement": plain, "game": game_id(data)})


def _changed(plain: dict[str, Any], path: tuple[str | int, ...], value: Any) -> Any:
    """Return the agreement with another value at this path."""
    copy: Any = unpackb(packb(plain))
    part = copy
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    return copy


def _not_agreed(base: dict[str, Any]) -> list[Vector]:
    seats = base["seats"]
    data = packb(base)
    names = {
        "an empty name": "",
        "a name of 25 characters": "a" * 25,
        "a name with a newline": "a\nb",
        "a name with an escape": "a\x1b[31m",
        "a name with a right-to-left override": "a\u202eb",
        "a name with a zero-width space": "a\u200bb",
        "a name with two spaces inside": "a  b",
        "a name with a space in front": " a",
        "a name with a private-use character": "a\ue000",
        "a name with a Hangul filler": "a\u3164b",
        "a name with a variation selector": "a\ufe0f",
    }
    tables: dict[str, tuple[tuple[str | int, ...], Any]] = {
        **{what: (("seats", 0, "name"), name) for what, name in names.items()},
        "no such variant": (("settings", "variant"), "chess"),
        "five players": (("settings", "players"), 5),
        "a seat missing": (("seats",), seats[:1]),
        "a seat too many": (("seats",), [*seats, seats[0] | {"key": identity("cleo").public, "nonce": bytes(32)}]),
        "two seats with one key": (("seats", 1, "key"), seats[0]["key"]),
        "two seats with one nonce": (("seats", 1, "nonce"), seats[0]["nonce"]),
        "a key of small order": (("seats", 1, "key"), (1).to_bytes(32, "little")),
        "one team": (("settings", "teams"), 1),
        "a colour too few": (("settings", "colours"), ["red"]),
        "one colour twice": (("settings", "colours"), ["red", "red"]),
        "a colour of no team": (("settings", "colours"), ["red", "pink"]),
        "an option that the variant has not": (("settings", "advanced"), True),
    }
    encodings: dict[str, tuple[tuple[str | int, ...], Any]] = {
        "version 2": (("v",), 2),
        "players as a float": (("settings", "players"), 2.0),
        "a flag as a number": (("settings", "open_hands"), 1),
        "a key of 31 bytes": (("seats", 0, "key"), bytes(31)),
        "a key as a string": (("seats", 0, "key"), "a" * 32),
        "a key of the map that is none": (("extra",), 1),
        "no grace": (("settings", "grace_s"), 0),
        "thirteen players": (("settings", "players"), 13),
    }
    misread = {what: packb(_changed(base, *at)) for what, at in encodings.items()} | {
        "cut short": data[:-1],
        "a byte behind it": data + b"\0",
        "keys in another order": packb({"settings": base["settings"], "v": 1, "seats": seats}),
        "a longer integer": data.replace(b"\xa1v\x01", b"\xa1v\xcc\x01", 1),
        "no bytes": b"",
    }
    return [
        *(bad("agreement", what, "table", {"bytes": packb(_changed(base, *at))}) for what, at in tables.items()),
        *(bad("agreement", what, "encoding", {"bytes": wrong}) for what, wrong in misread.items()),
    ]


def steps() -> Vector:
    """Heads, payloads, joint randomness, the draw for the dealer, the deal."""
    game = tagged_hash(TABLE, b"an agreement")
    payloads = [
        make_payload(game, 1, game, 1, "seat", SeatBody(bytes(32))),
        make_payload(game, 1, game, 2, "seat", SeatBody(b"\1" * 32)),
    ]
    head = tagged_hash(STEP, game, *payloads)
    bodies: list[tuple[int, StepKind, Body]] = [
        (1, "seat", SeatBody(bytes(32))),
        (300, "turn", TurnBody("QH e5", (300,), bytes(33), bytes(98))),
        (100_000, "over", OverBody(bytes(32))),
    ]
    vectors = [
        good("head", "of a step of two payloads", {"head": game, "payloads": payloads}, {"head": head}),
        good("head", "of a step of one payload", {"head": head, "payloads": payloads[:1]},
             {"head": tagged_hash(STEP, head, payloads[0])}),
    ]  # fmt: skip
    for step, kind, body in bodies:
        given = {"game": game, "step": step, "prev": head, "seat": 2, "kind": kind, "body": as_plain(body)}
        vectors.append(good("payload", kind, given, {"payload": make_payload(game, step, head, 2, kind, body)}))
    return file_of("Heads, payloads, joint randomness, who deals and who gets which card.", [*vectors, *_draws()])


def _draws() -> list[Vector]:
    vectors = []
    seed = b"".join(_nonces(2, 0))
    for bound in (1, 2, 104, 2**31 + 1):
        stream = JointStream(seed)
        numbers = [stream.below(bound) for _ in range(10)]
        vectors.append(good("joint numbers", f"below {bound}", {"seed": seed, "bound": bound}, {"numbers": numbers}))
    order = JointStream(seed).permutation(104)
    vectors.append(good("joint permutation", "of 104", {"seed": seed, "size": 104}, {"order": order}))
    # The first number whose nonces make four seats draw again.
    tie = next(skip for skip in count(1) if len(draw_dealer(CLASSIC, 4, _nonces(4, skip)).rounds) > 1)
    for variant, players, skip in (("classic", 2, 0), ("classic", 12, 0), ("classic", 4, tie), ("kids", 3, 0)):
        used = _nonces(players, skip)
        draw = draw_dealer(VARIANTS[variant], players, used)
        rounds = [[[seat, format_card(CLASSIC, card)] for seat, card in turned] for turned in draw.rounds]
        given = {"variant": variant, "players": players, "nonces": used}
        name = f"{variant}, {players} seats" + (", a tie" if skip else "")
        vectors.append(good("dealer draw", name, given, {"rounds": rounds, "dealer": draw.dealer}))
    for rules, players, dealer in ((CLASSIC, 2, 2), (CLASSIC, 12, 5), (KIDS, 3, 1)):
        hand = hand_size(rules, players)
        given = {"players": players, "dealer": dealer, "hand": hand}
        owners = deal_order(players, dealer, hand)
        vectors.append(good("deal order", f"{players} seats, seat {dealer} deals", given, {"owners": owners}))
    return vectors


def _nonces(players: int, skip: int) -> list[bytes]:
    number = f"{skip} " if skip else ""
    return [Stream(f"draw nonce {number}{seat}")(32) for seat in range(1, players + 1)]


def replays() -> Vector:
    """Records as frames, and the bytes that the writer of a replay signs."""
    table = TableRecord(packb(_plain_agreement("kids", 2)))
    writer = identity("ann")
    before = MAGIC + frame(table)
    end = EndRecord(writer.public, sign(writer, FILE, end_digest(before)))
    opening = OpeningRecord(2, (7).to_bytes(32, "big"))
    vectors = [
        good("record", type(record).__name__, {"record": as_plain(record)}, {"frame": frame(record)})
        for record in (table, opening, end)
    ]
    vectors.append(
        good("end digest", "a table and nothing else", {"bytes": before, "key": writer.public},
             {"digest": end_digest(before), "signature": end.signature}, {"seed": writer.secret_bytes()})
    )  # fmt: skip
    return file_of("The frames of a replay, and the signature that ends it.", vectors)
