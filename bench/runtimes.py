#!/usr/bin/env python3
"""What recording a program of a runtime costs, beside that runtime's own profiler: runtimes.py FLAMEL [RUNS].

Each program does the same work every time. CPU seconds, user and system, of the command with all that it
starts, least and middle of RUNS in turn: the program alone, recorded at 99 and 999 Hz, and with its own
profiler. The overhead of flamel is its own work and what it takes from the program. Then, of the recording
at 999 Hz: samples, lost events, and how many frames of the runtime have names. Of a Java VM that runs already
also how long attaching and detaching takes, and the memory that the profiler adds to it meanwhile. Runtimes
that are missing are left out, with a line that says so; ASPROF is async-profiler's asprof."""
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

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
RUBY = """
def leaf(n)
  s = 0
  n.times { |i| s += i % 7 }
  s
end
def middle(n) = leaf(n) + [1, 2, 3].sum { |x| leaf(n / 10) + x }
s = 0
1000.times { |i| s += middle(9000) + ('x' * (i % 100)).size }
puts s
"""
PHP = """<?php
function leaf($n) { $s = 0; for ($i = 0; $i < $n; $i++) $s += $i % 7; return $s; }
function middle($n) { return leaf($n) + array_sum(array_map(fn($x) => leaf(intdiv($n, 10)) + $x, [1, 2, 3])); }
$s = 0;
for ($i = 0; $i < 8000; $i++) $s += middle(9000) + strlen(json_encode(['i' => $i, 's' => str_repeat('x', $i % 100)]));
echo $s, "\n";
"""
GO = """package main

import ("fmt"; "os"; "runtime/pprof")

//go:noinline
func leaf(n uint64) (s uint64) { for i := uint64(0); i < n; i++ { s = s*6364136223846793005 + i }; return }

//go:noinline
func middle(n uint64) uint64 { return leaf(n) + leaf(n/10) }

func main() {
	if len(os.Args) > 1 { f, _ := os.Create(os.Args[1]); pprof.StartCPUProfile(f); defer pprof.StopCPUProfile() }
	s, t := uint64(0), map[uint64]string{}
	for i := uint64(0); i < 6000; i++ { s += middle(200000); t[i] = fmt.Sprint(s) }
	fmt.Println(s, len(t))
}
"""
JAVA = """import java.util.*;
public class Work {
    static long leaf(long n) { long s = 0; for (long i = 0; i < n; i++) s = s * 6364136223846793005L + i; return s; }
    static long middle(long n) { return leaf(n) + leaf(n / 10); }
    public static void main(String[] words) {
        long s = 0;
        Map<Long, String> t = new HashMap<>();
        for (long i = 0; i < (words.length > 0 ? Long.MAX_VALUE : 9000); i++) { s += middle(200000); t.put(i % 10000, "" + s); }
        System.out.println(s + " " + t.size());
    }
}
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


def memory_kib(process):
    with open('/proc/%d/status' % process) as status:
        return int(re.search(r'VmRSS:\s+(\d+)', status.read()).group(1))


def attach_java(flamel, asprof, runs, folder):
    """Seconds that starting and ending a recording of a VM takes, beyond the recording; and what is added to its memory."""
    def tool(words):
        return subprocess.run(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)

    def by_flamel(process, during):
        recorder = subprocess.Popen([flamel, 'record', '-q', '--java', '-p', str(process), '-d', '3s', '-o', 'j.flm'], cwd=folder)
        time.sleep(2.5)
        during()
        recorder.wait()
        return 3.0

    def by_jfr(process, during):
        tool(['jcmd', str(process), 'JFR.start', 'name=x', 'settings=profile', 'filename=' + folder + '/x.jfr'])
        time.sleep(2.5)
        during()
        tool(['jcmd', str(process), 'JFR.stop', 'name=x'])
        return 2.5

    def by_async(process, during):
        tool([asprof, 'start', '-e', 'cpu', '-i', '1001us', str(process)])
        time.sleep(2.5)
        during()
        tool([asprof, 'stop', '-o', 'collapsed', '-f', folder + '/x.txt', str(process)])
        return 2.5

    ways = [('flamel 999 Hz', by_flamel), ('JFR by jcmd', by_jfr)] + ([('async-profiler', by_async)] if asprof else [])
    for name, way in ways:
        times, sizes = [], []
        for _ in range(runs):
            vm = subprocess.Popen(['java', '-XX:+UseSerialGC', '-Xms64m', '-Xmx64m', '-XX:+AlwaysPreTouch', 'Work', 'on'],
                                  cwd=folder, stdout=subprocess.DEVNULL)
            time.sleep(4)
            before = memory_kib(vm.pid)
            from_s = time.monotonic()
            took = way(vm.pid, lambda: sizes.append(memory_kib(vm.pid) - before))
            times.append(time.monotonic() - from_s - took)
            vm.kill()
            vm.wait()
        print('java     %-22s attach and detach %.2f s (least %.2f), memory +%.1f MiB' % (
            name, sorted(times)[len(times) // 2], min(times), sorted(sizes)[len(sizes) // 2] / 1024))


def main():
    flamel = os.path.abspath(sys.argv[1])
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (('work.js', NODE), ('work.py', PYTHON), ('work.rb', RUBY), ('work.php', PHP), ('work.go', GO),
                           ('Work.java', JAVA)):
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
        for name, program in ('ruby', ['ruby', 'work.rb']), ('php', ['php', 'work.php']):
            if shutil.which(name):
                measure(flamel, name, program, [], runs, folder)
            else:
                print(name, 'is not installed')
        if shutil.which('go'):
            subprocess.run(['go', 'build', '-o', 'gowork', 'work.go'], cwd=folder, check=True)
            measure(flamel, 'go', ['./gowork'], [('runtime/pprof, 100 Hz', ['./gowork', 'cpu.pprof'])], runs, folder)
        else:
            print('go is not installed')
        if shutil.which('javac'):
            subprocess.run(['javac', 'Work.java'], cwd=folder, check=True)
            asprof = os.environ.get('ASPROF')
            natives = [('JFR, profile', ['java', '-XX:StartFlightRecording=settings=profile,filename=w.jfr', 'Work'])]
            if asprof:
                library = os.path.join(os.path.dirname(os.path.dirname(asprof)), 'lib', 'libasyncProfiler.so')
                for interval, hz in ('10101us', '99'), ('1001us', '999'):
                    natives.append(('async-profiler %s Hz' % hz,
                                    ['java', '-agentpath:%s=start,event=cpu,interval=%s,file=a.txt' % (library, interval), 'Work']))
            measure(flamel, 'java', ['java', 'Work'], natives, runs, folder)
            attach_java(flamel, asprof, runs, folder)
        else:
            print('there is no JDK')


main()
