"""Links between peers, and the messages and gossip on them, over trio. docs/protocol.md, "Peers".

Signed bytes are opaque here. Lowest layer first: ``limits``, ``errors``, ``frames``, ``messages``; ``tls``
and ``auth`` make a link, ``links`` carries messages over one; ``gossip`` and ``relay`` decide which neighbour gets it.
"""
