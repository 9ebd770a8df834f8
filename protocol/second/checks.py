"""The second verifier on the vectors: for each primitive a function from ``in`` to ``out``."""

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from protocol.second.agreement import Table, deal_owners, draw_dealer, read_agreement
from protocol.second.basics import (
    CHARACTERS,
    Encoding,
    G,
    H,
    Refused,
    below,
    check_identity_point,
    check_signature,
    fingerprint,
    hash_point,
    joint_words,
    pack,
    permutation,
    read_point,
    read_scalar,
    require,
    total,
    u32,
    unpack,
    write_point,
)
from protocol.second.code import WORDS, confirmations, pake_message, pake_shared
from protocol.second.game import BadRemark, Failure, Machine
from protocol.second.lobby import read_addresses, read_line
from protocol.second.proofs import (
    Oracle,
    check_key,
    check_shares,
    check_shuffle,
    read_deck,
    shuffle_challenges,
    write_deck,
)
from protocol.second.rules import BOARDS, DATA, Illegal, read_action, read_position

Given = dict[str, Any]
# The fields of each message of the game (14.7).
GAME = {
    **{signed: ["payload", "signature"] for signed in ("contribution", "ballot", "head", "leave", "remark", "here")},
    "opening": ["seat", "secret"],
    "evidence": ["contributions"],
    "have": ["step", "seats"],
    "links": ["seats"],
    "hurry": ["step"],
    "bye": ["reason"],
    "ping": [],
}


class BadBallot(Exception):
    """No ballot, head or leave of a seat of this game."""


FAILURES: Mapping[str, type[Exception]] = {
    "encoding": Encoding,
    "proof": Refused,
    "statement": Refused,
    "signature": Refused,
    "small order": Refused,
    "no card": LookupError,
    "table": Table,
    "remark": BadRemark,
    "ballot": BadBallot,
    "illegal": Illegal,
    "ambiguous": Illegal,
    "notation": Illegal,
    "peer": Encoding,
}


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text)


def _context(given: Given) -> dict[str, Any]:
    where: dict[str, Any] = given["context"]
    return where | {"game": _bytes(where["game"]), "prev": _bytes(where["prev"])}


def _unhexed(value: Any) -> Any:
    """Everything that can be bytes is bytes: no text in these vectors is made of hexadecimal digits alone."""
    if isinstance(value, dict):
        return {key: _unhexed(part) for key, part in value.items()}
    if isinstance(value, list):
        return list(map(_unhexed, value))
    try:
        return _bytes(value) if isinstance(value, str) and len(value) >= 64 else value
    except ValueError:
        return value


def _version_1(given: Given) -> bytes:
    return pack({"v": 1, **_unhexed(given)})


def oracle(given: Given) -> Any:
    asked = Oracle(given["label"], _context(given))
    asked.absorb(*map(_bytes, given["absorbed"]))
    return {
        "challenge": asked.challenge(*map(_bytes, given["commitments"])).to_bytes(32, "big"),
        "weights": [weight.to_bytes(16, "big") for weight in asked.weights(given["weights"])],
    }


def key_commitment(given: Given) -> Any:
    items = _bytes(given["game"]), u32(given["seat"]), _bytes(given["key"]), _bytes(given["nonce"])
    return {"commitment": H("seqp2p/1 key commitment", *items)}


def joint_key(given: Given) -> Any:
    joint = total(*((1, read_point(_bytes(key))) for key in given["keys"]))
    if joint is None or len(set(given["keys"])) < len(given["keys"]):
        raise Refused("statement")
    return {"joint": write_point(joint)}


def share_proof(given: Given) -> Any:
    cards = [(card["position"], read_point(_bytes(card["a"]))) for card in given["cards"]]
    key, shares, proof = (_bytes(given[name]) for name in ("key", "shares", "proof"))
    check_shares(_context(given), key, cards, shares, proof)
    return {}


def open_card(given: Given) -> Any:
    ((_, b),) = read_deck(_bytes(given["card"]), 1)
    opened = total((1, b), *((-1, read_point(_bytes(share))) for share in given["shares"]))
    for k in range(len(DATA[given["variant"]]["deck"])):
        if hash_point(f"seqp2p/1 card {given['variant']}", k) == opened:
            return {"physical": k}
    raise LookupError("no card")


def fresh_deck(given: Given) -> Any:
    joint = read_point(_bytes(given["joint"]))
    return {"deck": write_deck([(G, total((1, read_point(_bytes(card))), (1, joint))) for card in given["cards"]])}


