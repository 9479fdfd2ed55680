#!/usr/bin/env python3
"""What recording a program of a runtime costs, beside that runtime's own profiler: runtimes.py FLAMEL [RUNS].

Each program does the same work every time. CPU seconds, user and system, of the command with all that it
starts, least and middle of RUNS in turn: the program alone, recorded at 99 and 999 Hz, and with its own
profiler. The overhead of flamel is its own work and what it takes from the program. Then, of the recording
at 999 Hz: samples, lost events, and how many frames of the runtime have names. Runtimes that are missing are
left out, with a line that says so."""
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile

NODE = """
function leaf(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i % 7); return s; }
class Work { middle(n) { return leaf(n) + [1, 2, 3].map((x) => leaf(n / 10) + x).length; } }
let sum = 0;
const work = new Work();
for (let i = 0; i < 30000; i++) { sum += work.middle(3000); if (i % 10 == 0) sum += JSON.stringify({ i, s: 'x'.repeat(i % 100) }).length; }
console.log(sum);
"""
PYTHON = """
import json
def leaf(n):
    s = 0
    for i in range(n):
        s += i % 7
    return s
def middle(n):
    return leaf(n) + sum(leaf(n // 10) for _ in range(3))
s = 0
for i in range(1500):
    s += middle(6000) + len(json.dumps({'i': i, 's': 'x' * (i % 100)}))
print(s)
"""


def cpu_seconds(command, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit('%s: %s' % (' '.join(command), done.stderr.decode()[-400:]))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(flamel, name, program, natives, runs, folder):
    ways = [('alone', program)]
    for hz in ('99', '999'):
        ways.append(('flamel %s Hz' % hz, [flamel, 'record', '-q', '-F', hz, '-o', hz + '.flm', '--'] + program))
    ways += natives
    seconds = {way: [] for way, _ in ways}
    for _ in range(runs):
        for way, command in ways:
            seconds[way].append(cpu_seconds(command, folder))
    alone = sorted(seconds['alone'])
    for way, _ in ways:
        each = sorted(seconds[way])
        print('%-8s %-22s %6.3f / %6.3f s  %+5.1f / %+5.1f %%' % (
            name, way, each[0], each[len(each) // 2], 100 * (each[0] / alone[0] - 1),
            100 * (each[len(each) // 2] / alone[len(alone) // 2] - 1)))
    info = subprocess.run([flamel, 'info', '999.flm'], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    for line in info.stdout.decode().splitlines():
        if re.match(r'(samples  |lost|python|javascript)', line):
            print('        ', re.sub(r'  +', '  ', line))


def main():
    flamel = os.path.abspath(sys.argv[1])
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    with tempfile.TemporaryDirectory() as folder:
        for name, text in ('work.js', NODE), ('work.py', PYTHON):
            with open(os.path.join(folder, name), 'w') as file:
                file.write(text)
        if shutil.which('node'):
            measure(flamel, 'node', ['node', 'work.js'],
                    [('node --cpu-prof', ['node', '--cpu-prof', 'work.js']),
                     ('--cpu-prof, 999 Hz', ['node', '--cpu-prof', '--cpu-prof-interval', '1001', 'work.js']),
                     ('--perf-basic-prof', ['node', '--perf-basic-prof', 'work.js'])], runs, folder)
        else:
            print('node is not installed')
        natives = [('cProfile', [sys.executable, '-m', 'cProfile', '-o', 'c.prof', 'work.py'])]
        if shutil.which('py-spy'):
            natives.append(('py-spy 999 Hz', ['py-spy', 'record', '-r', '999', '-o', 'p.svg', '--', sys.executable, 'work.py']))
        else:
            print('py-spy is not installed')
        measure(flamel, 'python', [sys.executable, 'work.py'], natives, runs, folder)


main()
