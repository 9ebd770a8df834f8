"""This program on the vectors: for each primitive a function from ``in`` to ``out``, which raises a refusal."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import msgspec

from protocol.generator.primitives import ranges
from protocol.generator.stream import Stream
from seqp2p.crypto.elgamal import Ciphertext, card_points, decode_deck, encode_deck, fresh_deck, joint_key
from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.group import decode_point, decode_points, decode_scalar, hash_to_point, sub, sum_points
from seqp2p.crypto.hashing import ADDRESSES, FILE, LINK, LOBBY_LINE, STEP, tagged_hash
from seqp2p.crypto.identity import ExchangeKey, check_public, fingerprint
from seqp2p.crypto.identity import verify as verify_signature
from seqp2p.crypto.oracle import Context, Oracle
from seqp2p.crypto.schnorr import key_commitment, verify_key, verify_shares
from seqp2p.crypto.shuffle import ShuffleProof, challenge, challenges, verify_shuffle
from seqp2p.lobby.address_statement import AddressPayload, is_first, read_statement
from seqp2p.lobby.code import WORDS, safety_words
from seqp2p.lobby.lines import LinePayload, LobbyTalk
from seqp2p.lobby.pake import Exchange
from seqp2p.lobby.place import hash_place
from seqp2p.lobby.table import OwnRelay, RelayEntry
from seqp2p.match.ballots import Decree, Last, Vote
from seqp2p.match.contribution import BODIES, Contribution, make_payload
from seqp2p.match.encoding import encode, structure
from seqp2p.match.errors import Unattributable
from seqp2p.match.game import JointStream, draw_dealer
from seqp2p.match.remark import BadRemark, open_remark
from seqp2p.match.signed import BallotPayload, HeadPayload, LeavePayload, head_of_action, open_signed
from seqp2p.match.table import TableError, decode_agreement, game_id
from seqp2p.match.text import HIDDEN, MARKS
from seqp2p.net.addresses import Address
from seqp2p.net.auth import Statement
from seqp2p.net.errors import PeerError
from seqp2p.net.frames import HEADER_SIZE
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import AddressStatement, LineMessage, LinkStage, WireMessage, decode_message, encode_message
from seqp2p.replay.format import AnyRecord, EndRecord, OpeningRecord, TableRecord, end_digest, frame
from seqp2p.rules import (
    UNKNOWN,
    VARIANTS,
    AmbiguousAction,
    IllegalAction,
    NotationError,
    apply,
    deal_order,
    format_action,
    format_card,
    format_position,
    hide,
    parse_action,
    parse_position,
    position_hash,
)

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
    "illegal": IllegalAction,
    "ambiguous": AmbiguousAction,
    "notation": NotationError,
    "peer": PeerError,
}


def _context(given: Given) -> Context:
    where = given["context"]
    return Context(_bytes(where["game"]), where["step"], where["seat"], _bytes(where["prev"]))


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text)


def _unhexed(value: Any, like: Any) -> Any:
    """The vectors' plain data with byte strings where a record of this type has them."""
    fields = msgspec.structs.fields(like)
    return {
        field.name: _bytes(value[field.name])
        if field.type is bytes or "bytes" in str(field.type)
        else value[field.name]
        for field in fields
    }


def oracle(given: Given) -> Any:
    asked = Oracle(given["label"], _context(given))
    asked.absorb(*map(_bytes, given["absorbed"]))
    return {
        "challenge": asked.challenge(*map(_bytes, given["commitments"])).to_bytes(32, "big"),
        "weights": [weight.to_bytes(16, "big") for weight in asked.weights(given["weights"])],
    }


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
    deck = decode_deck(_bytes(given["deck"]), n)
    shuffled: tuple[Ciphertext, ...] = decode_deck(_bytes(given["shuffled"]), n)
    key, proof, context = decode_point(_bytes(given["joint"])), _bytes(given["proof"]), _context(given)
    verify_shuffle(deck, shuffled, key, proof, context)
    parts = ShuffleProof.decode(proof, n)
    u, asked = challenges(deck, shuffled, key, parts.c, context)
    c = challenge(asked, parts.c_hat, parts.t, parts.t_hat)
    return {"u": [weight.to_bytes(16, "big") for weight in u], "challenge": c.to_bytes(32, "big")}


def agreement(given: Given) -> Any:
    data = _bytes(given["bytes"])
    record = decode_agreement(data)
    return {"agreement": msgspec.to_builtins(record, builtin_types=(bytes,)), "game": game_id(data)}


def payload(given: Given) -> Any:
    kind = given["kind"]
    body_type = next(each for each in BODIES[kind] if set(each.__struct_fields__) == given["body"].keys())
    body: Any = msgspec.convert(_unhexed(given["body"], body_type), body_type)
    made = make_payload(_bytes(given["game"]), given["step"], _bytes(given["prev"]), given["seat"], kind, body)
    return {"payload": made}


