"""The start of the program as one file (``make app``), which is ``python -m MODULE`` to its child processes."""

import multiprocessing
import runpy
import sys

from seqp2p.__main__ import main

if __name__ == "__main__":
    multiprocessing.freeze_support()
    if sys.argv[1:2] == ["-m"]:
        del sys.argv[:2]
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        main()
