#!/bin/sh
# Files, pipes and sockets: operations, bytes and errors, exactly, by what they are: io.sh BUILD.
build=$1 cc=${CC:-gcc}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH="$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
bad=0
complain()
{
    echo "$1"
    bad=1
}
has()
{
    grep -qx "$1" "$work/told" || {
        echo "not: $1"
        bad=1
        grep -e "$(echo "$1" | cut -d' ' -f1-3)" "$work/told"
    }
}
$cc -O1 -Iinclude tests/probe/programs/dump.c -o "$work/dump" || exit 1

cat > "$work/app.c" << 'END'
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <flamel/probe.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static char bytes[10000];

static void must(long is, long should, const char *what)
{
    if (is != should) {
        printf("%s: %ld, not %ld\n", what, is, should);
        exit(1);
    }
}

static void files(void)
{
    FLM_SCOPE("files");
    struct iovec two[2] = {{bytes, 100}, {bytes, 23}};
    int file = open("a", O_RDWR | O_CREAT, 0600), other = open("b", O_RDWR | O_CREAT, 0600);
    must(write(file, bytes, 1000), 1000, "write");
    must(pwrite(file, bytes, 50, 10), 50, "pwrite");
    must(writev(file, two, 2), 123, "writev");
    must(pwritev(file, two, 2, 0), 123, "pwritev");
    must(fsync(file), 0, "fsync");
    must(fdatasync(file), 0, "fdatasync");
    must(pread(file, bytes, 400, 0), 400, "pread");
    must(lseek(file, 0, SEEK_SET), 0, "lseek");
    must(read(file, bytes, 5000), 1123, "read");
    must(read(file, bytes, 5000), 0, "read at the end");
    must(preadv(file, two, 2, 0), 123, "preadv");
    off_t at = 0;
    must(sendfile(other, file, &at, 700), 700, "sendfile");
    int copy = dup(file);
    must(close(file), 0, "close");
    must(pread(copy, bytes, 7, 0), 7, "the same by another number");
    must(dup2(other, copy), copy, "dup2");
    must(pread(copy, bytes, 9, 0), 9, "another by the same number");
    close(copy);
    must(open("c", O_RDWR | O_CREAT, 0600) == file, 1, "the number is given again");
    must(write(file, bytes, 3), 3, "write to the next file");
    close(file);
    close(other);
    errno = 0;
    must(write(file, bytes, 3), -1, "write to none");
    must(errno, EBADF, "why");
    must(open("missing", O_RDONLY), -1, "open what is not there");
    must(errno, ENOENT, "why");
}

static void pipes(void)
{
    FLM_SCOPE("pipes");
    int both[2];
    must(pipe2(both, O_NONBLOCK), 0, "pipe");
    must(read(both[0], bytes, 10), -1, "an empty pipe");
    must(errno, EAGAIN, "why");
    must(write(both[1], bytes, 60), 60, "write");
    must(read(both[0], bytes, 100), 60, "read");
    close(both[0]);
    must(write(both[1], bytes, 60), -1, "a pipe that nobody reads");
    must(errno, EPIPE, "why");
    close(both[1]);
    uint64_t one = 1;
    int event = eventfd(0, 0);
    must(write(event, &one, sizeof one), 8, "eventfd");
    must(read(event, &one, sizeof one), 8, "eventfd");
    close(event);
}

static void *serve(void *listening)
{
    FLM_SCOPE("server");
    for (int i = 0; i < 3; i++) {
        int client = accept(*(int *)listening, NULL, NULL);
        must(recv(client, bytes, 20, MSG_WAITALL), 20, "recv");
        must(send(client, bytes, 30, 0), 30, "send");
        close(client);
    }
    return NULL;
}

