#!/bin/sh
# What a program says while it runs: metrics over HTTP, OpenTelemetry's, a report when a signal
# comes: service.sh BUILD. Needs python3 for the other end of the sockets.
build=$1 cc=${CC:-gcc}
command -v python3 > /dev/null || { echo 'there is no python3'; exit 77; }
work=$(mktemp -d) || exit 1
trap 'kill $program $collector 2> /dev/null; rm -rf "$work"' EXIT
program= collector=
export LD_LIBRARY_PATH="$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
bad=0

cat > "$work/app.c" << 'END'
#include <flamel/probe.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void deep(int n)
{
    FLM_FUNC();
    if (n > 0)
        deep(n - 1);
}

static void work(int n)
{
    for (int i = 0; i < n; i++) {
        FLM_SCOPE("line \"1\"");
    }
}

static int threads(void)
{
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    while (readdir(tasks))
        count++;
    closedir(tasks);
    return count - 2;
}

/* Works, says so, and ends with its input. In between it may be asked to fork. */
int main(int count, char **argv)
{
    char line[100];
    sigset_t blocked;
    (void)count;
    work(100);
    printf("%d\n", threads());
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        if (strcmp(line, "deep\n") == 0)
            deep(260);
        if (strcmp(line, "fork\n") == 0 && fork() == 0) {
            work(7);
            exit(0);
        }
        if (strcmp(line, "fork\n") == 0)
            wait(NULL);
        sigprocmask(SIG_SETMASK, NULL, &blocked);
        printf("%d\n", sigismember(&blocked, SIGUSR2)); /* those of the program stay as they are */
        fflush(stdout);
    }
    return argv[0] == NULL;
}
END
$cc -O1 -Iinclude "$work/app.c" -o "$work/app" -L"$build" -lflamel-probe || exit 1
cd "$work" || exit 1
mkfifo in out

