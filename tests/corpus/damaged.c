/* damaged.c - every reader against damaged copies of real files.
 *
 *     damaged [-n CASES] [-v] FILE|FOLDER...
 *
 * Of each file it loads, from memory: prefixes, as of a disk that was full or a copy that was
 * interrupted, and copies in which a byte is missing or is there twice. A compressed file is cut
 * both as it is and as what is in it. Each must be refused with one sentence, or be a profile;
 * within 20 seconds of processor time, in less than 2 GiB, and nothing may stay allocated. A prefix
 * that becomes a profile other than that of the whole file, without a loss that says so, is a
 * finding too, unless the format has no way to know: `without_end` says which and why.
 *
 * -n: at most so many prefixes of a file, and as many other copies (300); fewer of large files.
 * -v: each finding, and each sentence of a refusal once.
 *
 * Without a sanitizer it counts what is allocated; with one, the sanitizer does. */
#include <errno.h>
#include <ftw.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "flamel/flamel.h"
#include "os/input.h"
#include "support/core/random.h"

enum { SECONDS = 20, EDGE = 64 };

#ifdef __SANITIZE_ADDRESS__
int __lsan_do_recoverable_leak_check(void);
static const bool SANITIZED = true;
#else
static int __lsan_do_recoverable_leak_check(void)
{
    return 0;
}
static const bool SANITIZED = false;
#endif

enum outcome { REFUSED, COUNTED, SAME, SILENT, OUTCOMES };

/* What was made of the prefixes of all files of a format. */
struct tally {
    char format[32];
    unsigned files, number[OUTCOMES];
};

static struct {
    unsigned most_cases;
    bool verbose;
    unsigned findings;
    struct tally tallies[64];
    size_t tally_count;
    char said[4096][160]; /* sentences that were shown */
    size_t said_count;

    /* What is being read, for the handler of signals. */
    const char *path;
    char how[64];
    bool is_first;
} state = {.most_cases = 300};

/* ---- One copy -------------------------------------------------------------------------------- */

static void finding(const char *what)
{
    if (state.is_first)
        return;
    state.findings++;
    printf("FINDING %s: %s: %s\n", state.path, state.how, what);
}

static void stop(int number)
{
    printf("FINDING %s: %s: %s\n", state.path, state.how,
           number == SIGPROF ? "more than 20 seconds" : strsignal(number));
    fflush(stdout);
    _exit(1);
}

/* Of processor time, so that a machine with other work does not matter. */
static void limit_seconds(long seconds)
{
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = seconds}, NULL);
}

static size_t allocated(void)
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

/* Each sentence once, with digits and what is quoted left out. */
static void say(const char *text)
{
    char normal[sizeof state.said[0]];
    size_t size = 0;
    bool quoted = false;
    for (const char *at = text; *at && size + 1 < sizeof normal; at++) {
        quoted ^= *at == '\'';
        if (!quoted && !(*at >= '0' && *at <= '9'))
            normal[size++] = *at;
    }
    normal[size] = 0;
    for (size_t i = 0; i < state.said_count; i++)
        if (strcmp(state.said[i], normal) == 0)
            return;
    if (state.said_count < sizeof state.said / sizeof *state.said)
        memcpy(state.said[state.said_count++], normal, sizeof normal);
    printf("SAYS %s: %s: %s\n", state.path, state.how, text);
}

/* FNV-1a of what the .flm file would be. */
static bool hash(void *context, const void *bytes, size_t size)
{
    uint64_t *sum = context;
    for (const unsigned char *at = bytes; size-- > 0; at++)
        *sum = (*sum ^ *at) * 0x100000001b3u;
    return true;
}

struct result {
    enum outcome outcome; /* REFUSED, COUNTED or SILENT */
    uint64_t hash;
    char format[32];
};

/* The copy is in a block of exactly its size, so that a sanitizer sees a read past its end. */
static struct result load(const char *bytes, size_t size)
{
    const char *format = "none";
    struct flm_load_options options = {
        .size = sizeof options, .threads = 1, .found_format = &format};
    struct flm_error why = {0};
    struct result result = {REFUSED, 0xcbf29ce484222325u, ""};
    char *copy = malloc(size ? size : 1);
    if (!copy) {
        perror("malloc");
        exit(2);
    }
    memcpy(copy, bytes, size);
    size_t before = SANITIZED ? 0 : allocated();
    limit_seconds(SANITIZED ? 10 * SECONDS : SECONDS);
    struct flm_profile *profile = flm_load_memory(copy, size, &options, &why);
    if (profile) {
        struct flm_error broken = {0};
        if (!flm_profile_check(profile, &broken))
            finding(broken.text);
        flm_profile_write(profile, hash, &result.hash);
        result.outcome = flm_profile_loss_count(profile) > 0 ? COUNTED : SILENT;
        flm_profile_free(profile);
    } else if (why.kind != FLM_ERROR_FORMAT && why.kind != FLM_ERROR_RANGE) {
        finding(why.text);
    } else if (!why.text[0] || strchr(why.text, '\n')) {
        finding("an error that is not one line");
    } else if (state.verbose) {
        say(why.text);
    }
    limit_seconds(0);
    if (!SANITIZED && allocated() != before)
        finding("memory stays allocated");
    free(copy);
    snprintf(result.format, sizeof result.format, "%s", format);
    return result;
}

