#!/usr/bin/env python3
"""make_pprof.py FILE [SAMPLES [STACKS]] [--labels | --heap [--lines]] - a large profile of pprof, as a service makes it that
runs for long: many samples of few stacks, which begin alike; the tables stand behind the samples, as Go writes them.

--labels: every sample has labels, as those of continuous profilers: its thread (of 64), the request, of which there
are many, and its time.
--heap: every sample has a stack of its own, as where a profiler has added up what is alike, and four values, most of
them 0; depths and sizes are those of Parca's profile of allocations (15 locations, 1 label: the size of the objects).
--lines: a function has 30 lines, where it has one otherwise.
"""
import random
import sys

kind = [argument for argument in sys.argv if argument.startswith("--")]
sys.argv = [argument for argument in sys.argv if not argument.startswith("--")]


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
LINES = 30 if "--lines" in kind else 1
random.seed(1)
samples = int(sys.argv[2]) if len(sys.argv) > 2 else 3000000
stacks = int(sys.argv[3]) if len(sys.argv) > 3 else 5000

strings = [b"", b"samples", b"count", b"cpu", b"nanoseconds", b"alloc_objects", b"alloc_space", b"inuse_objects"]
strings += [b"inuse_space", b"bytes", b"thread", b"request", b"timestamp_ns"] + [b"worker-%d" % i for i in range(64)]
first_name = len(strings)
for i in range(FUNCTIONS):
    strings.append(b"github.com/example/project/pkg%d/sub.(*Type%d).Method%d" % (i % 97, i % 1003, i))
    strings.append(b"/home/user/go/src/github.com/example/pkg%d/file%d.go" % (i % 97, i % 1003))


def few_stacks():
    """The samples of `stacks` stacks."""
    begins = [[random.randrange(1, FUNCTIONS + 1) for _ in range(30)] for _ in range(400)]
    encoded = []
    for _ in range(stacks):
        stack = random.choice(begins)[: random.randrange(10, 30)]
        stack = stack + [random.randrange(1, FUNCTIONS + 1) for _ in range(random.randrange(1, 12))]
        encoded.append(message(1, b"".join(varint(i) for i in reversed(stack))))
    time = 1700000000000000000
    for i in range(samples):
        value = random.randrange(1, 50)
        sample = random.choice(encoded) + message(2, varint(value) + varint(value * 10000000))
        if kind:
            time += random.randrange(1000000)
            sample += message(3, number(1, 10) + number(2, 13 + random.randrange(64)))
            sample += message(3, number(1, 11) + number(3, i // 16)) + message(3, number(1, 12) + number(3, time))
        yield sample


def own_stacks():
    """The samples of the nodes of a tree: the parent of a node is one of the latest, or one of any depth."""
    nodes = [(b"", 0)]
    for i in range(samples):
        path, depth = random.choice(nodes) if i % 4 == 0 else nodes[-1 - random.randrange(min(len(nodes), 40))]
        if depth > 30:
            path, depth = random.choice(nodes[:1000])
        location = min(random.randrange(1, FUNCTIONS + 1), random.randrange(1, FUNCTIONS + 1))
        if LINES > 1:
            location = (location - 1) * LINES + random.randrange(LINES) + 1
        nodes.append((varint(location) + path, depth + 1))
    random.shuffle(nodes)
    for path, depth in nodes:
        if depth:
            size = 16 * random.randrange(1, 200)
            count = random.randrange(1, 1000)
            live = count if random.randrange(4) == 0 else 0
            values = varint(count) + varint(count * size) + varint(live) + varint(live * size)
            yield message(1, path) + message(2, values) + message(3, number(1, 9) + number(3, size) + number(4, 9))


for i in range(FUNCTIONS):
    strings.append(b"github.com/example/project/pkg%d/sub.(*Type%d).Method%d" % (i % 97, i % 1003, i))
    strings.append(b"/home/user/go/src/github.com/example/pkg%d/file%d.go" % (i % 97, i % 1003))

with open(sys.argv[1], "wb") as out:
    if "--heap" in kind:
        for i in range(4):
            out.write(message(1, number(1, 5 + i) + number(2, 9 if i % 2 else 2)))
    else:
        out.write(message(1, number(1, 1) + number(2, 2)) + message(1, number(1, 3) + number(2, 4)))
    for sample in own_stacks() if "--heap" in kind else few_stacks():
        out.write(message(2, sample))
    out.write(message(3, number(1, 1) + number(2, 0x400000) + number(3, 0x900000)))
    for i in range(1, FUNCTIONS * LINES + 1):
        line = message(4, number(1, (i - 1) // LINES + 1) + number(2, i % 500 + 1))
        out.write(message(4, number(1, i) + number(2, 1) + number(3, 0x400000 + 16 * i) + line))
    for i in range(FUNCTIONS):
        name = number(2, first_name + 2 * i) + number(3, first_name + 2 * i)
        out.write(message(5, number(1, i + 1) + name + number(4, first_name + 1 + 2 * i)))
    for string in strings:
        out.write(message(6, string))
