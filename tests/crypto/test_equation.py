import pytest

from seqp2p.crypto.equation import Bracket, Equation, require
from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.group import INFINITY, G, mul_base
from tests.crypto.tools import point

RIGHT = Equation("right", mul_base(2 * 5 + 3 * (7 + 11)), (Bracket(2, ((5, G),)), Bracket(3, ((7, G), (11, G)))))
WRONG = Equation("wrong", G, (Bracket(2, ((5, G),)),))
EMPTY = Equation("empty", INFINITY, (Bracket(9, ((1, point(1)), (-1, point(1)))),))


def test_equations_hold_or_are_named() -> None:
    require([RIGHT, EMPTY])
    with pytest.raises(CryptoError, match="the equation for wrong does not hold"):
        require([RIGHT, WRONG])
