"""Bots, programs that play as bots, and the interface of every player.

A bot gets a `View`, which has only what its seat may know, and returns an action. ``registry`` has the bots by name.
"""
