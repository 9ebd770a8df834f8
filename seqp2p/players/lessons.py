"""What the tutorial teaches: a game of two players that is known from the first card to the last, turn by turn.

Every lesson is one action of the pupil, who has seat 1, and what the opponent does then. Ten turns, and a dead card
exchanged in one of them, come to two sequences that share a chip.
"""

from dataclasses import dataclass
from typing import Final

from seqp2p.said import Said, said

PUPIL: Final = 1
OPPONENT: Final = 2
HAND: Final = "2S 3S 5S JS 4D TD JC"
OPPONENTS_HAND: Final = "QD KD TD JD 5S 2H JH"


@dataclass(frozen=True, slots=True)
class Lesson:
    """``text`` is said first, ``task`` whenever the pupil asks or errs; ``fulfils`` are the actions that do it.

    ``hint`` answers another action that the rules allow. ``draws`` is the card that comes for the one played; ``reply``
    the opponent's action, empty where the turn goes on or the game is over, ``reply_draws`` its new card, and
    ``moral`` what is said when all that is done.
    """

    text: tuple[Said, ...]
    task: Said
    fulfils: tuple[str, ...]
    hint: Said
    draws: str = "?"
    reply: str = ""
    reply_draws: str = "?"
    moral: tuple[Said, ...] = ()


WELCOME: Final = (
    said("Ten turns that show the whole game. Type what you want to do; help lists the words, leave ends it."),
    said("You play blue, against an opponent who plays green. Who has two sequences first has won."),
)

LESSONS: Final = (
    Lesson(
        text=(
            said("1. A card and its squares"),
            said("Your hand is yours alone. Every card but the jacks is printed twice on the board: 3S is c1 and f9."),
            said("In your turn you put a chip on a free square of one of your cards; then you draw a new card."),
        ),
        task=said("Put a chip on c1: type 3S c1. (Type where 3S to see both its squares.)"),
        fulfils=("3S c1",),
        hint=said("the rules allow that; but row 1 is where this game goes on"),
        draws="4C",
        reply="QD h7",
        reply_draws="7S",
        moral=(said("That is a turn. Your card lies face up now, and you have drawn 4C for it."),),
    ),
    Lesson(
        text=(
            said("2. The corners"),
            said("Five in a row, in a column or on a diagonal are a sequence."),
            said("The four corners count for everybody, as if a chip of yours lay there: beside one, four chips do."),
        ),
        task=said("Put a chip between the corner and your first one: type 2S b1."),
        fulfils=("2S b1",),
        hint=said("the rules allow that; but the square between the corner and your chip is worth more"),
        draws="5H",
        reply="KD h8",
        reply_draws="4S",
    ),
    Lesson(
        text=(
            said("3. Jacks with two eyes"),
            said("d1 would be next, and you do not hold its card, 4S. But you hold JC."),
            said("JC and JD, the jacks with two eyes, put a chip on any free square."),
        ),
        task=said("Go on in row 1: type JC d1."),
        fulfils=("JC d1",),
        hint=said("the rules allow that; but only a jack with two eyes comes to d1 now"),
        draws="4S",
        reply="5S e1",
        reply_draws="3S",
        moral=(said("Your opponent has seen what you are up to: it blocks your row on e1."),),
    ),
    Lesson(
        text=(
            said("4. Jacks with one eye"),
            said("JS and JH, the jacks with one eye, take an opponent's chip off the board."),
            said("The square is free after that; whoever wants it still has to put a chip there, in another turn."),
        ),
        task=said("Take the chip off e1: type JS xe1."),
        fulfils=("JS xe1",),
        hint=said("the rules allow that; but the chip on e1 is the one that blocks you"),
        draws="AH",
        reply="2H h9",
        reply_draws="9D",
    ),
    Lesson(
        text=(
            said("5. A sequence"),
            said("The corner, b1, c1 and d1 are four. e1 is free again, and you hold its card."),
        ),
        task=said("Complete the five: type 5S e1."),
        fulfils=("5S e1",),
        hint=said("the rules allow that; but your fifth square is free now, and may not be for long"),
        draws="KH",
        reply="JD h10",
        reply_draws="QC",
        moral=(said("A sequence, your first. Your opponent has used a jack with two eyes, too: look at column h."),),
    ),
    Lesson(
        text=(
            said("6. Blocking"),
            said("Your opponent has h7, h8, h9 and h10; the fifth chip would lie on h6. You hold TD, its card."),
        ),
        task=said("Block the column: type TD h6."),
        fulfils=("TD h6",),
        hint=said("the rules allow that; but then your opponent completes column h"),
        draws="9C",
        reply="JH xh6",
        reply_draws="8H",
        moral=(said("Your opponent takes your chip off h6 again, with a jack with one eye."),),
    ),
    Lesson(
        text=(
            said("7. What is protected"),
            said("It would rather have taken a chip from row 1. But nobody can take a chip of a completed sequence."),
            said("So those five are yours for good. And a second sequence may share one chip with the first:"),
            said("column e begins with your chip on e1, and you hold cards for e3, e4 and e5."),
        ),
        task=said("Begin the second sequence: type 4D e3."),
        fulfils=("4D e3",),
        hint=said("the rules allow that; but you hold cards for three squares of column e"),
        draws="JH",
        reply="TD h6",
        reply_draws="6C",
        moral=(said("Your opponent has its first sequence, too."),),
    ),
    Lesson(
        text=(
            said("8. Reading the board"),
            said("You have drawn JH, a jack with one eye. It cannot take a chip of column h: they are protected."),
            said("board shows sequences in square brackets and the last move in pointed ones, moves what you can do."),
        ),
        task=said("Go on in column e: type 4C e4."),
        fulfils=("4C e4",),
        hint=said("the rules allow that; but column e is the shortest way to your second sequence"),
        draws="QS",
        reply="4S e9",
        reply_draws="KC",
    ),
    Lesson(
        text=(
            said("9. Dead cards"),
            said("Your 4S has no free square left: your jack lies on d1, your opponent's chip on e9. It is dead."),
            said("Once in a turn, before you play, you may put a dead card down for a new one."),
        ),
        task=said("Exchange it: type 4S dead."),
        fulfils=("4S dead",),
        hint=said("the rules allow that; but a new card for a dead one costs you nothing"),
        draws="2C",
    ),
    Lesson(
        text=(said("You have drawn 2C, and your turn goes on."),),
        task=said("Go on in column e: type 5H e5."),
        fulfils=("5H e5",),
        hint=said("the rules allow that; but with e5 and e2 column e is complete: e5 comes first here"),
        draws="8S",
        reply="3S f9",
        reply_draws="AS",
    ),
    Lesson(
        text=(
            said("10. The end"),
            said("e1, e3, e4 and e5 are yours. e2 is the fifth, and you hold its card."),
        ),
        task=said("Win: type 2C e2."),
        fulfils=("2C e2",),
        hint=said("the rules allow that; but there is a move that wins at once"),
        moral=(said("Two sequences, with one chip in both: you have won."),),
    ),
)

LEFT: Final = said(
    "you have left the tutorial; seqp2p play --tutorial begins it again, and seqp2p play is a game against a bot"
)
FAREWELL: Final = (
    said("That is all there is to it. Some tables play in teams, with other rules, or the kids' game: seqp2p rules."),
    said("seqp2p play is a game against a bot; seqp2p host opens a table for others."),
)
