"""The step machine: signed contributions in, events and the record out. No clock, no socket, no file.

``machine`` is the match that seats, spectators, resumed games and the verifier share; ``steps`` has the table of steps,
``ballots`` the consensus on a step, ``seat`` the secrets of one seat.
"""