/* ---- The copies of a file -------------------------------------------------------------------- */

static struct tally *tally_of(const char *format)
{
    for (size_t i = 0; i < state.tally_count; i++)
        if (strcmp(state.tallies[i].format, format) == 0)
            return &state.tallies[i];
    struct tally *tally = &state.tallies[state.tally_count];
    state.tally_count += state.tally_count + 1 < sizeof state.tallies / sizeof *state.tallies;
    snprintf(tally->format, sizeof tally->format, "%s", format);
    return tally;
}

/* Formats of which a part may be a whole file. */
static const char *without_end(const char *format, char first)
{
    static const struct {
        const char *formats, *why;
    } reasons[] = {
        {" folded perf-script perf-report perf-json austin pprof-legacy heaptrack ",
         "lines, and none says that it is the last"},
        {" thread-dump javacore goroutines gdb python-dump bpftrace dtrace macos-sample ",
         "stacks as text, and nothing says how many follow"},
        {" instruments pmcstat ghc ", "a tree as text, and nothing says how many lines follow"},
        {" callgrind ", "only valgrind ends a file with its totals"},
        {" massif ", "snapshots, and none says that it is the last"},
        {" pprof ", "messages without a size around them: times may follow the last string"},
        {" papyrus v8-log ", "a log, and none of its lines is the last"},
    };
    if (strcmp(format, "trace") == 0 && first == '[')
        return "a list of events may end without its ']', behind any event";
    char name[48];
    snprintf(name, sizeof name, " %s ", format);
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (strstr(reasons[i].formats, name))
            return reasons[i].why;
    return NULL;
}

static void cut(const struct result *whole, const char *what, const char *bytes, size_t size,
                size_t kept)
{
    snprintf(state.how, sizeof state.how, "the first %zu of %zu%s bytes", kept, size, what);
    struct result result = load(bytes, kept);
    if (result.outcome == SILENT && result.hash == whole->hash)
        result.outcome = SAME;
    struct tally *tally = tally_of(whole->format);
    tally->number[result.outcome]++;
    if (result.outcome != SILENT || without_end(whole->format, bytes[0]) ||
        without_end(result.format, bytes[0]))
        return;
    char text[96];
    snprintf(text, sizeof text, "a part is read as if it were a whole file (%s)", result.format);
    finding(text);
}

