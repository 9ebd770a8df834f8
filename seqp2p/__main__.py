"""The ``seqp2p`` command, which ``python -m seqp2p`` is, too."""

import atexit
import gc
import signal
import sys


def main() -> None:
    """Set the garbage collector of this process, then run the command."""
    # Games and imports make many objects and few cycles: a collection at the usual 700 objects finds almost nothing.
    gc.set_threshold(20_000, 20, 100)
    # What is left at the end goes with the process: to look through it for cycles takes 20 ms.
    atexit.register(gc.freeze)
    if sys.platform != "win32":  # Ctrl-C waits until the command can say that it was stopped.
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    from seqp2p.cli.main import main as command

    command()


if __name__ == "__main__":
    main()
