"""The command line: one module for each command, imported only when it is called."""

import atexit
import gc

# The program makes many objects and few cycles: a collection at the usual 700 objects finds almost nothing.
gc.set_threshold(20_000, 20, 100)
# What is left at the end goes with the process: to look through it for cycles takes 20 ms.
atexit.register(gc.freeze)
