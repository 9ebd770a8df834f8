"""A lock that goes with the process that holds it, however that ends: one process a seat, one a key."""

import sys


def lock(descriptor: int) -> bool:
    """Whether this process holds the open file's lock now. Another descriptor of the same file does not share it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
