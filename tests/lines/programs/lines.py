# lines.py - as lines.c, for CPython.
import sys, time

known = {}
last = 0


def lap(kind=None, group="-"):
    global last
    spent = time.thread_time_ns() - last
    if kind:
        key = f"{kind} lines.py {sys._getframe(1).f_lineno - 1} - {group}"
        known[key] = known.get(key, 0) + spent
    last = time.thread_time_ns()


def pair(x, n):
    for _ in range(4):
        lap()
        for i in range(3 * n): x = (x * 5 + i) & 0xffff
        lap("total", "pair")
        for i in range(n): x = (x * 5 + i) & 0xffff
        lap("total", "pair")
    return x


def spin(x, n):
    for i in range(n): x = (x * 5 + i) & 0xffff
    return x


def calls(x, n):
    lap()
    x = spin(x, 3 * n)
    lap("total", "calls")
    x = spin(x, n)
    lap("total", "calls")
    total = sum(range(40 * n))  # what C takes is the line's too
    lap("total", "calls")
    return x + total


x = 1
while time.process_time() < float(sys.argv[1]) / 1000:
    x = calls(pair(x, 1001 + x % 5999), 1001 + x % 5999) & 0xffff
for key, ns in known.items():
    print(key, ns)
print("all - - - -", time.process_time_ns())