complain()
{
    echo "$1"
    bad=1
}
# SETTINGS: starts it; $first is how many threads it has.
start()
{
    FLAMEL=$1 ./app < in > out 2> errors &
    program=$!
    exec 8> in 9< out
    read -r first <&9
}
say()
{
    echo "$1" >&8
    read -r said <&9
}
end()
{
    exec 8>&-
    wait $program || complain "it ended with $?"
    exec 9<&-
}
# PORT HEADER: what it answers.
get()
{
    python3 - "$@" 2> /dev/null << 'END'
import http.client, sys
port, header, path = int(sys.argv[1]), sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else '/metrics'
connection = http.client.HTTPConnection('127.0.0.1', port, timeout=10)
connection.request('GET', path, headers=dict([header.split(': ', 1)]) if header else {})
answer = connection.getresponse()
print(f'{answer.status}\n{answer.read().decode()}')
END
}
free_port()
{
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# Nothing is asked for: no thread.
start on
[ "$first" = 1 ] || complain "there are $first threads where nothing is asked for"
end

# Prometheus.
port=$(free_port)
start "metrics:$port"
[ "$first" = 2 ] || complain "there are $first threads with metrics: $(cat errors)"
get "$port" '' > answer
grep -q '^200$' answer || complain "no 200: $(cat answer errors)"
grep -q '^flamel_time_calls_total{name="line \\"1\\"",file="[^"]*app.c",line="[0-9]*"} 100$' answer ||
    complain "no calls: $(cat answer)"
grep -q '^# TYPE flamel_time_calls_total counter$' answer || complain 'no type'
grep -q '^flamel_time_p95_seconds{' answer || complain "no percentile: $(cat answer)"
grep -q '^flamel_measured{signal="memory"} 1$' answer || complain "not what is measured: $(cat answer)"
grep -q '^flamel_measured{signal="cpu"} 0$' answer || complain 'not what is not measured'
grep -q '^flamel_lost_total' answer && complain 'something was lost'
get "$port" '' /other | grep -q '^404$' || complain 'another path is answered'
get "$port" "Host: evil.example" | grep -q '^403$' || complain 'another name is answered'
# Somebody who says nothing keeps nobody out for long.
python3 -c "
import socket, time
s = socket.create_connection(('127.0.0.1', $port)); time.sleep(0.3)" &
get "$port" '' | grep -q '^200$' || complain 'a silent one keeps others out'
# The parent's port stays its own.
say fork
get "$port" '' | grep -q '^200$' || complain 'nothing is answered after a fork'
end
[ ! -s errors ] || complain "it says: $(cat errors)"

# A token.
start "metrics:127.0.0.1:$port,token:secret,no-frees"
say deep
get "$port" '' | grep -q '^401$' || complain 'without its token'
get "$port" 'Authorization: Bearer secre' | grep -q '^401$' || complain 'with a part of its token'
get "$port" 'Authorization: Bearer secret' > answer
grep -q '^200$' answer || complain 'with its token'
grep -q '^flamel_lost_total{what="scopes_too_deep"} 5$' answer || complain "losses are not told: $(cat answer)"
grep -q '^flamel_measured{signal="frees",note="FLAMEL has no-frees"} 0$' answer || complain 'nor notes'
end

# What cannot be: it is said, and the program runs.
start "metrics:0.0.0.0:$port"
grep -q 'need a token' errors || complain "all may read: $(cat errors)"
end
start 'otlp:https://localhost'
grep -q 'there is no https' errors || complain "https: $(cat errors)"
end
start "otlp:http://127.0.0.1:$port,interval:1"
end
[ "$(grep -c 'otlp:http://127.0.0.1.*Connection refused' errors)" = 1 ] || complain "no collector: $(cat errors)"

# A report when a signal comes; the end writes it as well.
start 'signal:USR2,json:now.json'
kill -USR2 $program
for i in 1 2 3 4 5 6 7 8 9 10; do [ -s now.json ] && break; sleep 0.2; done
grep -q '"calls": 100' now.json || complain 'no report by the signal'
say hello
[ "$said" = 0 ] || complain 'the signal is blocked in the program'
rm now.json
say fork
end
grep -q '"calls": 100' now.json || complain 'no report at the end'
ls now.json.* > /dev/null 2>&1 || complain 'no report of the child'

# A collector of OpenTelemetry, which gets them at the end in any case.
cat > collector.py << 'END'
import http.server, json, sys
class Collector(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers['Content-Length'])))
        with open('received', 'a') as file:
            for metric in body['resourceMetrics'][0]['scopeMetrics'][0]['metrics']:
                for point in metric.get('sum', metric.get('gauge'))['dataPoints']:
                    labels = [a['value']['stringValue'] for a in point['attributes'] if a['key'] in ('signal', 'what', 'note')]
                    print(self.path, metric['name'], metric['unit'], 'sum' in metric, point['asDouble'], *labels, file=file)
        self.send_response(200)
        self.end_headers()
    def log_message(self, *all): pass
server = http.server.HTTPServer(('127.0.0.1', 0), Collector)
print(server.server_address[1], flush=True)
server.serve_forever()
END
mkfifo number
python3 collector.py > number &
collector=$!
read -r port < number
start "otlp:http://localhost:$port,interval:1,no-frees"
say deep
say fork
end
# The child sends for itself, perhaps later.
got()
{
    for try in $(seq 300); do
        grep -q "^/v1/metrics $1" received && return
        sleep 0.1
    done
    complain "$2: $(cat received errors)"
}
got 'flamel.time.calls 1 True 100$' 'nothing sent'
got 'flamel.time.calls 1 True 7$' 'nothing sent by the child'
got 'flamel.time.average s False ' 'no gauge'
got 'flamel.lost 1 True 5 scopes_too_deep$' 'losses are not sent'
got 'flamel.measured 1 False 0 frees FLAMEL has no-frees$' 'notes are not sent'
exit $bad
