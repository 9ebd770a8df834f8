"""The live game: one seat, or one spectator, from an agreed table to the end of its replay.

The sessions (``seat_session``, ``spectator_session``) decide, without a task, link or clock of their own. ``game``,
``spectator`` and ``mesh`` run them under trio; ``tests.sim`` runs them in virtual time.
"""
