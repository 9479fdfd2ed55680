"""A program that only sleeps: 440 ms before the change, 390 ms after it.

    load             30 ms
    check            30 ms
    c                50 ms
      b             100 ms
        a           200 ms, and 150 ms with EXAMPLE=new: the intended improvement
    write            30 ms
"""

import os
import time

is_new = os.environ.get("EXAMPLE") == "new"


def a():
    time.sleep(0.15 if is_new else 0.2)


def b():
    a()
    time.sleep(0.1)


def c():
    b()
    time.sleep(0.05)


def load():
    time.sleep(0.03)


def check():
    time.sleep(0.03)


def write():
    time.sleep(0.03)


load()
check()
c()
write()
