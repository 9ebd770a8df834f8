"""The replay file: writing, reading, verifying and resuming it, and what can be made of it.

``format`` has the bytes, ``writer`` and ``sidecar`` write during a game, ``verify`` judges a file, ``playback`` turns
one into moments.
"""
