"""A lock that the system releases with its process: one process a seat, one a key."""

import os
import sys
from typing import Final

LOCKED_AT: Final = 2**31 - 2


def lock(descriptor: int) -> bool:
    """Lock the open file; return False if another process, or another descriptor of this one, holds the lock."""
    try:
        if sys.platform == "win32":
            import msvcrt

            # Nobody else can read a locked byte, so it is one after the end of any file.
            at = os.lseek(descriptor, 0, os.SEEK_CUR)
            os.lseek(descriptor, LOCKED_AT, os.SEEK_SET)
            try:
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            finally:
                os.lseek(descriptor, at, os.SEEK_SET)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
