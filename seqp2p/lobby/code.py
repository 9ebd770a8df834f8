"""Join codes: ``7-amber-falcon``, and ``7-4821937-5526041-amber-falcon`` with a meeting place at a relay.

The number names the table on a LAN; each word is 8 secret bits. Two words are enough against guessing, because such a
code is burned after three tries (door.py), and an eavesdropper learns nothing, because SPAKE2 shows nothing to search
through. The code after a burned one has more words. The 14 digits between them name the place at a relay where host and
joiner meet (place.py); the relay is assumed to know them. So number, place and word count are public, and no two codes
of one table share all three. No code has more than six groups: it is read out on the phone.

The 256 words are common English words of 3 to 7 letters, no two alike in their first four letters. Codes are made by
the order of the words, and compared as text.

Safety words are two of the 256 words. Two players compare them, on the telephone or across the room, to learn that no
one sits between them. Equal words show that both ends know the same two keys at the same table. A dishonest host could
run two tables and relay between them, under keys of its own: then the two ends see other keys and another game, and the
words differ but once in 65,536.

Sixteen bits are enough only because no one can search for words that happen to be equal. So the seed is the joint
randomness that the seats opened in step ``reveal``. Every seat has committed to its part before it saw any other: a
host of both tables has fixed its part of each seed before it can know that seed, in either order. It could only break
off, in sight of all, and begin again. Words made of the keys or of the agreement alone could be
searched for: 65,536 keys are made in seconds.
"""

import re
from collections.abc import Sequence
from typing import Final

from seqp2p.crypto.group import Randomness
from seqp2p.crypto.hashing import tagged_hash
from seqp2p.i18n import message
from seqp2p.match.text import clean
from seqp2p.net.errors import BadCode

_TEXT: Final = """
    acorn agent album almond amber anchor angle apple april arch arrow aspen atlas autumn avocado badge bagel
    bamboo banjo barrel basket beacon beaver bench berry bicycle birch bishop bottle boulder branch brick bridge
    bronze bubble bucket butter cabin cactus camel candle canyon carpet castle cedar cello chalk cherry chimney
    circle clover coast coffee comet copper coral cotton crane crown crystal curtain cycle daisy dancer desert
    diamond dinner dolphin domino donkey dragon drum eagle earth echo eclipse elbow emerald engine envoy fabric
    falcon farmer feather ferry fiddle finch flame flute forest fossil fox frost galaxy garden garlic gecko
    ginger globe goblet goose granite grape guitar hammer hazel helmet heron hockey honey horizon hotel hunter
    icicle igloo indigo island ivory jacket jaguar jasmine jelly jigsaw jockey jungle juniper kayak kettle
    kitten koala ladder lagoon lantern lemon leopard library lizard lobster lotus lunch magnet mango maple
    marble meadow melon mercury meteor mirror monkey mosaic muffin museum mustard napkin nectar needle night
    noodle novel nutmeg oasis ocean octopus olive onion opera orange orchid otter oyster paddle palace panda
    parrot pastry pebble pelican pencil pepper piano pigeon pilot pirate planet plum pocket polar pony potato
    pumpkin puzzle quartz quilt rabbit radar raven ribbon river robin rocket rose ruby saddle saffron salmon
    school shadow silver sketch spider spruce stone summer sunset swan tango teapot temple thistle thunder tiger
    timber toast tomato topaz tractor trumpet tulip tunnel turtle uncle unicorn valley vanilla velvet violin
    volcano voyage waffle wagon walnut water whale wheat willow window winter wizard wolf yacht yellow yogurt
    zebra zephyr zigzag
"""
WORDS: Final = tuple(_TEXT.split())
TABLE_NUMBER_MAX: Final = 99
WORDS_MIN: Final = 2
WORDS_MAX: Final = 4
PLACE_WORDS_MAX: Final = 3
"""Words of a code with a meeting place, which takes two of the six groups."""
PLACE_DIGITS: Final = 14
"""10^14 places are more than 2^46."""
_GROUP: Final = 7
_PLACE_HINT: Final = message("A code with a meeting place looks like 7-4821937-5526041-amber-falcon.")
_SEPARATORS: Final = re.compile(r"[\s\-_.,‐‑‒–—]+")
_DIGITS: Final = re.compile(r"[\s\-_.,‐‑‒–—\d]*")
_SHOWN_MAX: Final = 20
SAFETY_WORDS: Final = "seqp2p/1 safety words"


