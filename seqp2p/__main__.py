"""``python -m seqp2p`` is the ``seqp2p`` command."""

from seqp2p.cli.main import main

if __name__ == "__main__":
    main()