static int order(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Where to cut: all places of a small file; else the edges, powers of two, ends of lines and
 * places by chance. */
static size_t places(const char *bytes, size_t size, uint64_t *seed, size_t *at, size_t most)
{
    size_t count = 0;
    if (size <= most) {
        while (count < size)
            at[count] = count, count++;
        return count;
    }
    size_t edge = most / 6 < EDGE ? most / 6 : EDGE;
    for (size_t i = 0; i < edge; i++) {
        at[count++] = i;
        at[count++] = size - 1 - i;
    }
    for (size_t i = edge; i < size / 2 && count + 3 < most; i *= 2) {
        at[count++] = i - 1;
        at[count++] = i;
        at[count++] = i + 1;
    }
    while (count < most) {
        size_t place = (size_t)(random_next(seed) % size);
        if (count % 2) {
            const char *end = memchr(bytes + place, '\n', size - place);
            place = end && (size_t)(end - bytes) + 1 < size ? (size_t)(end - bytes) + 1 : place;
        }
        at[count++] = place;
    }
    qsort(at, count, sizeof *at, order);
    size_t distinct = 0;
    for (size_t i = 0; i < count; i++)
        if (distinct == 0 || at[distinct - 1] != at[i])
            at[distinct++] = at[i];
    return distinct;
}

static void damage(const char *what, const char *bytes, size_t size)
{
    enum { BUDGET = 100 << 20 }; /* bytes read of a file in all */
    uint64_t seed = size + 1;
    size_t most = state.most_cases;
    if (size > BUDGET / most)
        most = BUDGET / size;
    most = most > 12 ? most : 12;
    size_t *at = malloc((most + 8) * sizeof *at);
    char *copy = malloc(size + 1);
    if (!at || !copy) {
        perror("malloc");
        exit(2);
    }
    snprintf(state.how, sizeof state.how, "all %zu%s bytes", size, what);
    state.is_first = true; /* what is loaded once stays: libraries, tables */
    (void)load(bytes, size);
    state.is_first = false;
    const struct result whole = load(bytes, size);
    tally_of(whole.format)->files++;
    size_t count = places(bytes, size, &seed, at, most);
    for (size_t i = 0; i < count; i++)
        cut(&whole, what, bytes, size, at[i]);
    for (size_t i = 0; i < count / 2 && size > 0; i++) {
        size_t place = (size_t)(random_next(&seed) % size);
        bool twice = i % 2;
        memcpy(copy, bytes, place + twice);
        memcpy(copy + place + twice, bytes + place + !twice, size - place - !twice);
        snprintf(state.how, sizeof state.how, "byte %zu of %zu%s %s", place, size, what,
                 twice ? "twice" : "missing");
        (void)load(copy, size - 1 + 2 * twice);
    }
    free(at);
    free(copy);
    /* It takes long, so once a file: -n finds out which copy it was. */
    snprintf(state.how, sizeof state.how, "one of its copies");
    if (SANITIZED && __lsan_do_recoverable_leak_check() != 0)
        finding("memory leaked");
}

static void damage_file(const char *path)
{
    struct flm_error why = {0};
    for (int inner = 0; inner < 2; inner++) {
        FILE *file = fopen(path, "rb");
        static char head[4];
        size_t got = file ? fread(head, 1, sizeof head, file) : 0;
        bool compressed = got == 4 && (memcmp(head, "\x1f\x8b", 2) == 0 ||
                                       memcmp(head, "\x28\xb5\x2f\xfd", 4) == 0);
        if (!inner && file) {
            fseek(file, 0, SEEK_END);
            long size = ftell(file);
            char *bytes = malloc(size > 0 ? (size_t)size : 1);
            rewind(file);
            if (bytes && fread(bytes, 1, (size_t)size, file) == (size_t)size)
                damage("", bytes, (size_t)size);
            free(bytes);
        } else if (file && compressed) {
            struct flm_input *input = flm_input_open(path, &why);
            if (input && flm_source_all(flm_input_source(input), &why)) {
                const struct flm_source *source = flm_input_source(input);
                damage(" inner", source->at, (size_t)(source->end - source->at));
            }
            flm_input_close(input);
        }
        if (file)
            fclose(file);
    }
}

static int visit(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)status, (void)where;
    if (type == FTW_F && !strstr(path, ".expected") && !strstr(path, "/bad/") &&
        !strstr(path, "/bin/")) {
        state.path = path;
        damage_file(path);
        fflush(stdout);
    }
    return 0;
}

int main(int argc, char **argv)
{
    int at = 1;
    for (; at < argc && argv[at][0] == '-'; at++) {
        if (strcmp(argv[at], "-v") == 0)
            state.verbose = true;
        else if (strcmp(argv[at], "-n") == 0 && at + 1 < argc)
            state.most_cases = (unsigned)strtoul(argv[++at], NULL, 10);
    }
    /* What each thread keeps for its next allocation would count as allocated, and so would the
     * arena of one that started while another still ran. */
    if (!SANITIZED && !getenv("GLIBC_TUNABLES")) {
        setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1", 1);
        execv("/proc/self/exe", argv);
    }
    const struct rlimit limit = {(rlim_t)2 << 30, (rlim_t)2 << 30};
    if (!SANITIZED)
        setrlimit(RLIMIT_AS, &limit);
    signal(SIGPROF, stop);
    if (!SANITIZED) {
        signal(SIGSEGV, stop);
        signal(SIGABRT, stop);
        signal(SIGFPE, stop);
    }
    for (; at < argc; at++)
        nftw(argv[at], visit, 16, FTW_PHYS);
    puts("prefixes:");
    printf("%-16s %6s %8s %8s %8s %8s\n", "format", "files", "refused", "counted", "same",
           "silent");
    for (size_t i = 0; i < state.tally_count; i++) {
        const struct tally *t = &state.tallies[i];
        const char *reason = t->number[SILENT] > 0 ? without_end(t->format, '[') : NULL;
        printf("%-16s %6u %8u %8u %8u %8u%s%s\n", t->format, t->files, t->number[REFUSED],
               t->number[COUNTED], t->number[SAME], t->number[SILENT], reason ? "  " : "",
               reason ? reason : "");
    }
    printf("%u findings\n", state.findings);
    return state.findings > 0;
}
