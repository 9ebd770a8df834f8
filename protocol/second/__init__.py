"""A second verifier, written from docs/protocol.md alone: slow, plain, and importing nothing of seqp2p.

It shows that the specification says everything, and finds where the two programs disagree. Points are pairs of
integers or None for infinity; classes of failure are exceptions of their own.
"""
