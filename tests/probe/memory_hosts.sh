#!/bin/sh
# Programs that are not made for it run as usual while their memory is measured: memory_hosts.sh BUILD.
build=$1 cc=${CC:-gcc}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH="$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
library=$build/libflamel-probe.so.0
bad=0
complain()
{
    echo "$1"
    bad=1
}
$cc -O1 -Iinclude tests/probe/programs/values.c -o "$work/values" || exit 1

# same NAME WORDS COMMAND...: what it prints and how it ends is the same, and something is counted.
same()
{
    name=$1 words=$2
    shift 2
    timeout 60 "$@" > "$work/usual" 2> "$work/usual.errors"
    usual=$?
    rm -f "$work/out" "$work"/out.*
    timeout 60 env FLAMEL="file:$work/out$words" LD_PRELOAD="$library" "$@" > "$work/said" 2> "$work/errors"
    status=$?
    [ $status = $usual ] || { complain "$name: ends with $status, not $usual"; head -5 "$work/errors"; }
    cmp -s "$work/usual" "$work/said" || { complain "$name: prints something else"; diff "$work/usual" "$work/said" | head -5; }
    cmp -s "$work/usual.errors" "$work/errors" || { complain "$name: says something else"; diff "$work/usual.errors" "$work/errors" | head -5; }
    "$work/values" "$work/out" > "$work/values.txt" || { complain "$name: no file"; return; }
    awk '$1 == "node" { n += $5 } END { exit !(n > 20) }' "$work/values.txt" || complain "$name: nothing is counted"
}
cat > "$work/program.c" << 'END'
#include <stdio.h>
int main(void) { for (int i = 0; i < 10; i++) printf("%d\n", i * i); return 7; }
END
cat > "$work/program.py" << 'END'
import json, subprocess, threading, os
out = []
def work(n):
    out.append(len(json.dumps([{"a": i, "b": [str(i)] * 3} for i in range(n)])))
threads = [threading.Thread(target=work, args=(1000,)) for i in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
print(sorted(out), subprocess.run(["echo", "child"], capture_output=True).stdout)
pid = os.fork()
if pid == 0:
    work(5000)
    os._exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
raise SystemExit(5)
END
echo 'const a = []; for (let i = 0; i < 1e5; i++) a.push({i, s: "x" + i}); console.log(JSON.stringify(a).length); process.exitCode = 4' > "$work/program.js"
cat > "$work/Program.java" << 'END'
import java.util.*;
public class Program {
    public static void main(String[] a) throws Exception {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < 100000; i++) all.add("s" + i);
        Thread t = new Thread(() -> System.out.println(all.hashCode()));
        t.start();
        t.join();
        System.exit(6);
    }
}
END
for words in "" ,leaks; do
    same "gcc$words" "$words" "$cc" -O2 -S -o - "$work/program.c"
    command -v python3 > /dev/null && same "python3$words" "$words" "$(python3 -c 'import sys; print(sys.executable)')" "$work/program.py"
    command -v node > /dev/null && same "node$words" "$words" node "$work/program.js"
    command -v java > /dev/null && same "java$words" "$words" java -Xshare:auto -XX:TieredStopAtLevel=1 "$work/Program.java"
    same "sh$words" "$words" sh -c 'for i in 1 2 3; do (echo $i | cat | sed s/1/one/) ; done; exit 9'
    command -v bash > /dev/null && same "bash$words" "$words" bash -c 'for i in {1..300}; do a[i]=$(echo $i); done; echo ${#a[@]}; exit 8'
done

# A program with a malloc of its own is not measured, and runs.
cat > "$work/own.c" << 'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char room[1 << 24];
static size_t used;
void *malloc(size_t size) { void *at = room + used; used += (size + 15) / 16 * 16; return at; }
void *calloc(size_t a, size_t b) { return malloc(a * b); }
void *realloc(void *p, size_t size) { void *q = malloc(size); if (p) memcpy(q, p, size); return q; }
void free(void *p) { (void)p; }
int main(void) { char *p = malloc(10); strcpy(p, "own"); puts(p); free(p); return 0; }
END
$cc -O1 -w "$work/own.c" -o "$work/own" || exit 1
said=$(FLAMEL=file:$work/out LD_PRELOAD=$library "$work/own") || complain "own malloc: it fails"
[ "$said" = own ] || complain "own malloc: $said"
"$work/values" "$work/out" | grep -q "^signal 1 2 0 the malloc of $work/own comes first" || complain "own malloc: no word of it"