def shuffle_proof(given: Given) -> Any:
    joint, deck, shuffled, proof = (_bytes(given[name]) for name in ("joint", "deck", "shuffled", "proof"))
    check_shuffle(_context(given), joint, deck, shuffled, proof)
    u, c = shuffle_challenges(_context(given), joint, deck, shuffled, proof)
    return {"u": [weight.to_bytes(16, "big") for weight in u], "challenge": c.to_bytes(32, "big")}


def agreement(given: Given) -> Any:
    data = _bytes(given["bytes"])
    return {"agreement": read_agreement(data), "game": H("seqp2p/1 table", data)}


def remark(given: Given) -> Any:
    machine = Machine(_bytes(given["agreement"]))
    said = machine.read_remark(_bytes(given["payload"]), _bytes(given["signature"]))
    return {"hash": H("seqp2p/1 remark hash", _bytes(given["payload"])), "text": said["text"]}


def joint_numbers(given: Given) -> Any:
    words = joint_words(_bytes(given["seed"]))
    return {"numbers": [below(words, given["bound"]) for _ in range(10)]}


def move(given: Given) -> Any:
    before = read_position(given["position"])
    assert before.text() == given["position"]
    return {"position": before.after(read_action(before.board, given["action"])).text()}


def position(given: Given) -> Any:
    found = read_position(given["position"])
    return {"hidden": found.text(hidden=True), "hash": found.hash()}


def action(given: Given) -> Any:
    found = read_action(BOARDS[given["variant"]], given["text"])
    return {
        "kind": found.kind,
        "card": found.card or None,
        "square": found.square if found.square >= 0 else None,
        "ends": [[line[0], line[-1]] for line in found.lines],
        "seat": found.seat or None,
    }


def variant(given: Given) -> Any:
    board = BOARDS[given["variant"]]
    assert {*board.grid} - {"*"} <= {board.faces[card] for card in board.data["deck"]}
    return board.data


def _in_frame(given: Given, what: str) -> Any:
    data = pack(_unhexed(given[what]))
    return {"frame": u32(len(data)) + data}


def addresses_of_the_lobby(given: Given) -> Any:
    signed = {name: _bytes(given[name]) for name in ("payload", "signature")}
    found, relays = read_addresses(signed, _bytes(given["key"]), _bytes(given["nonce"]))
    return {"addresses": found, "relays": relays}


def relay_token(given: Given) -> Any:
    own = X25519PrivateKey.from_private_bytes(_bytes(given["secret"]))
    try:
        secret = own.exchange(X25519PublicKey.from_public_bytes(_bytes(given["other"])))
    except ValueError:
        raise Refused("small order") from None
    keys = [own.public_key().public_bytes_raw(), _bytes(given["other"])]
    return {"token": H(given["label"], secret, _bytes(given["game"]), *(keys if given["lower"] else keys[::-1]))}


def line_of_the_lobby(given: Given) -> Any:
    signed = {name: _bytes(given[name]) for name in ("payload", "signature")}
    said = read_line(signed, _bytes(given["lobby"]), {_bytes(key): given["said"] for key in given["keys"]})
    return {"text": said["text"]}


def message_of_the_game(given: Given) -> Any:
    value = unpack(_bytes(given["frame"])[4:])
    require(list(value)[1:] == GAME.get(value["type"]))
    require(value.get("seats", []) == sorted(set(value.get("seats", []))))
    return {}


def code_exchange(given: Given) -> Any:
    ids = b"".join(_bytes(given[name]) for name in ("joiner", "host", "certificate"))
    x, y = (int(given[name], 16) for name in "xy")
    typed, code = given["typed"], given["code"]
    X, Y = pake_message(x, typed, "M"), pake_message(y, code, "N")
    return {
        "pake_a": b"A" + X,
        "pake_b": b"B" + Y,
        "by joiner, by host: as the joiner has them": confirmations(typed, ids, X, Y, pake_shared(x, Y, typed, "N")),
        "by joiner, by host: as the host has them": confirmations(code, ids, X, Y, pake_shared(y, X, code, "M")),
    }


def meeting_place(given: Given) -> Any:
    salt = b"seqp2p/1 meeting place\0"
    data = hashlib.scrypt(given["digits"].encode(), salt=salt, n=2**15, r=8, p=1, dklen=136, maxmem=2**26)
    return {"tokens": [data[:32], data[32:64], data[64:96], data[96:128]], "mark": data[128:].hex()}


def signature(given: Given) -> Any:
    check_signature(_bytes(given["key"]), given["label"], _bytes(given["data"]), _bytes(given["signature"]))
    return {}


