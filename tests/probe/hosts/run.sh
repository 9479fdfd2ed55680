#!/bin/sh
# Programs of others run with the library preloaded as they do without: the same output, the same status.
#
#     tests/probe/hosts/run.sh BUILD [WORDS]      WORDS of FLAMEL: "on" where none are given
#
# What is not installed is left out, and said. Each is run with FLAMEL=WORDS, and where it ends by itself
# with a file too, which must be whole.
build=$(cd "$1" && pwd) words=${2:-on}
library=$build/libflamel-probe.so.0
work=$(mktemp -d)
started=
trap 'for p in $started; do kill "$p" 2> /dev/null; done; chmod -R u+rwX "$work"; rm -rf "$work"' EXIT
chmod 755 "$work"
bad=0
complain()
{
    echo "$1"
    bad=1
}
# Runs what follows, with the library and without, and compares what both print.
measured()
{
    FLAMEL=$words LD_PRELOAD=$library "$@"
}
into_files()
{
    FLAMEL=$words,quiet,file:$work/files/%p LD_PRELOAD=$library "$@"
}
same()
{
    name=$1
    shift
    timeout 100 "$@" > "$work/out" 2> "$work/err" < /dev/null
    status=$?
    for how in measured into_files; do
        rm -rf "$work/files" && mkdir -m 1777 "$work/files"
        ($how timeout 100 "$@") > "$work/out.$how" 2> "$work/err.$how" < /dev/null
        now=$?
        [ $now = $status ] || complain "$name ($how): status $now, not $status: $(tail -n 3 "$work/err.$how")"
        cmp -s "$work/out" "$work/out.$how" ||
            complain "$name ($how): another output: $(diff "$work/out" "$work/out.$how" | head -n 4)"
        cmp -s "$work/err" "$work/err.$how" ||
            complain "$name ($how): other messages: $(diff "$work/err" "$work/err.$how" | head -n 4)"
    done
    files=$(ls "$work/files" | wc -l)
    [ "$files" -gt 0 ] || complain "$name: no file"
    for file in "$work"/files/*; do
        "$build/flamel" report --json "$file" > /dev/null 2> "$work/said" || complain "$name: $(cat "$work/said")"
    done
    echo "$name: status $status, $files files"
}
has()
{
    command -v "$1" > /dev/null || { echo "$1 is not installed"; return 1; }
}
cd "$work" || exit 1

# ---- Compilers and interpreters ------------------------------------------------------------------
cat > big.c << 'EOF'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int order(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }
int main(int count, char **words) { qsort(words, (size_t)count, sizeof *words, order); return puts(words[0]) < 0; }
EOF
for compiler in gcc clang; do
    has $compiler && same $compiler $compiler -O2 -c big.c -o big.o && cp big.o "$compiler.o"
    [ -f big.o ] && same "$compiler, an error" $compiler -O2 -c -Dint=bool big.c -o bad.o
done
has make && printf 'all: a b c\na b c:\n\tgcc -O1 big.c -o $@ && ./$@ x y > $@.txt\n' > Makefile && same make make -B
same shell sh -c 'for i in 1 2 3; do echo $(expr $i + 1) | tr 0-9 a-j; done; (exit 4); echo $?; exit 5'

cat > work.py << 'EOF'
import json, os, subprocess, sys, threading, zlib, re, tempfile, multiprocessing, signal, ctypes
text = json.dumps({str(i): list(range(i % 50)) for i in range(2000)})
print(len(text), zlib.crc32(text.encode()), json.loads(text)["77"])
total, lock = [0], threading.Lock()
def add():
    for i in range(2000):
        with lock:
            total[0] += 1
threads = [threading.Thread(target=add) for _ in range(20)]
[t.start() for t in threads]; [t.join() for t in threads]
print(total[0])
print(subprocess.run(["sh", "-c", "echo sub; exit 3"], capture_output=True))
print(os.popen("echo popen").read(), os.system("exit 2") >> 8)
def child(n): return n * n
if __name__ == "__main__":
    with multiprocessing.Pool(4) as pool:
        print(sum(pool.map(child, range(1000))))
    pid = os.fork()
    if pid == 0:
        threading.Thread(target=add).start()
        os._exit(7)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    signal.signal(signal.SIGALRM, lambda *a: print("alarm"))
    signal.setitimer(signal.ITIMER_REAL, 0.05); signal.pause()
    sys.exit(9)
EOF
has python3 && same python3 python3 work.py
# Two tests list the descriptors of a child, which measures itself and has its own two, from 400 on.
not_these='-i test_close_fds_when_max_fd_is_lowered -i test_pass_fds_redirected'
if has python3 && python3 -c 'import test.test_json' 2> /dev/null; then
    for name in test_json test_threading test_subprocess test_signal test_os; do
        timeout 200 python3 -m test -q $not_these $name > plain 2>&1
        status=$?
        measured timeout 300 python3 -m test -q $not_these $name > probed 2>&1
        now=$?
        echo "python3 -m test $name: $status, and $now with the library"
        [ $now = $status ] || { complain "python3 -m test $name: $now, not $status"; grep -E 'FAIL|ERROR|Error' probed | head; }
    done
fi
cat > work.js << 'EOF'
const { Worker, isMainThread, parentPort } = require('worker_threads'), fs = require('fs');
if (!isMainThread) { let s = 0; for (let i = 0; i < 1e6; i++) s += i % 7; parentPort.postMessage(s); }
else {
  const zlib = require('zlib'), cp = require('child_process');
  console.log(zlib.gzipSync(Buffer.alloc(1e5, 'flamel')).length, cp.execSync('echo child').toString());
  fs.writeFileSync('x.txt', 'x'.repeat(1e6)); console.log(fs.readFileSync('x.txt').length);
  let left = 4; for (let i = 0; i < 4; i++) new Worker(__filename).on('message', m => { console.log(m); if (--left == 0) process.exit(6); });
}
EOF
has node && same node node work.js
cat > Hello.java << 'EOF'
import java.util.concurrent.*;
public class Hello {
    public static void main(String[] a) throws Exception {
        ExecutorService e = Executors.newFixedThreadPool(16);
        long sum = 0;
        java.util.List<Future<Long>> all = new java.util.ArrayList<>();
        for (int i = 0; i < 200; i++) { final int n = i; all.add(e.submit(() -> { long s = 0; for (int k = 0; k < 10000; k++) s += new StringBuilder().append(k * n).length(); return s; })); }
        for (Future<Long> f : all) sum += f.get();
        e.shutdown();
        for (int i = 0; i < 5; i++) System.gc();
        try { deep(0); } catch (StackOverflowError x) { System.out.println("overflow"); }
        try { Object o = null; o.hashCode(); } catch (NullPointerException x) { System.out.println("null"); }
        Process p = new ProcessBuilder("sh", "-c", "exit 4").start();
        System.out.println(sum + " " + p.waitFor());
        System.exit(8);
    }
    static int deep(int n) { return deep(n + 1) + 1; }
}
EOF
has java && same java java Hello.java
has jshell && jshell -s /dev/null < /dev/null > /dev/null 2>&1 # the first time it makes a folder
has jshell && printf 'int x = 6 * 7\n/exit x\n' > in.jsh && same jshell jshell -s in.jsh

# ---- Servers -------------------------------------------------------------------------------------
# A server is started with the library, asked by a client without, and ended by a signal.
port=$((20000 + $$ % 20000)) web=$((port + 1))
server()
{
    env FLAMEL="$words" LD_PRELOAD="$library" "$@" > server.log 2>&1 & # env becomes the server: $! is its number
    started="$started $!"
    server=$!
}
ends_well()
{
    kill "-${2:-TERM}" "$server" 2> /dev/null
    for i in $(seq 100); do
        kill -0 "$server" 2> /dev/null || break
        sleep 0.1
    done
    kill -0 "$server" 2> /dev/null && complain "$1: does not end" && kill -9 "$server"
    wait "$server"
    status=$?
    [ $status = "${3:-0}" ] || complain "$1: ends with $status: $(tail -n 3 server.log)"
    grep -i 'segfault\|crashed\|assert\|flamel-probe:' server.log > said && complain "$1: $(head -n 3 said)"
}
for redis in valkey redis; do
    has $redis-server || continue
    server $redis-server --port $port --save '' --dir "$work" --appendonly yes
    for i in $(seq 50); do $redis-cli -p $port ping > /dev/null 2>&1 && break; sleep 0.1; done
    $redis-benchmark -p $port -q -n 20000 -c 20 -P 4 -t set,get,lpush,zadd > bench.log 2>&1 || complain "$redis-benchmark fails"
    [ "$(grep -c 'requests per second' bench.log)" = 4 ] || complain "$redis: not four results: $(tail -n 2 bench.log)"
    $redis-cli -p $port bgsave > /dev/null; $redis-cli -p $port debug sleep 0 > /dev/null
    [ "$($redis-cli -p $port set k v; $redis-cli -p $port get k)" = "OK
v" ] || complain "$redis: another answer"
    ends_well $redis TERM 0
    echo "$redis: 4 benchmarks"
done
if has nginx && has ab; then
    mkdir -p www && head -c 20000 /dev/zero > www/index.html
    cat > nginx.conf << EOF
worker_processes 2; daemon off; pid $work/nginx.pid; error_log $work/nginx.err;
events { worker_connections 512; }
http { access_log $work/access.log; client_body_temp_path $work/t1; proxy_temp_path $work/t2; fastcgi_temp_path $work/t3;
 uwsgi_temp_path $work/t4; scgi_temp_path $work/t5; gzip on; server { listen 127.0.0.1:$web; root $work/www; } }
EOF
    server nginx -c "$work/nginx.conf"
    for i in $(seq 50); do [ -s nginx.pid ] && break; sleep 0.1; done; sleep 0.3
    ab -q -n 20000 -c 50 -k http://127.0.0.1:$web/index.html > ab.log 2>&1 || complain 'ab fails'
    grep -q 'Failed requests: *0$' ab.log && grep -q 'Complete requests: *20000$' ab.log || complain "nginx: $(grep requests ab.log)"
    kill -HUP "$server" && sleep 1 # new workers
    ab -q -n 5000 -c 50 http://127.0.0.1:$web/index.html > ab.log 2>&1 || complain 'ab fails after HUP'
    grep -q 'Failed requests: *0$' ab.log || complain "nginx: $(grep requests ab.log)"
    ends_well nginx QUIT 0
    grep -i 'signal 11\|signal 6\|exited on signal' nginx.err && complain 'nginx: a worker died'
    echo 'nginx: 25,000 requests'
fi
postgres=$(command -v postgres) || postgres=$(ls -d /usr/lib/postgresql/*/bin/postgres 2> /dev/null | tail -n 1)
if [ -n "$postgres" ]; then
    bin=$(dirname "$(readlink -f "$postgres")")
    user=
    [ "$(id -u)" = 0 ] && { user="runuser -u nobody --"; mkdir -m 700 pg && chown nobody pg; } || mkdir pg
    (measured $user "$bin/initdb" -D "$work/pg" -A trust -U me --no-sync) > initdb.log 2>&1 || { complain "initdb: $(tail -n 5 initdb.log)"; }
    grep -i flamel initdb.log && complain 'initdb: a message'
    if [ -s pg/PG_VERSION ]; then
        env FLAMEL="$words" LD_PRELOAD="$library" $user "$bin/postgres" -D "$work/pg" -p 16432 -k "$work/pg" -c listen_addresses= -c fsync=off > server.log 2>&1 &
        server=$! started="$started $!"
        for i in $(seq 100); do "$bin/psql" -h "$work/pg" -p 16432 -U me -c 'select 1' postgres > /dev/null 2>&1 && break; sleep 0.1; done
        "$bin/pgbench" -h "$work/pg" -p 16432 -U me -i -q postgres > bench.log 2>&1 || complain "pgbench -i: $(tail -n 3 bench.log)"
        "$bin/pgbench" -h "$work/pg" -p 16432 -U me -c 8 -j 2 -t 200 postgres > bench.log 2>&1 || complain "pgbench: $(tail -n 3 bench.log)"
        grep -q 'actually processed: 1600/1600' bench.log || complain "pgbench: $(grep processed bench.log)"
        (measured "$bin/pgbench" -h "$work/pg" -p 16432 -U me -S -c 4 -j 4 -t 500 postgres) > bench.log 2>&1 || complain "pgbench with the library: $(tail -n 3 bench.log)"
        kill -INT "$(head -n 1 pg/postmaster.pid)"
        wait "$server"
        status=$?
        [ $status = 0 ] || complain "postgres: ends with $status"
        grep -i 'terminated by signal\|PANIC\|crash' server.log && complain 'postgres: a process died'
        echo "postgres: $(grep processed bench.log)"
    fi
fi
exit $bad
