"""This program on the vectors that it reads: for each primitive a function from ``in`` to ``out``, which may refuse.

The primitives that it only makes are not here: test_generator.py makes their vectors again.
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from seqp2p.crypto.elgamal import card_points, decode_deck, joint_key
from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.group import decode_point, decode_points, decode_scalar, sub, sum_points
from seqp2p.crypto.hashing import ADDRESSES, FILE, LINK, LOBBY_LINE
from seqp2p.crypto.identity import ExchangeKey, check_public
from seqp2p.crypto.identity import verify as verify_signature
from seqp2p.crypto.oracle import Context
from seqp2p.crypto.schnorr import verify_key, verify_shares
from seqp2p.crypto.shuffle import verify_shuffle
from seqp2p.lobby.address_statement import is_first, read_statement
from seqp2p.lobby.lines import LobbyTalk
from seqp2p.lobby.table import OwnRelay, RelayEntry
from seqp2p.match.contribution import Contribution
from seqp2p.match.errors import Unattributable
from seqp2p.match.remark import BadRemark, open_remark
from seqp2p.match.signed import BallotPayload, HeadPayload, LeavePayload, open_signed
from seqp2p.match.table import TableError, decode_agreement, game_id
from seqp2p.net.addresses import Address
from seqp2p.net.errors import PeerError
from seqp2p.net.frames import HEADER_SIZE
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import AddressStatement, LineMessage, LinkStage, decode_message
from seqp2p.rules import VARIANTS

Given = dict[str, Any]

# What this program raises for each class of failure. It does not tell encodings from proofs: one CryptoError.
FAILURES: Mapping[str, type[Exception]] = {
    "encoding": ValueError,
    "proof": CryptoError,
    "statement": CryptoError,
    "signature": CryptoError,
    "small order": CryptoError,
    "no card": LookupError,
    "table": TableError,
    "remark": BadRemark,
    "ballot": Unattributable,
    "peer": PeerError,
}


def _context(given: Given) -> Context:
    where = given["context"]
    return Context(_bytes(where["game"]), where["step"], where["seat"], _bytes(where["prev"]))


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text)


def key_proof(given: Given) -> Any:
    verify_key(decode_point(_bytes(given["key"])), _bytes(given["proof"]), _context(given))
    return {}


def identity_key(given: Given) -> Any:
    check_public(_bytes(given["key"]))
    return {}


def share_proof(given: Given) -> Any:
    cards = [(card["position"], decode_point(_bytes(card["a"]))) for card in given["cards"]]
    shares = decode_points(_bytes(given["shares"]), len(cards))
    verify_shares(decode_point(_bytes(given["key"])), cards, shares, _bytes(given["proof"]), _context(given))
    return {}


def open_card(given: Given) -> Any:
    (card,) = decode_deck(_bytes(given["card"]), 1)
    point = sub(card.b, sum_points([decode_point(_bytes(share)) for share in given["shares"]]))
    points = card_points(given["variant"], len(VARIANTS[given["variant"]].deck))
    if point not in points:
        raise LookupError("no card")
    return {"physical": points.index(point)}


def shuffle_proof(given: Given) -> Any:
    n = len(_bytes(given["deck"])) // 66
    deck, shuffled = (decode_deck(_bytes(given[name]), n) for name in ("deck", "shuffled"))
    verify_shuffle(deck, shuffled, decode_point(_bytes(given["joint"])), _bytes(given["proof"]), _context(given))
    return {}


def agreement(given: Given) -> Any:
    data = _bytes(given["bytes"])
    record = decode_agreement(data)
    return {"agreement": msgspec.to_builtins(record, builtin_types=(bytes,)), "game": game_id(data)}


def remark(given: Given) -> Any:
    data = _bytes(given["agreement"])
    opened = open_remark(_bytes(given["payload"]), _bytes(given["signature"]), game_id(data), decode_agreement(data))
    return {"hash": opened.hash, "text": opened.said.text}


SIGNED_KINDS: Mapping[str, Any] = {"ballot": BallotPayload, "head": HeadPayload, "leave": LeavePayload}


def signed(given: Given) -> Any:
    data = _bytes(given["agreement"])
    contribution = Contribution(_bytes(given["payload"]), _bytes(given["signature"]))
    return {"seat": open_signed(SIGNED_KINDS[given["kind"]], contribution, game_id(data), decode_agreement(data)).seat}


def addresses_of_the_lobby(given: Given) -> Any:
    statement = AddressStatement(_bytes(given["payload"]), _bytes(given["signature"]))
    if not is_first(statement, _bytes(given["key"]), _bytes(given["nonce"])):
        raise PeerError("It is not this seat's.")
    read = read_statement(statement)
    relays = [] if read.relay is None else [str(read.relay)]
    return {"addresses": [str(address) for address in read.addresses], "relays": relays}


def relay_token(given: Given) -> Any:
    where = Address("relay.example.org", 4001)
    own = OwnRelay(where, ExchangeKey(_bytes(given["secret"])))
    other = RelayEntry(where, _bytes(given["other"]))
    token = own.token(other, _bytes(given["game"]), given["label"], lower=given["lower"])
    if token is None:
        raise CryptoError("It is no key.")
    return {"token": token}


def message_of_the_game(given: Given) -> Any:
    decode_message(_bytes(given["frame"])[HEADER_SIZE:], LinkStage.GAME)
    return {}


def signature(given: Given) -> Any:
    verify_signature(*(_bytes(given["key"]), given["label"], _bytes(given["data"]), _bytes(given["signature"])))
    return {}


def line_of_the_lobby(given: Given) -> Any:
    talk, keys = LobbyTalk(_bytes(given["lobby"]), DEFAULT_LIMITS, lambda: 0), [_bytes(key) for key in given["keys"]]
    talk._numbers[keys[0]] = given["said"]  # its last line, which this peer took
    said = talk.take(LineMessage(_bytes(given["payload"]), _bytes(given["signature"])), keys)
    assert said is not None, "it is the first in its minute"
    return {"text": said.text}


CHECKS: Mapping[str, Callable[[Given], Any]] = {
    "point": lambda given: (decode_point(_bytes(given["bytes"])), {})[1],
    "scalar": lambda given: (decode_scalar(_bytes(given["bytes"])), {})[1],
    "key proof": key_proof,
    "joint key": lambda given: {"joint": joint_key([decode_point(_bytes(key)) for key in given["keys"]]).encoded},
    "share proof": share_proof,
    "open card": open_card,
    "shuffle proof": shuffle_proof,
    "signature": signature,
    "identity key": identity_key,
    "agreement": agreement,
    "remark": remark,
    "signed": signed,
    "addresses of the lobby": addresses_of_the_lobby,
    "relay token": relay_token,
    "line of the lobby": line_of_the_lobby,
    "message of the game": message_of_the_game,
}

# Signatures that are an output: the label, and what is signed.
SIGNED = {
    "end digest": (FILE, "digest"),
    "link statement": (LINK, "statement"),
    "address statement": (ADDRESSES, "payload"),
    "lobby line": (LOBBY_LINE, "payload"),
}