def remark(given: Given) -> Any:
    data = _bytes(given["agreement"])
    opened = open_remark(_bytes(given["payload"]), _bytes(given["signature"]), game_id(data), decode_agreement(data))
    return {"hash": opened.hash, "text": opened.said.text}


SIGNED_KINDS: Mapping[str, Any] = {
    "ballot": BallotPayload,
    "head": HeadPayload,
    "leave": LeavePayload,
}


def signed(given: Given) -> Any:
    data = _bytes(given["agreement"])
    contribution = Contribution(_bytes(given["payload"]), _bytes(given["signature"]))
    return {"seat": open_signed(SIGNED_KINDS[given["kind"]], contribution, game_id(data), decode_agreement(data)).seat}


def head_of(given: Given) -> Any:
    return {"head": head_of_action(_bytes(given["prev"]), given["action"], frozenset(given["about"]))}


def certificate(given: Given) -> Any:
    prev = _bytes(given["prev"])
    decree = Decree(frozenset(range(1, given["members"] + 1)), partial(head_of_action, prev))
    decree.complete, decree.cheats = list(map(_bytes, given["contributed"])), set(given["cheats"])
    for ballot in given["ballots"]:
        last = ballot["last"] and Last(ballot["last"]["round"], _bytes(ballot["last"]["head"]))
        decree.vote(Vote(ballot["seat"], ballot["round"], ballot["action"], frozenset(ballot["about"]), last))
    value = decree.certificate(given["round"])
    return {"head": value and value.head}


def joint_numbers(given: Given) -> Any:
    stream = JointStream(_bytes(given["seed"]))
    return {"numbers": [stream.below(given["bound"]) for _ in range(10)]}


def dealer_draw(given: Given) -> Any:
    variant = VARIANTS[given["variant"]]
    draw = draw_dealer(variant, given["players"], [_bytes(nonce) for nonce in given["nonces"]])
    rounds = [[[seat, format_card(variant, card)] for seat, card in turned] for turned in draw.rounds]
    return {"rounds": rounds, "dealer": draw.dealer}


def move(given: Given) -> Any:
    position = parse_position(given["position"])
    after = apply(position, parse_action(position.variant, given["action"]), UNKNOWN)
    return {"position": format_position(after)}


def position(given: Given) -> Any:
    hidden = hide(parse_position(given["position"]), ())
    return {"hidden": format_position(hidden), "hash": position_hash(hidden)}


def action(given: Given) -> Any:
    variant = VARIANTS[given["variant"]]
    found = parse_action(variant, given["text"])
    assert format_action(variant, found) == given["text"]
    return {
        "kind": found.kind,
        "card": None if found.card == UNKNOWN else format_card(variant, found.card),
        "square": found.square if found.square >= 0 else None,
        "ends": found.ends,
        "seat": found.seat or None,
    }


def variant(given: Given) -> Any:
    found = VARIANTS[given["variant"]]
    return {
        "faces": found.faces,
        "deck": found.deck,
        "rows": found.board.rows,
        "columns": found.board.cols,
        "grid": ["*" if card == UNKNOWN else found.faces[card] for card in found.board.grid],
        "line": found.line_length,
        "sizes": [{"players": size.players, "hand": size.hand, "teams": size.teams} for size in found.sizes],
        "sequences to win": {str(teams): count for teams, count in found.sequences_to_win},
        "wild": [found.faces[card] for card in found.wild],
        "removing": [found.faces[card] for card in found.removing],
        "exchanges a turn": found.exchanges_per_turn,
        "quiet turns": found.quiet_turns_max,
        "colours": found.colours,
        "options": found.options,
    }


def record(given: Given) -> Any:
    kinds: dict[str, Any] = {"table": TableRecord, "opening": OpeningRecord, "end": EndRecord}
    kind = kinds[given["record"]["t"]]
    fields = _unhexed(given["record"], kind)
    return {"frame": frame(structure(AnyRecord, {"t": given["record"]["t"], **fields}))}  # type: ignore[arg-type]  # a union of records


def end(given: Given) -> Any:
    digest = end_digest(_bytes(given["bytes"]))
    return {"digest": digest}


def link_statement(given: Given) -> Any:
    return {"statement": encode(msgspec.convert(_unhexed({"v": 1, **given}, Statement), Statement))}


def address_statement(given: Given) -> Any:
    fields = {**given, "v": 1, "key": _bytes(given["key"]), "nonce": _bytes(given["nonce"])}
    return {"payload": encode(msgspec.convert(fields, AddressPayload))}


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


def message(given: Given) -> Any:
    kinds = {kind.__struct_config__.tag: kind for kind in WireMessage.__args__}
    kind = kinds[given["message"]["type"]]
    return {"frame": encode_message(msgspec.convert(_unhexed(given["message"], kind), kind))}