/* Three clients, of which each has a port of its own. */
static void sockets(int is_unix)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_un path = {.sun_family = AF_UNIX, .sun_path = "it.sock"};
    struct sockaddr *address = is_unix ? (struct sockaddr *)&path : (struct sockaddr *)&at;
    socklen_t size = is_unix ? sizeof path : sizeof at;
    int listening = socket(address->sa_family, SOCK_STREAM, 0);
    must(bind(listening, address, size), 0, "bind");
    must(listen(listening, 5), 0, "listen");
    getsockname(listening, address, &size);
    if (!is_unix)
        printf("%d\n", ntohs(at.sin_port));
    pthread_t thread;
    pthread_create(&thread, NULL, serve, &listening);
    for (int i = 0; i < 3; i++) {
        struct iovec part = {bytes, 20};
        struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
        int client = socket(address->sa_family, SOCK_STREAM, 0);
        must(connect(client, address, size), 0, "connect");
        must(sendmsg(client, &message, 0), 20, "sendmsg");
        must(recvfrom(client, bytes, 30, MSG_WAITALL, NULL, NULL), 30, "recvfrom");
        close(client);
    }
    pthread_join(thread, NULL);
    close(listening);
}

static void streams(void)
{
    FLM_SCOPE("streams");
    char line[300], *whole = NULL;
    size_t room = 0;
    FILE *file = fopen("lines", "w");
    for (int i = 0; i < 1000; i++)
        must(fwrite("0123456789\n", 1, 11, file), 11, "fwrite");
    must(fputs("abc\n", file) >= 0, 1, "fputs");
    must(fclose(file), 0, "fclose");
    file = fopen("lines", "r");
    for (int i = 0; i < 500; i++)
        must(fgets(line, sizeof line, file) == line, 1, "fgets");
    for (int i = 0; i < 400; i++)
        must(getline(&whole, &room, file), 11, "getline");
    must(fread(bytes, 1, sizeof bytes, file), 100 * 11 + 4, "fread");
    must(fgets(line, sizeof line, file) == NULL, 1, "fgets at the end");
    must(fclose(file), 0, "fclose");
    free(whole);
}

static void *read_forever(void *number)
{
    FLM_SCOPE("canceled");
    (void)!read(*(int *)number, bytes, 1);
    return NULL;
}

static volatile sig_atomic_t handled;
static void on_signal(int number)
{
    int pipe_of[2];
    (void)number;
    if (pipe(pipe_of) == 0) {
        (void)!write(pipe_of[1], "x", 1);
        (void)!read(pipe_of[0], bytes, 1);
        close(pipe_of[0]);
        close(pipe_of[1]);
    }
    handled++;
}

int main(void)
{
    FLM_SCOPE("main");
    signal(SIGPIPE, SIG_IGN);
    setvbuf(stdout, NULL, _IONBF, 0);
    files();
    pipes();
    {
        FLM_SCOPE("inet");
        sockets(0);
    }
    {
        FLM_SCOPE("unix");
        sockets(1);
    }
    streams();

    int both[2];
    pthread_t thread;
    void *result;
    pipe(both);
    for (int i = 0; i < 3; i++) {
        pthread_create(&thread, NULL, read_forever, &both[0]);
        usleep(10000);
        pthread_cancel(thread);
        pthread_join(thread, &result);
        must(result == PTHREAD_CANCELED, 1, "canceled in read()");
    }
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGALRM, &action, NULL);
    for (int i = 0; i < 20; i++) {
        ualarm(1000, 0);
        must(read(both[0], bytes, 1), -1, "a signal comes");
        must(write(both[1], bytes, 1), 1, "write");
        must(read(both[0], bytes, 1), 1, "read");
    }
    return 0;
}
END
$cc -O1 -D_GNU_SOURCE -Wall -Wno-unused-result -Iinclude "$work/app.c" -o "$work/app" -pthread -L"$build" -lflamel-probe || exit 1

(mkdir "$work/plain" && cd "$work/plain" && "$work/app" > "$work/out") || complain "not measured: $(cat "$work/out")"
mkdir "$work/in" && cd "$work/in" || exit 1
FLAMEL=io,no-locks,file:$work/file "$work/app" > "$work/out" || complain "it fails: $(cat "$work/out")"
cd "$OLDPWD" || exit 1
port=$(cat "$work/out")
in=$work/in
"$work/dump" "$work/file" > "$work/told" || complain "no file"
[ "$(ls "$in")" = "$(ls "$work/plain")" ] || complain "other files"