def signed(given: Given) -> Any:
    machine = Machine(_bytes(given["agreement"]))
    try:
        said = machine.read_signed(given["kind"], _bytes(given["payload"]), _bytes(given["signature"]))
    except (Encoding, Failure):
        raise BadBallot from None
    return {"seat": said["seat"]}


def _closed(prev: str, action: str, about: list[int]) -> bytes:
    return H("seqp2p/1 closed", _bytes(prev), action.encode(), bytes(about))


def _outcome(given: Given, round_: int) -> bytes | None:
    members = range(1, given["members"] + 1)
    cast = [ballot for ballot in given["ballots"] if ballot["round"] == round_]
    for one in cast:
        equal = [each for each in cast if (each["action"], each["about"]) == (one["action"], one["about"])]
        voters = {each["seat"] for each in equal}
        if voters == set(members) - set(one["about"]) and 2 * len(voters) > len(members):
            return _chosen(given, equal, one)
    return None


def _chosen(given: Given, equal: list[Given], one: Given) -> bytes | None:
    action = _closed(given["prev"], one["action"], one["about"])
    lasts = [each["last"] for each in equal if each["last"]]
    if not lasts:
        return action
    top = max(last["round"] for last in lasts)
    named = {last["head"] for last in lasts if last["round"] == top}
    if top:
        earlier = _outcome(given, top)
        return earlier if earlier and earlier.hex() in named else None
    cheats, about = set(given["cheats"]), set(one["about"])
    if len(named) > 1 and not cheats:
        return None
    if len(named) > 1:
        honest = [each["last"]["head"] for each in equal if each["last"] and each["seat"] not in cheats]
        extra = len(about | cheats)
        able = [head for head in set(honest) if 2 * (honest.count(head) + extra) > given["members"]]
        if not able:
            return action
        if len(able) > 1 and not cheats <= about:
            return None
        named = {max(able, key=lambda head: (honest.count(head), head))}
    (head,) = named
    return _bytes(head) if head in given["contributed"] else None


def _nothing(read: Callable[[bytes], object], name: str) -> Callable[[Given], Any]:
    def check(given: Given) -> Any:
        read(_bytes(given[name]))
        return {}

    return check


def key_proof(given: Given) -> Any:
    check_key(_context(given), _bytes(given["key"]), _bytes(given["proof"]))
    return {}


def safety_words(given: Given) -> Any:
    first, second = sorted(map(_bytes, given["keys"]))
    b = H("seqp2p/1 safety words", _bytes(given["seed"]), first, second)
    return {"words": [WORDS[b[0]], WORDS[b[1]]]}


SHORT: Mapping[str, Callable[[Given], Any]] = {
    "tagged hash": lambda given: {"hash": H(given["label"], *map(_bytes, given["items"]))},
    "hash to point": lambda given: {"point": write_point(hash_point(given["label"], given["index"]))},
    "point": _nothing(read_point, "bytes"),
    "scalar": _nothing(read_scalar, "bytes"),
    "fingerprint": lambda given: {"fingerprint": fingerprint(_bytes(given["key"]))},
    "identity key": _nothing(check_identity_point, "key"),
    "head": lambda given: {"head": H("seqp2p/1 step", _bytes(given["head"]), *map(_bytes, given["payloads"]))},
    "payload": lambda given: {"payload": _version_1(given)},
    "head of action": lambda given: {"head": _closed(given["prev"], given["action"], given["about"])},
    "certificate": lambda given: {"head": _outcome(given, given["round"])},
    "joint permutation": lambda given: {"order": permutation(joint_words(_bytes(given["seed"])), given["size"])},
    "dealer draw": lambda given: {
        "dealer": draw_dealer(given["variant"], given["players"], list(map(_bytes, given["nonces"])))
    },
    "deal order": lambda given: {"owners": deal_owners(given["players"], given["dealer"], given["hand"])},
    "record": lambda given: _in_frame(given, "record"),
    "end digest": lambda given: {"digest": hashlib.sha256(_bytes(given["bytes"])).digest()},
    "link statement": lambda given: {"statement": _version_1(given)},
    "address statement": lambda given: {"payload": _version_1(given)},
    "lobby line": lambda given: {"payload": _version_1(given)},
    "message": lambda given: _in_frame(given, "message"),
    # The list of the vectors itself, with which this verifier reads names.
    "characters": lambda given: {"ranges": CHARACTERS[given["list"]]},
    "words": lambda _given: {"words": WORDS},
}


def check_of(primitive: str) -> Callable[[Given], Any]:
    """The function above that has the name of the primitive, or one of the short ones."""
    return SHORT.get(primitive) or globals()[primitive.replace(" ", "_")]
