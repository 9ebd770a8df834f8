"""The printed boards, cell by cell.

A board is read row by row; row 1 is the first line, column a its first word, and ``*`` is a free corner.
Rotations of a grid are the same board. Sizes, counts and free corners are the printed ones; the animals of the kids'
board and their order are this project's own.
"""

from typing import Final

FREE: Final = "*"

CLASSIC_GRID: Final = """
*  2S 3S 4S 5S 6S 7S 8S 9S *
6C 5C 4C 3C 2C AH KH QH TH TS
7C AS 2D 3D 4D 5D 6D 7D 9H QS
8C KS 6C 5C 4C 3C 2C 8D 8H KS
9C QS 7C 6H 5H 4H AH 9D 7H AS
TC TS 8C 7H 2H 3H KH TD 6H 2D
QC 9S 9C 8H 9H TH QH QD 5H 3D
KC 8S TC QC KC AC AD KD 4H 4D
AC 7S 6S 5S 4S 3S 2S 2H 3H 5D
*  AD KD QD TD 9D 8D 7D 6D *
"""

KIDS_GRID: Final = """
*         alligator bear      cat       duck      elephant  *
frog      giraffe   horse     kangaroo  lion      monkey    owl
penguin   rabbit    sheep     turtle    whale     yak       zebra
lion      monkey    owl       penguin   rabbit    sheep     turtle
whale     yak       zebra     alligator bear      cat       duck
*         elephant  frog      giraffe   horse     kangaroo  *
"""