# READ 7, WRITE 8, SYNC 9, OPEN 10, CONNECT 11, ACCEPT 17, WAIT 18
has "node 5.8 $in/a 4 4 1296 0 root;main;files"
has "node 5.7 $in/a 5 5 1653 0 root;main;files"
has "node 5.9 $in/a 2 2 0 0 root;main;files"
has "node 5.10 $in/a 1 1 0 0 root;main;files"
has "node 5.8 $in/b 1 1 700 0 root;main;files"
has "node 5.7 $in/b 1 1 9 0 root;main;files"
has "node 5.8 $in/c 1 1 3 0 root;main;files"
has "node 5.8 <unknown> 1 1 0 1 root;main;files"
has "node 5.10 <not_opened> 1 1 0 1 root;main;files"
has "meter 5.8 $in/a 1 4 1296 50 1000"
has "meter 5.7 $in/a 0 5 .*"
has "node 5.7 pipe 2 2 60 0 root;main;pipes"
has "node 5.8 pipe 2 2 60 1 root;main;pipes"
has "node 5.7 eventfd 1 1 8 0 root;main;pipes"
has "node 5.8 eventfd 1 1 8 0 root;main;pipes"
for kind in inet unix; do
    address=127.0.0.1:$port
    [ $kind = unix ] && address=it.sock
    has "node 5.11 $address 3 3 0 0 root;main;$kind"
    has "node 5.8 $address 3 3 60 0 root;main;$kind"
    has "node 5.7 $address 3 3 90 0 root;main;$kind"
    has "node 5.17 listening_on_$address 3 3 0 0 root;server"
    has "node 5.7 clients_of_$address 3 3 60 0 root;server"
    has "node 5.8 clients_of_$address 3 3 90 0 root;server"
done
# 1,001 that fit or not, and fclose, which writes the rest.
grep -qx "node 5.8 $in/lines 1002 [0-9]* 11004 0 root;main;streams" "$work/told" || complain "streams: written otherwise"
grep -qx "node 5.7 $in/lines 902 [0-9]* 11004 0 root;main;streams" "$work/told" || complain "streams: read otherwise"
awk '/^node 5\.[78] .*lines .*streams$/ && $5 > 20 { exit 1 }' "$work/told" || complain "streams: what is in the buffer is timed"
grep "lines " "$work/told" | grep -q "^node 5.10 $in/lines 2 2 0 0" || complain "streams: not opened twice"
# A signal comes 20 times while it reads, and its handler writes and reads.
has "node 5.8 pipe 20 20 20 0 root;main;pipe"
has "node 5.7 pipe 20 20 20 0 root;main;pipe"
has "node 5.7 pipe 40 40 20 0 root;main"

# Preloaded, and in a child that goes on; not in one that runs something else.
cat > "$work/fork.c" << 'END'
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    char byte = 0;
    int file = open("/dev/zero", O_RDONLY);
    for (int i = 0; i < 10; i++)
        if (read(file, &byte, 1) != 1)
            return 1;
    if (fork() == 0) {
        for (int i = 0; i < 1000; i++)
            if (read(file, &byte, 1) != 1)
                return 1;
        return 0;
    }
    wait(NULL);
    /* It closes its own: this one's stay what they are, as it has the same memory. */
    if (vfork() == 0) {
        close(file);
        open("/dev/null", O_RDONLY);
        execl("/bin/true", "true", (char *)0);
        _exit(1);
    }
    wait(NULL);
    return read(file, &byte, 1) != 1;
}
END
$cc -O1 "$work/fork.c" -o "$work/fork" || exit 1
probe=$(ls "$build"/libflamel-probe.so.[0-9]* | head -1)
FLAMEL=io,file:$work/child LD_PRELOAD=$probe "$work/fork" || complain "fork: it fails"
"$work/dump" "$work/child" > "$work/told"
has 'node 5.7 /dev/zero 11 11 11 0 root'
reads=0
for file in "$work"/child.*; do
    seen=$("$work/dump" "$file" | awk '$1 == "node" && $3 == "/dev/zero" && $2 == "5.7" { print $4 }')
    reads=$((reads + ${seen:-0}))
