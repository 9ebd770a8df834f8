"""Text from a peer, made safe to show."""

import unicodedata

SHOWN_LENGTH_MAX = 200


def clean(text: str, length_max: int = SHOWN_LENGTH_MAX) -> str:
    r"""Return the text without control, direction and invisible characters, on one line, cut to ``length_max``.

    >>> clean("a\x1b[31mb \u202e c\n")
    'a[31mb c'
    """
    shown = "".join(
        character if unicodedata.category(character)[0] in "LMNPS" else " " if character.isspace() else ""
        for character in text
    )
    return " ".join(shown.split())[:length_max].rstrip()