def message_of_the_game(given: Given) -> Any:
    decode_message(_bytes(given["frame"])[HEADER_SIZE:], LinkStage.GAME)
    return {}


def code_exchange(given: Given) -> Any:
    keys = _bytes(given["joiner"]), _bytes(given["host"]), _bytes(given["certificate"])
    joiner = Exchange(given["typed"], *keys, Stream("joiner"), host=False)
    host = Exchange(given["code"], *keys, Stream("host"), host=True)
    return {
        "pake_a": joiner.message,
        "pake_b": host.message,
        "by joiner, by host: as the joiner has them": joiner.finish(host.message),
        "by joiner, by host: as the host has them": host.finish(joiner.message),
    }


def meeting_place(given: Given) -> Any:
    place = hash_place(given["digits"])
    return {"tokens": list(place.tokens), "mark": place.mark}


def signature(given: Given) -> Any:
    verify_signature(*(_bytes(given["key"]), given["label"], _bytes(given["data"]), _bytes(given["signature"])))
    return {}


def characters(given: Given) -> Any:
    hidden = {code for first, last in HIDDEN for code in range(first, last + 1)}
    return {"ranges": ranges({"hidden": hidden, "marks": MARKS}[given["list"]])}


def safety(given: Given) -> Any:
    return {"words": list(safety_words(_bytes(given["seed"]), *map(_bytes, given["keys"])))}


def lobby_line(given: Given) -> Any:
    lobby, key = _bytes(given["lobby"]), _bytes(given["key"])
    return {"payload": encode(LinePayload(1, lobby, key, given["number"], given["text"]))}


def line_of_the_lobby(given: Given) -> Any:
    talk, keys = LobbyTalk(_bytes(given["lobby"]), DEFAULT_LIMITS, lambda: 0), [_bytes(key) for key in given["keys"]]
    talk._numbers[keys[0]] = given["said"]  # its last line, which this peer took
    said = talk.take(LineMessage(_bytes(given["payload"]), _bytes(given["signature"])), keys)
    assert said is not None, "it is the first in its minute"
    return {"text": said.text}


CHECKS: Mapping[str, Callable[[Given], Any]] = {
    "tagged hash": lambda given: {"hash": tagged_hash(given["label"], *map(_bytes, given["items"]))},
    "hash to point": lambda given: {"point": hash_to_point(given["label"], given["index"]).encoded},
    "point": lambda given: (decode_point(_bytes(given["bytes"])), {})[1],
    "scalar": lambda given: (decode_scalar(_bytes(given["bytes"])), {})[1],
    "oracle": oracle,
    "key commitment": lambda given: {
        "commitment": key_commitment(_bytes(given["game"]), given["seat"], _bytes(given["key"]), _bytes(given["nonce"]))
    },
    "key proof": key_proof,
    "joint key": lambda given: {"joint": joint_key([decode_point(_bytes(key)) for key in given["keys"]]).encoded},
    "share proof": share_proof,
    "open card": open_card,
    "fresh deck": lambda given: {
        "deck": encode_deck(
            fresh_deck(decode_point(_bytes(given["joint"])), [decode_point(_bytes(c)) for c in given["cards"]])
        )
    },
    "shuffle proof": shuffle_proof,
    "signature": signature,
    "fingerprint": lambda given: {"fingerprint": fingerprint(_bytes(given["key"]))},
    "identity key": identity_key,
    "agreement": agreement,
    "head": lambda given: {"head": tagged_hash(STEP, _bytes(given["head"]), *map(_bytes, given["payloads"]))},
    "payload": payload,
    "remark": remark,
    "signed": signed,
    "head of action": head_of,
    "certificate": certificate,
    "joint numbers": joint_numbers,
    "joint permutation": lambda given: {"order": JointStream(_bytes(given["seed"])).permutation(given["size"])},
    "dealer draw": dealer_draw,
    "deal order": lambda given: {"owners": deal_order(given["players"], given["dealer"], given["hand"])},
    "move": move,
    "position": position,
    "action": action,
    "variant": variant,
    "record": record,
    "end digest": end,
    "link statement": link_statement,
    "address statement": address_statement,
    "addresses of the lobby": addresses_of_the_lobby,
    "relay token": relay_token,
    "lobby line": lobby_line,
    "line of the lobby": line_of_the_lobby,
    "message": message,
    "message of the game": message_of_the_game,
    "code exchange": code_exchange,
    "meeting place": meeting_place,
    "characters": characters,
    "words": lambda _given: {"words": list(WORDS)},
    "safety words": safety,
}

# Signatures that are an output: the label, and what is signed.
SIGNED = {
    "end digest": (FILE, "digest"),
    "link statement": (LINK, "statement"),
    "address statement": (ADDRESSES, "payload"),
    "lobby line": (LOBBY_LINE, "payload"),
}
