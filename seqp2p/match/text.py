"""Text from one player for others: its permitted characters, the same for every program and for good.

The ranges are written out, not taken from a Unicode database: databases grow, and a letter of one version of Python is
unassigned in another. docs/protocol.md, "Names and remarks".
"""

from seqp2p.i18n import message

# Controls; spaces other than U+0020; what shows nothing, joins, or changes the direction of writing; private use.
HIDDEN = (
    (0x0000, 0x001F),
    (0x007F, 0x00A0),
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x0600, 0x0605),
    (0x061C, 0x061C),
    (0x06DD, 0x06DD),
    (0x070F, 0x070F),
    (0x0890, 0x0891),
    (0x08E2, 0x08E2),
    (0x115F, 0x1160),
    (0x1680, 0x1680),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x2000, 0x200F),
    (0x2028, 0x202F),
    (0x205F, 0x206F),
    (0x2800, 0x2800),
    (0x3000, 0x3000),
    (0x3164, 0x3164),
    (0xD800, 0xF8FF),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFF),
    (0x110BD, 0x110BD),
    (0x110CD, 0x110CD),
    (0x13430, 0x1345F),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0x10FFFF),
)


def is_hidden(character: str) -> bool:
    """Return True if a character can move a cursor, change the direction of writing, or be invisible."""
    code = ord(character)
    return any(first <= code <= last for first, last in HIDDEN)


def text_fault(what: str, text: str, length_max: int) -> str | None:
    """Return the reason not to show this text to others, or None: 1 to ``length_max`` code points, none hidden.

    Spaces are U+0020, single, and only inside.
    """
    if not 1 <= len(text) <= length_max:
        return message("{what} has 1 to {most} characters", what=what, most=length_max)
    if any(map(is_hidden, text)):
        return message("{what} has no control, direction or invisible characters", what=what)
    if text != text.strip(" ") or "  " in text:
        return message("{what} has single spaces, and only inside", what=what)
    return None


def cleaned(text: str, length_max: int) -> str:
    r"""Return typed text without the characters that ``text_fault`` refuses; possibly empty.

    >>> cleaned("well\tplayed \x1b[31m!\u202e", 40)
    'well played [31m!'
    """
    spaced = "".join(" " if character.isspace() else character for character in text)
    shown = "".join(character for character in spaced if not is_hidden(character))
    return " ".join(shown.split())[:length_max].rstrip()