done
[ $reads = 1000 ] || complain "fork: $reads of the child"
# Waiting for files: each way, what it returns, and that it is no time of the scope around it; a signal is no
# error, and a handler may jump out of it. Also as compiled with checks.
cat > "$work/wait.c" << 'END'
#include <dlfcn.h>
#include <errno.h>
#include <flamel/probe.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <unistd.h>

static void must(long is, long should, const char *what)
{
    if (is != should) {
        printf("%s: %ld, not %ld\n", what, is, should);
        exit(1);
    }
}
static sigjmp_buf out;
static void jump(int number)
{
    (void)number;
    siglongjmp(out, 1);
}
static void nothing(int number)
{
    (void)number;
}

int main(int argc, char **argv)
{
    FLM_SCOPE("main");
    int both[2], nfds = argc; /* 1, and the compiler does not know it: checks are done */
    struct timespec short_time = {0, 20000000};
    (void)argv;
    must(pipe(both), 0, "pipe");
    struct epoll_event one = {.events = EPOLLIN}, got;
    struct pollfd file = {.fd = both[0], .events = POLLIN}, files[2] = {file, file};
    int poller = epoll_create1(0);
    must(epoll_ctl(poller, EPOLL_CTL_ADD, both[0], &one), 0, "epoll_ctl");
    {
        FLM_SCOPE("empty");
        must(epoll_wait(poller, &got, 1, 20), 0, "epoll_wait");
        must(epoll_pwait(poller, &got, 1, 20, NULL), 0, "epoll_pwait");
        int (*pwait2)(int, struct epoll_event *, int, const struct timespec *, const sigset_t *) =
            dlvsym(RTLD_DEFAULT, "epoll_pwait2", "GLIBC_2.35") ? dlsym(RTLD_DEFAULT, "epoll_pwait2") : NULL;
        must(pwait2 ? pwait2(poller, &got, 1, &short_time, NULL) : epoll_wait(poller, &got, 1, 20), 0, "epoll_pwait2");
        must(poll(files, (nfds_t)nfds, 20), 0, "poll");
        must(ppoll(files, (nfds_t)nfds, &short_time, NULL), 0, "ppoll");
        fd_set set;
        FD_ZERO(&set);
        FD_SET(both[0], &set);
        struct timeval time = {0, 20000};
        must(select(both[0] + 1, &set, NULL, NULL, &time), 0, "select");
        FD_SET(both[0], &set);
        must(pselect(both[0] + 1, &set, NULL, NULL, &short_time, NULL), 0, "pselect");
    }
    {
        FLM_SCOPE("ready");
        must(write(both[1], "x", 1), 1, "write");
        must(epoll_wait(poller, &got, 1, -1), 1, "epoll_wait");
        must(poll(files, (nfds_t)nfds, -1), 1, "poll");
    }
    {
        FLM_SCOPE("failed");
        must(epoll_wait(-1, &got, 1, 0), -1, "epoll_wait of nothing");
        must(errno, EBADF, "why");
        must(select(-1, NULL, NULL, NULL, NULL), -1, "select of -1");
        must(errno, EINVAL, "why");
    }
    for (int i = 0; i < 2; i++) {
        FLM_SCOPE("interrupted");
        struct sigaction action = {.sa_handler = i == 0 ? nothing : jump};
        sigaction(SIGALRM, &action, NULL);
        if (sigsetjmp(out, 1) == 0) {
            ualarm(5000, 0);
            must(poll(NULL, 0, 10000), -1, "a signal comes");
            must(i == 0 && errno == EINTR, 1, "why");
        }
    }
    return 0;
}
END
for checks in 0 2; do
    $cc -O1 -D_GNU_SOURCE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$checks -Iinclude "$work/wait.c" -o "$work/wait" \
        -L"$build" -lflamel-probe || exit 1
    FLAMEL=io,file:$work/file "$work/wait" > "$work/out" || complain "waiting fails: $(cat "$work/out")"
    "$work/dump" "$work/file" > "$work/told"
    for waits in 'epoll 3 3' 'poll 2 2' 'select 2 2'; do
        has "node 5.18 $waits 0 0 root;main;empty"
    done
    has "node 5.18 epoll 1 1 0 0 root;main;ready"
    has "node 5.18 poll 1 1 0 0 root;main;ready"
    has "node 5.18 epoll 1 1 0 1 root;main;failed"
    has "node 5.18 select 1 1 0 1 root;main;failed"
    has "node 5.18 poll 2 1 0 0 root;main;interrupted" # what a jump leaves is counted
