"""The lessons of the tutorial: a game of two players that is fixed from the first card to the last, turn by turn.

Every lesson is one action of the pupil, who has seat 1, and the opponent's reply. Ten turns, one of them with a dead
card exchanged, lead to two sequences that share a chip.
"""

from dataclasses import dataclass
from typing import Final

from seqp2p.i18n import Message, message

PUPIL: Final = 1
OPPONENT: Final = 2
HAND: Final = "2S 3S 5S JS 4D TD JC"
OPPONENTS_HAND: Final = "QD KD TD JD 5S 2H JH"


@dataclass(frozen=True, slots=True)
class Lesson:
    """``text`` is said first, ``task`` whenever the pupil asks or errs; ``fulfils`` are the actions that do it.

    ``hint`` answers another legal action. ``draws`` is the card drawn for the played one; ``reply`` the opponent's
    action, empty if the turn goes on or the game is over, ``reply_draws`` its new card, and ``moral`` the last words.
    """

    text: tuple[Message, ...]
    task: Message
    fulfils: tuple[str, ...]
    hint: Message
    draws: str = "?"
    reply: str = ""
    reply_draws: str = "?"
    moral: tuple[Message, ...] = ()


WELCOME: Final = (
    message("Ten turns that show the whole game. Type what you want to do; help lists the words, leave ends it."),
    message("You play blue, against an opponent who plays green. Who has two sequences first has won."),
)
WELCOME_KEYS: Final = message(
    "Keys and the mouse do the same: Tab chooses a card, the arrows a square; Enter prepares the move, and sends it."
)
"""Said where there is a screen."""

LESSONS: Final = (
    Lesson(
        text=(
            message("1. A card and its squares"),
            message(
                "Your hand is yours alone. Every card but the jacks is printed twice on the board: 3S is c1 and f9."
            ),
            message("In your turn you put a chip on a free square of one of your cards; then you draw a new card."),
        ),
        task=message("Put a chip on c1: type 3S c1. (Type where 3S to see both its squares.)"),
        fulfils=("3S c1",),
        hint=message("the rules allow that; but row 1 is where this game goes on"),
        draws="4C",
        reply="QD h7",
        reply_draws="7S",
        moral=(message("That is a turn. Your card lies face up now, and you have drawn 4C for it."),),
    ),
    Lesson(
        text=(
            message("2. The corners"),
            message("Five in a row, in a column or on a diagonal are a sequence."),
            message(
                "The four corners count for everybody, as if a chip of yours lay there: beside one, four chips do."
            ),
        ),
        task=message("Put a chip between the corner and your first one: type 2S b1."),
        fulfils=("2S b1",),
        hint=message("the rules allow that; but the square between the corner and your chip is worth more"),
        draws="5H",
        reply="KD h8",
        reply_draws="4S",
    ),
    Lesson(
        text=(
            message("3. Jacks with two eyes"),
            message("d1 would be next, and you do not hold its card, 4S. But you hold JC."),
            message("JC and JD, the jacks with two eyes, put a chip on any free square."),
        ),
        task=message("Go on in row 1: type JC d1."),
        fulfils=("JC d1",),
        hint=message("the rules allow that; but only a jack with two eyes comes to d1 now"),
        draws="4S",
        reply="5S e1",
        reply_draws="3S",
        moral=(message("Your opponent has seen what you are up to: it blocks your row on e1."),),
    ),
    Lesson(
        text=(
            message("4. Jacks with one eye"),
            message("JS and JH, the jacks with one eye, take an opponent's chip off the board."),
            message("The square is free after that; whoever wants it still has to put a chip there, in another turn."),
        ),
        task=message("Take the chip off e1: type JS xe1."),
        fulfils=("JS xe1",),
        hint=message("the rules allow that; but the chip on e1 is the one that blocks you"),
        draws="AH",
        reply="2H h9",
        reply_draws="9D",
    ),
    Lesson(
        text=(
            message("5. A sequence"),
            message("The corner, b1, c1 and d1 are four. e1 is free again, and you hold its card."),
        ),
        task=message("Complete the five: type 5S e1."),
        fulfils=("5S e1",),
        hint=message("the rules allow that; but your fifth square is free now, and may not be for long"),
        draws="KH",
        reply="JD h10",
        reply_draws="QC",
        moral=(message("A sequence, your first. Your opponent has used a jack with two eyes, too: look at column h."),),
    ),
    Lesson(
        text=(
            message("6. Blocking"),
            message("Your opponent has h7, h8, h9 and h10; the fifth chip would lie on h6. You hold TD, its card."),
        ),
        task=message("Block the column: type TD h6."),
        fulfils=("TD h6",),
        hint=message("the rules allow that; but then your opponent completes column h"),
        draws="9C",
        reply="JH xh6",
        reply_draws="8H",
        moral=(message("Your opponent takes your chip off h6 again, with a jack with one eye."),),
    ),
    Lesson(
        text=(
            message("7. What is protected"),
            message(
                "It would rather have taken a chip from row 1. But nobody can take a chip of a completed sequence."
            ),
            message("So those five are yours for good. And a second sequence may share one chip with the first:"),
            message("column e begins with your chip on e1, and you hold cards for e3, e4 and e5."),
        ),
        task=message("Begin the second sequence: type 4D e3."),
        fulfils=("4D e3",),
        hint=message("the rules allow that; but you hold cards for three squares of column e"),
        draws="JH",
        reply="TD h6",
        reply_draws="6C",
        moral=(message("Your opponent has its first sequence, too."),),
    ),
    Lesson(
        text=(
            message("8. Reading the board"),
            message("You have drawn JH, a jack with one eye. It cannot take a chip of column h: they are protected."),
            message(
                "board shows sequences in square brackets and the last move in pointed ones, moves what you can do."
            ),
        ),
        task=message("Go on in column e: type 4C e4."),
        fulfils=("4C e4",),
        hint=message("the rules allow that; but column e is the shortest way to your second sequence"),
        draws="QS",
        reply="4S e9",
        reply_draws="KC",
    ),
    Lesson(
        text=(
            message("9. Dead cards"),
            message("Your 4S has no free square left: your jack lies on d1, your opponent's chip on e9. It is dead."),
            message("Once in a turn, before you play, you may put a dead card down for a new one."),
        ),
        task=message("Exchange it: type 4S dead."),
        fulfils=("4S dead",),
        hint=message("the rules allow that; but a new card for a dead one costs you nothing"),
        draws="2C",
    ),
    Lesson(
        text=(message("You have drawn 2C, and your turn goes on."),),
        task=message("Go on in column e: type 5H e5."),
        fulfils=("5H e5",),
        hint=message("the rules allow that; but with e5 and e2 column e is complete: e5 comes first here"),
        draws="8S",
        reply="3S f9",
        reply_draws="AS",
    ),
    Lesson(
        text=(message("10. The end"), message("e1, e3, e4 and e5 are yours. e2 is the fifth, and you hold its card.")),
        task=message("Win: type 2C e2."),
        fulfils=("2C e2",),
        hint=message("the rules allow that; but there is a move that wins at once"),
        moral=(message("Two sequences, with one chip in both: you have won."),),
    ),
)

LEFT: Final = message(
    "you have left the tutorial; seqp2p play --tutorial begins it again, and seqp2p play is a game against a bot"
)
FAREWELL: Final = (
    message(
        "That is all there is to it. Some tables play in teams, with other rules, or the kids' game: seqp2p rules."
    ),
    message("seqp2p play is a game against a bot; seqp2p host opens a table for others."),
)
