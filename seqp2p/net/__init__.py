"""Links, lobby and mesh: how seats find each other and pass on contributions, over trio. docs/protocol.md, "Peers".

Nothing here interprets a game: a contribution is opaque signed bytes. Lowest layer first: ``limits``, ``errors``,
``text``, ``frames``, ``messages``; ``tls`` and ``auth`` make a link, ``links`` carries messages over one; ``code``,
``pake``, ``lobby_host`` and ``lobby_join`` bring a table together; ``gossip`` and ``mesh`` carry the game.
"""
