"""A lock that the system releases with its process: one process a seat, one a key."""

import sys


def lock(descriptor: int) -> bool:
    """Lock the open file; return False if another process, or another descriptor of this one, holds the lock."""
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
