#!/usr/bin/env python3
"""The same perf.data, read by flamel and by others: peers.py FLAMEL [FILE.data]...

    address    samples at each address of each file, as perf script says them
    function   samples of each function of the kernel, the same
    line       samples of each source line: those of the addresses, by what addr2line -i says of each
    annotate   samples of each instruction of the hottest functions, as flamel annotate --asm and
               perf annotate --stdio print them; flamel also has the copies of the function that were inlined
               into others, where addr2line -f -i must say the same

Each must be equal to the sample. (addr2line 2.40 takes the file of a function that a file includes for that
file: where only the name of the file differs, llvm-symbolizer decides.) Without files, a program with inlined functions and templates, a shell,
a compiler and Python are recorded. Exit status 77: perf, addr2line or the right to record is missing.

What is compared of flamel is its file, read as docs/format.md says.
"""
import collections, json, os, re, shutil, struct, subprocess, sys, tempfile

here = os.path.dirname(os.path.abspath(__file__))


def output(*command, **more):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **more).stdout


# ---- flamel ---------------------------------------------------------------------------------------


class Flm:
    """The columns of a .flm file."""

    def __init__(self, flamel, data, work):
        path = os.path.join(work, "peers.flm")
        output(flamel, "convert", "-q", data, "-o", path)
        self.bytes = open(path, "rb").read()
        self.sections = {}
        for i in range(struct.unpack_from("<I", self.bytes, 12)[0]):
            name, _, offset, size = struct.unpack_from("<4sIQQ", self.bytes, 64 + 40 * i)
            self.sections[name.decode()] = (offset, size)
        ends = self.column("STRE", "I")
        letters = self.section("STRB")
        self.strings = [letters[a:b].decode("utf-8", "replace").rstrip("\0") for a, b in zip([0] + list(ends), ends)]

    def section(self, name):
        offset, size = self.sections.get(name, (0, 0))
        return self.bytes[offset : offset + size]

    def column(self, name, kind):
        section = self.section(name)
        return struct.unpack(f"<{len(section) // struct.calcsize(kind)}{kind}", section)

    def leaves(self):
        """(function, module, kind, file, line, address) of every stack, and its samples."""
        frames = list(struct.iter_unpack("<8I", self.section("FRAM")))
        metrics = list(struct.iter_unpack("<2I", self.section("METR")))
        metric = [self.strings[name] for name, _ in metrics].index("samples")
        node_frame, chains = self.column("NFRM", "I"), self.column("NCHN", "I")
        nodes = len(node_frame)
        own = self.column("SELF", "d")[metric * nodes : (metric + 1) * nodes]
        places, shared = self.column("CLOC", "I"), self.column("CSLF", "d")
        shared = shared[metric * (len(shared) // len(metrics)) :]
        starts = [0]
        for count in self.column("FLOC", "I"):
            starts.append(starts[-1] + count)
        address, file, line = self.column("LADR", "Q"), self.column("LFIL", "I"), self.column("LLIN", "I")
        chain = value = 0
        for node in range(nodes):
            function, module, _, _, kind = frames[node_frame[node]][:5]
            for i in range(chains[node] if chains else 1):
                cost = own[node] if not chains or chains[node] == 1 else shared[value + i]
                place = places[chain + i] if chains else 0
                at = starts[node_frame[node]] + place - 1
                where = (self.strings[file[at]], line[at], address[at]) if place else ("", 0, 0)
                if cost:
                    yield (self.strings[function], self.strings[module], kind) + where, round(cost)
            if chains:
                chain += chains[node]
                value += chains[node] if chains[node] > 1 else 0


# ---- perf -----------------------------------------------------------------------------------------

MMAP = re.compile(r"PERF_RECORD_MMAP2? (-?\d+)/-?\d+: \[(0x[0-9a-f]+)\((0x[0-9a-f]+)\) @ (0x[0-9a-f]+|0)[^]]*\]: (\S+) (.*)")
FORK = re.compile(r"PERF_RECORD_FORK\((\d+):\d+\):\((\d+):\d+\)")
EXEC = re.compile(r"PERF_RECORD_COMM exec: .*:(\d+)/\d+$")
SAMPLE = re.compile(r"^\s*(\d+)\s+[\d.]+:\s+([0-9a-f]+) (.*) \((.*)\)$")


def perf_samples(data):
    """(file, offset in it, or None; function) of each sample."""
    text = output("perf", "script", "-i", data, "--show-mmap-events", "--show-task-events", "-F", "pid,time,ip,sym,dso")
    maps = collections.defaultdict(list)
    for line in text.decode("utf-8", "replace").split("\n"):
        if mmap := MMAP.search(line):
            if "x" in mmap[5]:
                start, size, offset = (int(mmap[i], 16) for i in (2, 3, 4))
                maps[int(mmap[1])].append((start, start + size, offset, mmap[6]))
        elif fork := FORK.search(line):
            if fork[1] != fork[2]:
                maps[int(fork[1])] = list(maps[int(fork[2])])
        elif done := EXEC.search(line):
            maps[int(done[1])] = []
        elif sample := SAMPLE.search(line):
            ip, function = int(sample[2], 16), sample[3]
            if ip >= 1 << 63:
                yield None, None, function
                continue
            for start, end, offset, path in reversed(maps[int(sample[1])]):
                if start <= ip < end:
                    yield path, ip - start + offset, function
                    break
            else:
                yield "[unknown]", ip, function


def segments(path):
    """(offset, address, size in the file) of what is loaded."""
    try:
        elf = open(path, "rb").read(65536)
    except OSError:
        return []
    if elf[:5] != b"\x7fELF\x02":
        return []
    start, size, count = struct.unpack_from("<Q", elf, 32)[0], *struct.unpack_from("<HH", elf, 54)
    found = []
    for i in range(count):
        kind, _, offset, address, _, in_file = struct.unpack_from("<IIQQQQ", elf, start + i * size)
        if kind == 1:
            found.append((offset, address, in_file))
    return found


def in_file(known, path, offset):
    if path not in known:
        known[path] = segments(path)
    for start, address, size in known[path]:
        if start <= offset < start + size:
            return offset - start + address
    return offset


# ---- addr2line ------------------------------------------------------------------------------------


def place(text):
    file, _, number = text.partition(" (")[0].rpartition(":")
    return (os.path.basename(file), int(number)) if number.isdigit() and number != "0" else ("", 0)


def lines_of(path, addresses):
    """The file and line of each address: of the innermost function."""
    text = output("addr2line", "-a", "-i", "-e", path, input="\n".join(map(hex, addresses)).encode()).decode()
    found, at = {}, None
    for line in text.split("\n"):
        if line.startswith("0x"):
            at = int(line, 16)
        elif at is not None:
            found[at], at = place(line), None
    return found


def other_opinion(path, address):
    if not shutil.which("llvm-symbolizer"):
        return None
    text = output("llvm-symbolizer", "--output-style=GNU", "-s", "-e", path, hex(address)).decode().split("\n")
    return place(text[1]) if len(text) > 1 else None


# ---- perf annotate --------------------------------------------------------------------------------

COUNT = re.compile(r"^\s*(\d+)\s+:\s+([0-9a-f]+):")
HOTTEST = 6


def hottest_functions(samples):
    """The functions with most samples in files that are here: (name, path)."""
    count = collections.Counter()
    for path, _, function in samples:
        if path and os.path.exists(path) and re.fullmatch(r"[\w:~.@]+", function):
            count[function, path] += 1
    return [key for key, _ in count.most_common(HOTTEST)]


def perf_annotate(data, function, path):
    """Samples of each address of all functions of the name, also 0; none where perf cannot disassemble."""
    command = ["perf", "annotate", "--stdio", "-n", "--no-source", "-i", data, "-d", path, "-s", function]
    found = collections.Counter()
    for row in output(*command).decode("utf-8", "replace").split("\n"):
        if row := COUNT.match(row):
            found[hex(int(row[2], 16))] += int(row[1])
    return found if any(found.values()) else None


def is_inlined_at(path, function, address):
    """Whether code at the address was inlined from the function, by addr2line."""
    names = output("addr2line", "-f", "-i", "-C", "-e", path, address).decode("utf-8", "replace").split("\n")[:-2:2]
    return function in (name.partition("(")[0] for name in names)


def flamel_annotate(flamel, data, function, path):
    """The same; None where flamel knows the code by another of its names: cfree is free."""
    name = re.escape(function).replace("/", "[/]")
    command = [flamel, "annotate", "-q", "--asm", "--json", "-n", "0", "-m", "samples", f"/^{name}([(<]|$)/", data]
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    found = collections.Counter()
    if ran.returncode != 0 and b"no function matches" in ran.stderr:
        return None
    for at in json.loads(ran.stdout)["instructions"]:
        if at["module"] == path and at["self"] and at["address"]:
            found[at["address"]] += round(at["self"])
    return found


# ---- Both -----------------------------------------------------------------------------------------


def clean(function):
    function = function.removeprefix("__pi_")  # an alias, for code that runs before the kernel is mapped
    return re.sub(r"(\.(isra|constprop|part|cold)(\.\d+)?|\.cold)+$", "", function)


def differences(what, ours, theirs):
    wrong = 0
    for key in sorted(set(ours) | set(theirs), key=str):
        if ours[key] != theirs[key]:
            wrong += 1
            if wrong <= 10:
                print(f"  {what} {key}: {ours[key]} samples, and {theirs[key]} of the other")
    return wrong


def compare(flamel, data, work):
    known, line_of, judged = {}, {}, 0
    ours = collections.defaultdict(collections.Counter)
    theirs = collections.defaultdict(collections.Counter)
    for (function, module, _, file, line, address), count in Flm(flamel, data, work).leaves():
        if module.startswith("[kernel") or module.startswith("[") and module not in ("[vdso]", "[vsyscall]", "[unknown]"):
            ours["function"][clean(function)] += count
            continue
        ours["address"][module, hex(address)] += count
        ours["line"][(os.path.basename(file), line) if line else ("", 0)] += count
        line_of[module, address] = (os.path.basename(file), line) if line else ("", 0)
    addresses = collections.defaultdict(collections.Counter)
    samples = list(perf_samples(data))
    for function, path in hottest_functions(samples):
        counts = perf_annotate(data, function, path)
        instructions = flamel_annotate(flamel, data, function, path) if counts else None
        if instructions is not None:
            for address in set(counts) | set(instructions):
                if address not in counts and is_inlined_at(path, function, address):
                    continue
                theirs["annotate"][function, path, address] = counts[address]
                ours["annotate"][function, path, address] = instructions[address]
    for path, offset, function in samples:
        if path is None:
            theirs["function"][clean(function)] += 1
            continue
        address = in_file(known, path, offset)
        theirs["address"][path, hex(address)] += 1
        addresses[path][address] += 1
    for path, counts in addresses.items():
        found = lines_of(path, counts) if known.get(path) else {}
        for address, count in counts.items():
            says, is_ours = found.get(address, ("", 0)), line_of.get((path, address))
            if is_ours and says != is_ours and says[1] == is_ours[1] and other_opinion(path, address) == is_ours:
                says, judged = is_ours, judged + 1
            theirs["line"][says] += count
    wrong = sum(differences(what, ours[what], theirs[what]) for what in ("address", "function", "line", "annotate"))
    print(
        f"{os.path.basename(data)}: {sum(theirs['address'].values()) + sum(theirs['function'].values())} samples, "
        f"{len(theirs['address'])} addresses, {len(theirs['line'])} lines, "
        f"{len(theirs['function'])} functions of the kernel, "
        f"{len(theirs['annotate'])} instructions of perf annotate: {wrong} differ"
        + (f" ({judged} addresses by llvm-symbolizer)" if judged else "")
    )
    return wrong


PROGRAMS = {
    "lines": "g++ -O2 -g -x c++ -c {here}/programs/lines.c -o l.o && gcc -O2 -g -c {here}/programs/lines_other.c -o o.o && "
    "g++ l.o o.o -o lines && {record} ./lines 1000",
    "shell": "{record} sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do bash -c \"i=0; while [ \\$i -lt 4000 ]; do i=\\$((i+1)); done\"; done'",
    "compiler": "{record} gcc -O2 -g -c {here}/programs/lines.c -o l.o",
    "python": "{record} python3 -c \"import ast, json\nfor i in range(20): ast.dump(ast.parse(open(json.__file__).read()))\"",
}


def main():
    flamel, files = os.path.abspath(sys.argv[1]), sys.argv[2:]
    for tool in ("perf", "addr2line", "g++"):
        if not shutil.which(tool):
            print(f"there is no {tool}")
            return 77
    with tempfile.TemporaryDirectory() as work:
        wrong = 0
        for name, command in {} if files else PROGRAMS.items():
            path = os.path.join(work, name + ".data")
            record = f"perf record -q -F 4000 -e cpu-clock -o {path}"
            command = command.format(here=here, record=record)
            if subprocess.run(command, shell=True, cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
                print("recording with perf does not work here")
                return 77
            files.append(path)
        for path in files:
            wrong += compare(flamel, path, work)
    return 1 if wrong else 0


sys.exit(main())