done

# What is printed and scanned, and characters, also as compiled with checks: each operation, each byte.
cat > "$work/print.c" << 'END'
#include <stdarg.h>
#include <stdio.h>
static int list(FILE *to, const char *format, ...)
{
    va_list more;
    va_start(more, format);
    int size = vfprintf(to, format, more);
    va_end(more);
    return size;
}
int main(int argc, char **argv)
{
    FILE *file = fopen("printed", "w");
    int lines = 0, number, c;
    char text[10];
    for (int i = 0; i < 2000; i++)
        fprintf(file, "%d %s\n", i % 10, argc > 5 ? argv[5] : "x");
    for (int i = 0; i < 5000; i++)
        fputc('a', file);
    putc('\n', file);
    list(file, "%0*d", 3, 7);
    fclose(file);
    file = fopen("printed", "r");
    while (fscanf(file, "%d %9s", &number, text) == 2)
        lines++;
    while ((c = getc(file)) != EOF)
        lines++;
    fclose(file);
    setvbuf(stdout, NULL, _IONBF, 0);
    printf("%d\n", 10 + argc);
    puts("two");
    putchar('x');
    return lines != 2000 + 5000 + 1 + 3;
}
END
for flags in -O0 "-O2 -D_FORTIFY_SOURCE=2"; do
    $cc $flags "$work/print.c" -o "$work/print" || exit 1
    (cd "$work" && FLAMEL=file:$work/printing LD_PRELOAD=$build/libflamel-probe.so.0 ./print > "$work/output") || complain "printing, $flags: it fails"
    "$build/flamel" report --csv "$work/printing" | grep '^io,' > "$work/csv"
    for wanted in "$work/printed,write,operations,7003" "$work/printed,write,bytes,13004" "$work/printed,read,operations,7006" \
        "$work/printed,read,bytes,13004" "stdout ($work/output),write,operations,3" "stdout ($work/output),write,bytes,8"; do
        grep -qxF "io,$wanted" "$work/csv" || { complain "printing, $flags: not $wanted"; cat "$work/csv"; }
    done
done
# By number, without locks, and by what GNU has for C90.
cat > "$work/others.c" << 'END'
#include <stdio.h>
#include <fcntl.h>
#include <unistd.h>
int main(void)
{
    int number, i, c, sum = 0;
    FILE *file = fopen("others", "w");
    for (i = 0; i < 10; i++)
        putc_unlocked('1' + i % 9, file);
    fputc_unlocked('\n', file);
    fclose(file);
    file = fopen("others", "r");
    if (fscanf(file, "%d", &number) != 1)
        return 1;
    while ((c = getc_unlocked(file)) != EOF)
        sum += c;
    fclose(file);
    number = open("by number", O_WRONLY | O_CREAT, 0600);
    for (i = 0; i < 3; i++)
        dprintf(number, "%d\n", 10 + i);
    return close(number) != 0 || sum != '\n';
}
END
$cc -std=gnu89 -D_GNU_SOURCE -w -O0 "$work/others.c" -o "$work/others_" || exit 1
nm -D "$work/others_" | grep -q ' fscanf' || complain "others: it is not for C90"
(cd "$work" && FLAMEL=file:$work/other LD_PRELOAD=$build/libflamel-probe.so.0 ./others_) || complain "others: it fails"
"$build/flamel" report --csv "$work/other" | grep '^io,' > "$work/csv"
for wanted in "$work/others,write,operations,12" "$work/others,write,bytes,11" "$work/others,read,operations,3" \
    "$work/others,read,bytes,11" "$work/by number,write,operations,3" "$work/by number,write,bytes,9"; do
    grep -qxF "io,$wanted" "$work/csv" || { complain "others: not $wanted"; cat "$work/csv"; }
