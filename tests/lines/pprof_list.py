#!/usr/bin/env python3
"""Lines of a profile of Go, as `go tool pprof -list` has them: pprof_list.py FLAMEL

programs/listed.pb.gz is a CPU profile of programs/listed.go, with inlined functions, recursion and a closure;
listed.txt is what go tool pprof -unit=ms -list 'main\\.' said of it. Each line of each function must have the same self
(flat) and total (cum), to the millisecond: samples are 10 ms apart. Where there is go, it is asked again.
"""
import collections, json, os, re, shutil, subprocess, sys

here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
ROUTINE = re.compile(r"ROUTINE =+ (\S+) in (\S+)")
LINE = re.compile(r"^\s+(\S+)\s+(\S+)\s+(\d+):")


def ms(text):
    return 0 if text == "." else round(float(text.removesuffix("ms")))


def listed(text):
    """(function, line): (self, total) in ms, of the lines that cost something."""
    found, function = {}, None
    for row in text.split("\n"):
        if routine := ROUTINE.match(row):
            function = routine[1]
        elif function and (line := LINE.match(row)) and (ms(line[1]) or ms(line[2])):
            found[function, int(line[3])] = (ms(line[1]), ms(line[2]))
    return found


def annotated(flamel):
    text = subprocess.run(
        [flamel, "annotate", "-q", "--json", "-n", "0", "-m", "cpu", "/^main[.]/", "listed.pb.gz"],
        check=True, stdout=subprocess.PIPE, cwd=here,
    ).stdout  # fmt: skip
    found = collections.defaultdict(lambda: (0, 0))
    for line in json.loads(text)["lines"]:
        if line["line"] and (line["self"] or line["total"]):
            before = found[line["function"], line["line"]]
            found[line["function"], line["line"]] = (before[0] + round(line["self"] / 1e6), before[1] + round(line["total"] / 1e6))
    return found


def differences(what, ours, theirs):
    wrong = 0
    for key in sorted(set(ours) | set(theirs)):
        if ours.get(key) != theirs.get(key):
            wrong += 1
            print(f"  {key[0]} line {key[1]}: {ours.get(key)} ms of self and total, and {theirs.get(key)} of {what}")
    return wrong


def main():
    ours = annotated(os.path.abspath(sys.argv[1]))
    with open(os.path.join(here, "listed.txt")) as file:
        stored = listed(file.read())
    wrong = differences("listed.txt", ours, stored)
    if not stored:
        print("listed.txt has no lines")
        return 1
    if shutil.which("go"):
        command = ["go", "tool", "pprof", "-unit=ms", f"-source_path={here}", "-trim_path=/src", "-list", r"main\.", "listed.pb.gz"]
        now = subprocess.run(command, cwd=here, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if now.returncode == 0:
            wrong += differences("go tool pprof", ours, listed(now.stdout.decode()))
        else:
            print(f"go tool pprof was not asked: {now.stderr.decode().strip()}")
    print(f"{len(stored)} lines of {len({key[0] for key in stored})} functions: {wrong} differ")
    return 1 if wrong else 0


sys.exit(main())
