"""The lobby: finding a table, giving its join code, agreeing on the game, and letting spectators in.

``host`` and ``join`` are the two sides of it, ``code`` and ``pake`` the join code, ``discovery`` and ``adverts`` the
tables on a LAN. It ends with an agreed `Table`, which the live game takes over.
"""
