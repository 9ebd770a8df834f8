"""The library: hosting, joining, playing, resuming, watching and verifying, under the caller's own trio.

``import seqp2p`` gives all of it: docs/scripting.md, "As a library".
"""
