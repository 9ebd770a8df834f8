"""seqp2p as a library: what ``import seqp2p`` gives, under the caller's own trio. docs/scripting.md, "As a library"."""
