#!/usr/bin/env python3
"""make_pprof.py FILE [SAMPLES [STACKS]] - a large profile of pprof, as a service makes it that runs for
long: many samples of few stacks, which begin alike; the tables stand behind the samples, as Go writes them."""
import random
import sys


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def message(field, content):
    return varint(field << 3 | 2) + varint(len(content)) + content


def number(field, value):
    return varint(field << 3) + varint(value)


FUNCTIONS = 20000
random.seed(1)
samples = int(sys.argv[2]) if len(sys.argv) > 2 else 3000000
stacks = int(sys.argv[3]) if len(sys.argv) > 3 else 5000

strings = [b"", b"samples", b"count", b"cpu", b"nanoseconds"]
for i in range(FUNCTIONS):
    strings.append(b"github.com/example/project/pkg%d/sub.(*Type%d).Method%d" % (i % 97, i % 1003, i))
    strings.append(b"/home/user/go/src/github.com/example/pkg%d/file%d.go" % (i % 97, i % 1003))
begins = [[random.randrange(1, FUNCTIONS + 1) for _ in range(30)] for _ in range(400)]
encoded = []
for i in range(stacks):
    stack = random.choice(begins)[: random.randrange(10, 30)]
    stack = stack + [random.randrange(1, FUNCTIONS + 1) for _ in range(random.randrange(1, 12))]
    encoded.append(message(1, b"".join(varint(i) for i in reversed(stack))))

with open(sys.argv[1], "wb") as out:
    out.write(message(1, number(1, 1) + number(2, 2)) + message(1, number(1, 3) + number(2, 4)))
    for i in range(samples):
        value = random.randrange(1, 50)
        out.write(message(2, random.choice(encoded) + message(2, varint(value) + varint(value * 10000000))))
    out.write(message(3, number(1, 1) + number(2, 0x400000) + number(3, 0x900000)))
    for i in range(1, FUNCTIONS + 1):
        line = message(4, number(1, i) + number(2, i % 500 + 1))
        out.write(message(4, number(1, i) + number(2, 1) + number(3, 0x400000 + 16 * i) + line))
    for i in range(FUNCTIONS):
        name = number(2, 5 + 2 * i) + number(3, 5 + 2 * i)
        out.write(message(5, number(1, i + 1) + name + number(4, 6 + 2 * i)))
    for string in strings:
        out.write(message(6, string))