done
# A child that begins to be measured after some calls includes them, with their times, bytes and errors, whether a call or
# a scope comes next. If it may not write its file, the report of its parent says so.
cat > "$work/children.c" << 'END'
#include <fcntl.h>
#include <flamel/probe.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int count, char **words)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static sem_t empty;
    int n = atoi(words[1]), status, out = open("/dev/null", O_WRONLY), in = open("/dev/zero", O_RDONLY);
    if (count > 2)
        chmod(words[2], 0555);
    if (fork() == 0) {
        if (count > 2 && getuid() == 0 && setuid(65534) != 0)
            _exit(1);
        for (int i = 0; i < n; i++)
            if (write(out, "xyz", 3) != 3)
                _exit(1);
        for (int i = 0; i < 5; i++)
            if (write(in, "xyz", 3) != -1)
                _exit(1);
        struct timespec past = {0, 0};
        pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
        poll(NULL, 0, 20);
        pthread_mutex_lock(&lock);
        if (pthread_cond_timedwait(&condition, &lock, &past) == 0 || sem_timedwait(&empty, &past) == 0)
            _exit(1);
        pthread_mutex_unlock(&lock);
        for (int i = 0; i < 7; i++) {
            pthread_mutex_lock(&lock);
            pthread_mutex_unlock(&lock);
        }
        FLM_SCOPE("goes on");
        exit(0);
    }
    wait(&status);
    if (count > 2)
        chmod(words[2], 0755);
    return status != 0;
}
END
$cc -w -O1 -Iinclude "$work/children.c" -o "$work/children" -L"$build" -lflamel-probe || exit 1
for n in 1 10 33 100 5000; do
    rm -f "$work"/young*
    FLAMEL=file:$work/young "$work/children" $n || complain "children: it fails"
    "$build/flamel" report --json "$work"/young.* > "$work/said" || complain "children: no file of the child"
    grep calls_before_start "$work/said" && complain "children: calls of $n are lost"
    "$work/dump" "$work"/young.* > "$work/told"
    has "node 5.8 /dev/null $n $n $((3 * n)) 0 root"
    has "node 5.8 /dev/zero 5 5 0 5 root"
    has "node 5.18 poll 1 1 0 0 root"
    for waits in 5 6; do # for a condition variable and a semaphore: both timed out
        grep -q "^node 4.$waits [^ ]* 1 1 0 1 root$" "$work/told" || complain "children: not one wait of kind $waits"
    done
    grep -q "^node 4.1 [^ ]* 8 0 0 0 root$" "$work/told" || complain "children: not 8 times the lock"
    grep -q "^meter 5.8 /dev/null 0 $n " "$work/told" || complain "children: not all are timed"
    grep -q "^meter 5.8 /dev/null 1 $n $((3 * n)) 3 3$" "$work/told" || complain "children: other bytes"
    # poll waited 20 ms: at least 10 ms must be measured, at 10 MHz or more.
    awk '/^meter 5.18 poll 0 1 / && $6 >= 100000 { good = 1 } END { exit !good }' "$work/told" || complain "children: poll was not timed"
done
mkdir "$work/own"
FLAMEL=file:$work/own/child "$work/children" 100 "$work/own" || complain "children: it fails"
[ "$(ls "$work/own")" = child ] || complain "children: a file where none can be made"
"$build/flamel" report --json "$work/own/child" | grep -q '"lost": {"processes_without_file": 1}' || complain "children: no word of the one without a file"
exit $bad
