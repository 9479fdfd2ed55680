#!/bin/sh
# serve.sh FLAMEL [SECONDS [STACKS [FRAMES]]]: how many profiles flamel serve takes, durable, with one core (CPU 0) and 32
# connections that push one after the other. Needs wrk and python3.
#
# 200 services with 4 processes, each of which sends 20 profiles in turn: gzipped pprof, each with 52 (STACKS) of 600 stacks, 8 to
# 40 (FRAMES) frames deep, of 6,100 functions; with 10 20 they are small. The last line printed: user and system time in 1/100 s,
# peak memory.
set -e
flamel=$1
work=$(mktemp -d)
trap 'kill $server 2> /dev/null; rm -r "$work"' EXIT
python3 - "$work" "$flamel" "${3:-52}" "${4:-40}" << 'PYTHON'
import random, subprocess, sys
work, flamel = sys.argv[1:3]
count, deepest = int(sys.argv[3]), int(sys.argv[4])
random.seed(3)
def stack():
    return ";".join("github.com/acme/service/internal/pkg%d.(*Type).Method%d" % (random.randint(0, 60), i * 7 % 100)
                    for i in range(random.randint(deepest // 5, deepest)))
stacks = [stack() for _ in range(600)]
weights = [1 / (i + 1) ** .9 for i in range(600)]
for k in range(20):
    wanted = set()
    while len(wanted) < count:
        wanted.add(random.choices(stacks, weights)[0])
    with open(f"{work}/{k}.folded", "w") as out:
        out.writelines(f"{s} {random.randint(1, 9)}0000000\n" for s in sorted(wanted))
    subprocess.run([flamel, "convert", "-q", f"{work}/{k}.folded", "-o", f"{work}/{k}.pb.gz"], check=True)
PYTHON
cat > "$work/push.lua" << LUA
local bodies, n = {}, 0
for k = 0, 19 do
    local file = io.open("$work/" .. k .. ".pb.gz", "rb")
    bodies[k] = file:read("*a")
    file:close()
end
request = function()
    n = n + 1
    return wrk.format("POST", "/ingest?format=pprof&name=s" .. n % 200 .. "%7Bpod=p" .. n % 4 .. "%7D", nil, bodies[(n + math.floor(n / 200)) % 20])
end
LUA
taskset -c 0 "$flamel" serve --data "$work/data" --listen 127.0.0.1:0 > "$work/url" &
server=$!
until [ -s "$work/url" ]; do sleep 0.1; done
url=$(cat "$work/url")
wrk -t1 -c32 -d"${2:-15}s" --latency -s "$work/push.lua" "${url%/}"
cut -d ' ' -f 14,15 "/proc/$server/stat"
grep VmHWM "/proc/$server/status"