# The address sanitizer has its own, and must be first.
cat > "$work/asan.c" << 'END'
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) { volatile char *volatile p = malloc(10); p[9] = 0; if (argc > 1) p[10] = 1; free((void *)p); return 0; }
END
if $cc -O1 -fsanitize=address "$work/asan.c" -o "$work/asan" 2> /dev/null; then
    asan=$($cc -print-file-name=libasan.so)
    asan=$(ldd "$work/asan" | sed -n 's/.*libasan.* => \([^ ]*\).*/\1/p')
    FLAMEL=file:$work/out LD_PRELOAD="$asan $library" ASAN_OPTIONS=detect_leaks=0 "$work/asan" 2> "$work/errors" || { complain "ASan: it fails"; head -5 "$work/errors"; }
    "$work/values" "$work/out" | grep -q '^signal 1 2 0 the malloc of .*libasan.* comes first' || complain "ASan: no word of it"
    FLAMEL=file:$work/out LD_PRELOAD="$asan $library" "$work/asan" wrong 2> "$work/errors" && complain "ASan: finds nothing"
    grep -q heap-buffer-overflow "$work/errors" || complain "ASan: says nothing of it"
    $cc -O1 -fsanitize=address -Iinclude "$work/asan.c" -o "$work/asan" -L"$build" -Wl,--no-as-needed -lflamel-probe
    FLAMEL=file:$work/out ASAN_OPTIONS=detect_leaks=0 "$work/asan" || complain "ASan, linked: it fails"
fi

# Threads that come and go, forks among them, vfork, libraries that are unloaded.
cat > "$work/storm.c" << 'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static void *volatile shared[64];
static void *volatile sink;
static pthread_key_t key;
static void at_end(void *block) { free(block); }
static void *run(void *argument)
{
    unsigned state = (unsigned)(size_t)argument;
    pthread_setspecific(key, malloc(10));
    for (int i = 0; i < 50; i++) {
        state = state * 1103515245 + 12345;
        void *old = __atomic_exchange_n(&shared[state >> 10 & 63], malloc(state >> 16 & 1023), __ATOMIC_ACQ_REL);
        free(old);
    }
    return NULL;
}
int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 2000;
    pthread_key_create(&key, at_end);
    for (int i = 0; i < threads / 4; i++) {
        pthread_t thread[4];
        for (int k = 0; k < 4; k++)
            if (pthread_create(&thread[k], NULL, run, (void *)(size_t)(i * 4 + k)) != 0)
                return 2;
        if (i % 50 == 0) {
            pid_t child = fork();
            if (child == 0) {
                run((void *)7);
                for (int k = 0; i % 100 == 0 && k < 2000; k++)
                    free(sink = malloc(5));
                _exit(0);
            }
            int status;
            waitpid(child, &status, 0);
            if (status != 0)
                return 3;
            child = vfork();
            if (child == 0) {
                execl("/bin/true", "true", (char *)0);
                _exit(1);
            }
            waitpid(child, &status, 0);
            if (status != 0)
                return 4;
            void *library = dlopen(argv[2], RTLD_NOW);
            if (!library)
                return 5;
            void *(*get)(void) = (void *(*)(void))dlsym(library, "get");
            free(get());
            dlclose(library);
        }
        for (int k = 0; k < 4; k++)
            pthread_join(thread[k], NULL);
    }
    for (int i = 0; i < 64; i++)
        free(shared[i]);
    puts("done");
    return 0;
}
END
echo '#include <stdlib.h>
void *get(void) { void *volatile p = malloc(700000); return p; }' > "$work/library.c"
$cc -O2 -fPIC -shared "$work/library.c" -o "$work/library.so" && $cc -O2 -w "$work/storm.c" -o "$work/storm" -pthread || exit 1
for words in "" ,leaks; do
    rm -f "$work"/out*
    said=$(timeout 60 env FLAMEL="file:$work/out$words" LD_PRELOAD="$library" "$work/storm" 2000 "$work/library.so" 2>&1) || complain "storm$words: it fails"
    [ "$said" = done ] || complain "storm$words: $said"
    "$work/values" "$work/out" > "$work/values.txt"
    # 50 and 1 of each thread at least.
    awk '$1 == "node" { n += $5; f += $7; live += $9 } END { exit !(n > 102000 && n - f < 100) }' "$work/values.txt" ||
        { complain "storm$words: other counts"; grep '^node' "$work/values.txt"; }
    [ "$(wc -c < "$work/out")" -lt 3000000 ] || complain "storm$words: the file grows with threads"
    # Of 10 children those 5 that allocate much, and what the other 10 ran.
    [ "$(ls "$work"/out.* | wc -l)" = 15 ] || complain "storm$words: $(ls "$work"/out.* | wc -l) children have files, not 15"
    grep -q "^mapping .* $work/library.so" "$work/values.txt" || complain "storm$words: the unloaded library is not known"
    [ "$(for child in "$work"/out.*; do
        "$work/values" "$child" | awk '$1 == "node" { n += $5 } END { print n }'
    done | grep -cx 2051)" = 5 ] || complain "storm$words: the children's counts"
done
# Two copies of the library, by different paths: one measures.
cp "$build/$(readlink "$library")" "$work/second.so"
rm -f "$work"/out*
said=$(timeout 60 env FLAMEL="file:$work/out" LD_PRELOAD="$library $work/second.so" "$work/storm" 40 "$work/library.so" 2>&1) || complain "twice: it fails"
[ "$said" = done ] || complain "twice: $said"
"$work/values" "$work/out" | awk '$1 == "node" { n += $5 } END { exit !(n > 2040) }' || complain "twice: other counts"
exit $bad
