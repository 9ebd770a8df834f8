"""seqp2p: the board game Sequence between peers, with no referee and no host that sees a card."""

__version__ = "0.1.0"