def make_code(table_number: int, words: int, randomness: Randomness, place: str = "") -> str:
    """Make a new code of 2 to 4 words for the table with this number, 1 to 99, and this place of 14 digits, if any.

    >>> make_code(7, 2, lambda size: bytes(size)), make_code(7, 2, lambda size: bytes(size), "48219375526041")
    ('7-acorn-acorn', '7-4821937-5526041-acorn-acorn')
    """
    return _joined(table_number, place, [WORDS[index] for index in randomness(words)])


def public_part(code: str) -> tuple[int, int]:
    """Return a code's table number and its number of words.

    >>> public_part("7-amber-falcon-acorn"), public_part("7-4821937-5526041-amber-falcon")
    ((7, 3), (7, 2))
    """
    number, *groups = code.split("-")
    return int(number), sum(group.isalpha() for group in groups)


def place_of(code: str) -> str | None:
    """Return the 14 digits of a code's meeting place; None for a code without one.

    >>> place_of("7-4821937-5526041-amber-falcon"), place_of("7-amber-falcon")
    ('48219375526041', None)
    """
    return "".join(group for group in code.split("-")[1:] if group.isdigit()) or None


def make_table_number(randomness: Randomness) -> int:
    """Draw a table's number, 1 to 99, each as likely as the others."""
    while (number := randomness(1)[0] >> 1) >= TABLE_NUMBER_MAX:
        pass
    return number + 1


def make_place(randomness: Randomness) -> str:
    """Draw the 14 digits of a meeting place, each place as likely as the others."""
    while (place := int.from_bytes(randomness(6), "big") >> 1) >= 10**PLACE_DIGITS:
        pass
    return f"{place:0{PLACE_DIGITS}}"


def parse_code(text: str) -> str:
    """Return the code that a person typed, in any case, with spaces, hyphens or nothing before the words.

    The digits of a meeting place may be grouped in any way, apart from the table's number. Raises BadCode, with a
    similar word as its hint where a word is unknown.

    >>> parse_code(" 7 Amber  FALCON"), parse_code("07-amber_falcon"), parse_code("7amber falcon")
    ('7-amber-falcon', '7-amber-falcon', '7-amber-falcon')
    >>> parse_code("7 482 1937 552 6041 amber falcon")
    '7-4821937-5526041-amber-falcon'
    """
    text = text.casefold()
    split_at = _DIGITS.match(text).end()  # type: ignore[union-attr]  # it matches nothing, too
    digits, words = _parts(text[:split_at]), _parts(text[split_at:])
    number = (digits or words or [""]).pop(0)
    if not WORDS_MIN <= len(words) <= (PLACE_WORDS_MAX if digits else WORDS_MAX):
        raise BadCode(message("This is not a join code."), _PLACE_HINT if digits else "")
    if not (number.isascii() and number.isdigit() and len(number) <= 4 and 1 <= int(number) <= TABLE_NUMBER_MAX):
        raise BadCode(message("A join code begins with the table's number, 1 to {most}.", most=TABLE_NUMBER_MAX))
    place = "".join(digits)
    if digits and not (place.isascii() and place.isdigit() and len(place) == PLACE_DIGITS):
        raise BadCode(
            message("The meeting place in a join code has {count} digits after the number.", count=PLACE_DIGITS),
            _PLACE_HINT,
        )
    for word in words:
        if word not in WORDS:
            raise BadCode(
                message("{word!r} is not a word that join codes use.", word=clean(word, _SHOWN_MAX)), _near(word)
            )
    return _joined(int(number), place, words)


def _joined(number: int, place: str, words: Sequence[str]) -> str:
    groups = [place[:_GROUP], place[_GROUP:]] if place else []
    return "-".join([str(number), *groups, *words])


def _parts(text: str) -> list[str]:
    return [part for part in _SEPARATORS.split(text) if part]


def _near(word: str) -> str:
    import difflib  # Only for a wrong word.

    near = difflib.get_close_matches(word, WORDS, n=1)
    return message("Did you mean {word!r}?", word=near[0]) if near else ""


def safety_words(seed: bytes, key_a: bytes, key_b: bytes) -> tuple[str, str]:
    """Return two words for the seats with these identity keys (32 bytes each), in either order.

    ``seed`` is the randomness opened in step ``reveal``, the parts of all seats in seat order.
    """
    first, second = tagged_hash(SAFETY_WORDS, seed, *sorted((key_a, key_b)))[:2]
    return WORDS[first], WORDS[second]
