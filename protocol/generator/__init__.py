"""The generator of protocol/vectors, protocol/replays and replays: the same bytes on every machine.

``stream`` is the randomness, ``games`` plays whole games in memory; ``primitives``, ``tables`` and ``contributions``
make vectors, ``cases`` small replays, ``golden`` the large ones; ``files`` lists all files with their paths.
"""
