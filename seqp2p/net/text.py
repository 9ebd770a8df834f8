"""What a peer wrote, made fit to be shown."""

import unicodedata

SHOWN_LENGTH_MAX = 200


def clean(text: str, length_max: int = SHOWN_LENGTH_MAX) -> str:
    r"""The text without control, direction and invisible characters, on one line, at most ``length_max`` characters.

    >>> clean("a\x1b[31mb \u202e c\n")
    'a[31mb c'
    """
    shown = "".join(
        character if unicodedata.category(character)[0] in "LMNPS" else " " if character.isspace() else ""
        for character in text
    )
    return " ".join(shown.split())[:length_max].rstrip()
