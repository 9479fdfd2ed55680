/* make_json.c - large profiles of the formats that are JSON, as their tools write them.
 *
 *     make_json KIND MEGABYTES > FILE
 *
 *     samply       samply's tables, a set for each thread; functions are addresses
 *     firefox      the Firefox Profiler's shared tables, JavaScript and C++; a third are markers
 *     sampled      speedscope: stacks and weights
 *     evented      speedscope: calls that open and close
 *     cpuprofile   V8: nodes, samples
 *     trace        Chrome: calls as one event each (X), with arguments
 *     begin-end    uftrace: calls as two events (B, E)
 *     kineto       PyTorch: X, a line for each few members
 *     chunks       Chrome: a CPU profile of V8 in chunks
 *     heaptimeline V8: objects, and the tree of their allocations
 *
 * A program runs that has 20,000 functions. From one sample to the next its stack loses some
 * innermost frames and gets others, the likely ones most of the time, so stacks repeat as real ones
 * do: a million samples have 69,000 different stacks, 5,000 have 1,368 (samply of `ls`: 5,130 have
 * 1,115), 20 frames deep. The same numbers come out each time. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 20000, THREADS = 12, MOST_DEPTH = 120, SAMPLE_CHUNK = 1000 };

static uint64_t state = 1;

static uint32_t dice(uint32_t sides)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % sides;
}

static uint32_t mix(uint32_t a, uint32_t b)
{
    uint64_t x = ((uint64_t)a << 32 | b) * 0x9E3779B97F4A7C15u;
    x ^= x >> 29;
    x *= 0xBF58476D1CE4E5B9u;
    return (uint32_t)(x >> 32);
}

static void *check(void *memory)
{
    if (!memory) {
        fputs("make_json: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

/* ---- The program that is sampled ------------------------------------------------------------- */

struct node {
    uint32_t parent, function, first_child, next_sibling; /* 0: none */
    uint32_t hits;
};

/* Every stack that was met: nodes in the order in which they were met first; 0 is the root. */
struct tree {
    struct node *nodes;
    uint32_t count, capacity;
    uint32_t path[MOST_DEPTH], depth; /* of the current stack */
};

static void start(struct tree *tree)
{
    *tree = (struct tree){.count = 1, .capacity = 1 << 16};
    tree->nodes = check(calloc(tree->capacity, sizeof *tree->nodes));
}

static uint32_t child_of(struct tree *tree, uint32_t parent, uint32_t function)
{
    for (uint32_t i = tree->nodes[parent].first_child; i; i = tree->nodes[i].next_sibling)
        if (tree->nodes[i].function == function)
            return i;
    if (tree->count == tree->capacity) {
        tree->capacity *= 2;
        tree->nodes = check(realloc(tree->nodes, tree->capacity * sizeof *tree->nodes));
    }
    tree->nodes[tree->count] =
        (struct node){parent, function, 0, tree->nodes[parent].first_child, 0};
    return tree->nodes[parent].first_child = tree->count++;
}

static uint32_t top(const struct tree *tree)
{
    return tree->depth > 0 ? tree->path[tree->depth - 1] : 0;
}

/* Calls another function: mostly the one that this function calls mostly. */
static void call(struct tree *tree)
{
    uint32_t way = 0, caller = tree->nodes[top(tree)].function;
    while (way < 3 && dice(16) == 0)
        way++;
    uint32_t function = mix(caller, way) % FUNCTIONS % (1 + mix(caller, way + 100) % FUNCTIONS);
    uint32_t node = child_of(tree, top(tree), function);
    tree->path[tree->depth++] = node;
}

/* How many frames the next sample loses. */
static uint32_t lost(const struct tree *tree)
{
    uint32_t count = 0;
    while (count < tree->depth && dice(5) < 3)
        count++;
    return dice(50) == 0 ? tree->depth * dice(100) / 100 : count;
}

static uint32_t wanted_depth(void)
{
    return 8 + dice(18) + dice(18);
}

/* The stack of the next sample. */
static uint32_t sample(struct tree *tree)
{
    if (dice(3) == 0 && tree->depth > 0) { /* as it was */
        tree->nodes[top(tree)].hits++;
        return top(tree);
    }
    tree->depth -= lost(tree);
    for (uint32_t depth = wanted_depth(), most = dice(6); tree->depth < depth && most > 0; most--)
        call(tree);
    if (tree->depth == 0)
        call(tree);
    tree->nodes[top(tree)].hits++;
    return top(tree);
}

static void print_name(uint32_t function)
{
    static const char *const words[] = {"dom",     "layout",   "Update",  "PresShell",
                                        "mozilla", "js",       "Flush",   "gfx",
                                        "Handle",  "Document", "Runtime", "read"};
    static const char *const arguments[] = {
        "", "", "(int)", "(std::basic_string<char> const&, unsigned long)", "(nsPresContext*)"};
    uint32_t a = mix(function, 1) % 12, b = mix(function, 2) % 12, c = mix(function, 3) % 12;
    if (function % 3 == 0)
        printf("%s%s%u", words[a], words[b], function);
    else
        printf("%s::%s::%s%u%s", words[a], words[b], words[c], function,
               arguments[mix(function, 4) % 5]);
}

/* ---- Columns --------------------------------------------------------------------------------- */

/* "name":[value, value, ...] of `count` rows; `print` prints that of row i. */
static void column(const char *name, uint32_t count, void (*print)(const void *of, uint32_t i),
                   const void *of)
{
    printf(",\"%s\":[", name);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            putchar(',');
        print(of, i);
    }
    putchar(']');
}

static void print_null(const void *of, uint32_t i)
{
    (void)of, (void)i;
    fputs("null", stdout);
}

static void print_false(const void *of, uint32_t i)
{
    (void)of, (void)i;
    fputs("false", stdout);
}

static void print_zero(const void *of, uint32_t i)
{
    (void)of, (void)i;
    putchar('0');
}

static void print_index(const void *of, uint32_t i)
{
    (void)of;
    printf("%u", i);
}

static void print_one(const void *of, uint32_t i)
{
    (void)of, (void)i;
    putchar('1');
}

static void print_category(const void *of, uint32_t i)
{
    (void)of;
    printf("%u", 1 + mix(i, 9) % 2);
}

static void print_address(const void *of, uint32_t i)
{
    (void)of;
    printf("%u", mix(i, 5) % 3000000);
}

static void print_prefix(const void *of, uint32_t i)
{
    const struct tree *tree = of;
    uint32_t parent = tree->nodes[i + 1].parent;
    if (parent)
        printf("%u", parent - 1);
    else
        fputs("null", stdout);
}

static void print_prefix_offset(const void *of, uint32_t i)
{
    const struct tree *tree = of;
    uint32_t parent = tree->nodes[i + 1].parent;
    printf("%u", parent ? i + 1 - parent : 0);
}

static void print_function(const void *of, uint32_t i)
{
    printf("%u", ((const struct tree *)of)->nodes[i + 1].function);
}

static void print_resource(const void *of, uint32_t i)
{
    (void)of;
    printf("%u", mix(i, 6) % 4);
}

static void print_line(const void *of, uint32_t i)
{
    (void)of;
    if (i % 3 == 0)
        printf("%u", mix(i, 7) % 4000);
    else
        fputs("null", stdout);
}

static void print_uint(const void *of, uint32_t i)
{
    printf("%u", ((const uint32_t *)of)[i]);
}

static void print_double(const void *of, uint32_t i)
{
    printf("%.6f", ((const double *)of)[i]);
}

static void print_delta(const void *of, uint32_t i)
{
    printf("%.3f", ((const double *)of)[i] - (i > 0 ? ((const double *)of)[i - 1] : 0));
}

/* ---- samply and Firefox ---------------------------------------------------------------------- */

struct samples {
    uint32_t *stacks, *cpu, *weights, count;
    double *times;
};

static struct samples take_samples(struct tree *tree, uint32_t count, double interval_ms)
{
    struct samples s = {.count = count};
    double time = dice(1000);
    s.stacks = check(malloc(count * sizeof *s.stacks));
    s.cpu = check(malloc(count * sizeof *s.cpu));
    s.weights = check(malloc(count * sizeof *s.weights));
    s.times = check(malloc(count * sizeof *s.times));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t steps = dice(20) == 0 ? 1 + dice(40) : 1;
        s.stacks[i] = sample(tree) - 1;
        s.weights[i] = steps;
        time += interval_ms * steps + (dice(1000) - 500.0) / 1e6 * interval_ms;
        s.times[i] = time;
        s.cpu[i] = dice(10) == 0 ? 0 : (uint32_t)(interval_ms * 1000) - dice(20);
    }
    return s;
}

static void free_samples(struct samples *s)
{
    free(s->stacks);
    free(s->cpu);
    free(s->weights);
    free(s->times);
}

static void print_frames(bool is_js)
{
    printf(",\"frameTable\":{\"length\":%u", (unsigned)FUNCTIONS);
    column("address", FUNCTIONS, print_address, NULL);
    column("inlineDepth", FUNCTIONS, print_zero, NULL);
    column("category", FUNCTIONS, print_category, NULL);
    column("subcategory", FUNCTIONS, print_zero, NULL);
    column("func", FUNCTIONS, print_index, NULL);
    column("nativeSymbol", FUNCTIONS, print_null, NULL);
    column("innerWindowID", FUNCTIONS, print_null, NULL);
    column("implementation", FUNCTIONS, print_null, NULL);
    column("line", FUNCTIONS, is_js ? print_line : print_null, NULL);
    column("column", FUNCTIONS, is_js ? print_line : print_null, NULL);
    printf("},\"funcTable\":{\"length\":%u", (unsigned)FUNCTIONS);
    column("name", FUNCTIONS, print_index, NULL);
    column("isJS", FUNCTIONS, print_false, NULL);
    column("relevantForJS", FUNCTIONS, print_false, NULL);
    column("resource", FUNCTIONS, print_resource, NULL);
    column("fileName", FUNCTIONS, print_null, NULL);
    column("lineNumber", FUNCTIONS, is_js ? print_line : print_null, NULL);
    column("columnNumber", FUNCTIONS, is_js ? print_line : print_null, NULL);
    printf("},\"resourceTable\":{\"length\":4,\"lib\":[0,1,2,3],\"name\":[%u,%u,%u,%u],"
           "\"host\":[null,null,null,null],\"type\":[1,1,1,1]},\"nativeSymbols\":{\"length\":0,"
           "\"address\":[],\"libIndex\":[],\"name\":[]}",
           FUNCTIONS + 0u, FUNCTIONS + 1u, FUNCTIONS + 2u, FUNCTIONS + 3u);
}

static void print_stacks(const struct tree *tree, bool has_offsets)
{
    printf(",\"stackTable\":{\"length\":%u", tree->count - 1);
    column("frame", tree->count - 1, print_function, tree);
    if (has_offsets) {
        column("prefixOffset", tree->count - 1, print_prefix_offset, tree);
    } else {
        column("prefix", tree->count - 1, print_prefix, tree);
        column("category", tree->count - 1, print_one, tree);
        column("subcategory", tree->count - 1, print_zero, tree);
    }
    putchar('}');
}

static void print_head(int version)
{
    printf("{\"meta\":{\"categories\":[{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":["
           "\"Other\"]},{\"name\":\"User\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]},"
           "{\"name\":\"Kernel\",\"color\":\"orange\",\"subcategories\":[\"Other\"]}],"
           "\"interval\":1.0,\"preprocessedProfileVersion\":%d,\"processType\":0,\"product\":"
           "\"program\",\"sampleUnits\":{\"eventDelay\":\"ms\",\"threadCPUDelta\":\"\xC2\xB5s\","
           "\"time\":\"ms\"},\"startTime\":1671458961578.1,\"symbolicated\":false,\"version\":24,"
           "\"markerSchema\":[]},\"libs\":[",
           version);
    for (int i = 0; i < 4; i++)
        printf("%s{\"name\":\"lib%d.so\",\"path\":\"/usr/lib/lib%d.so\",\"debugName\":\"lib%d.so\","
               "\"debugPath\":\"/usr/lib/lib%d.so\",\"breakpadId\":\"0123456789ABCDEF0\","
               "\"codeId\":null,\"arch\":\"x86_64\"}",
               i > 0 ? "," : "", i, i, i, i);
    fputs("],\"threads\":[", stdout);
}

static void print_thread_head(int i, const char *process)
{
    printf("%s{\"name\":\"%s %d\",\"processName\":\"%s\",\"processType\":\"default\","
           "\"pid\":\"%d\",\"tid\":\"%d\",\"registerTime\":0.0,\"unregisterTime\":null,"
           "\"pausedRanges\":[]",
           i > 0 ? "," : "", i == 0 ? "GeckoMain" : "worker", i, process, 4000 + i / 4, 5000 + i);
}

static void print_samply(double bytes)
{
    print_head(41);
    for (int i = 0; i < THREADS; i++) {
        struct tree tree;
        start(&tree);
        /* The first thread has half of the samples. */
        double share = i == 0 ? 0.5 : 0.5 / (THREADS - 1), rest = bytes * share - 1.7e6;
        struct samples s =
            take_samples(&tree, (uint32_t)((rest > 0 ? rest : bytes * share / 4) / 24.5), 1);
        print_thread_head(i, "program");
        printf(",\"samples\":{\"length\":%u", s.count);
        column("stack", s.count, print_uint, s.stacks);
        column("time", s.count, print_double, s.times);
        column("weight", s.count, print_uint, s.weights);
        fputs(",\"weightType\":\"samples\"", stdout);
        column("threadCPUDelta", s.count, print_uint, s.cpu);
        fputs("},\"markers\":{\"length\":0,\"category\":[],\"data\":[],\"endTime\":[],\"name\":[],"
              "\"phase\":[],\"startTime\":[]}",
              stdout);
        print_frames(false);
        print_stacks(&tree, false);
        fputs(",\"stringArray\":[", stdout);
        for (uint32_t k = 0; k < FUNCTIONS; k++)
            printf("\"0x%x\",", mix(k, 5) % 3000000);
        fputs("\"lib0.so\",\"lib1.so\",\"lib2.so\",\"lib3.so\"]}", stdout);
        free_samples(&s);
        free(tree.nodes);
    }
    fputs("],\"pages\":[],\"profilerOverhead\":[],\"counters\":[]}", stdout);
}

static void print_payload(const void *of, uint32_t i)
{
    const double *times = of;
    switch (mix(i, 11) % 6) {
    case 0:
        fputs("null", stdout);
        break;
    case 1:
        printf("{\"type\":\"tracing\",\"category\":\"Paint\"}");
        break;
    case 2:
        printf("{\"type\":\"UserTiming\",\"name\":\"render-%u\",\"entryType\":\"measure\"}",
               mix(i, 12) % 500);
        break;
    case 3:
        printf("{\"type\":\"Styles\",\"elementsTraversed\":%u,\"elementsStyled\":%u,"
               "\"elementsMatched\":1,\"stylesShared\":0,\"stylesReused\":1}",
               mix(i, 13) % 900, mix(i, 14) % 90);
        break;
    case 4:
        printf("{\"type\":\"IPC\",\"startTime\":%.6f,\"endTime\":%.6f,\"otherPid\":\"%u\","
               "\"messageType\":\"PContent::Msg_Notify%u\",\"messageSeqno\":%u,\"side\":\"parent\","
               "\"direction\":\"sending\",\"phase\":\"endpoint\",\"sync\":false}",
               times[i], times[i] + 0.2, 4000 + i % 4, mix(i, 15) % 300, i);
        break;
    default:
        printf("{\"type\":\"Text\",\"name\":\"Document::Load %u https://example.org/%u\"}",
               mix(i, 16) % 50, mix(i, 17) % 500);
        break;
    }
}

static void print_marker_name(const void *of, uint32_t i)
{
    (void)of;
    printf("%u", mix(i, 18) % 200);
}

static void print_firefox(double bytes)
{
    struct tree tree;
    start(&tree);
    print_head(66);
    for (int i = 0; i < THREADS; i++) {
        double share = i == 0 ? 0.4 : 0.6 / (THREADS - 1);
        struct samples s =
            take_samples(&tree, (uint32_t)((bytes * share > 1e5 ? bytes * share : 1e5) / 57), 1);
        uint32_t markers = s.count / 3;
        tree.depth = 0;
        print_thread_head(i, "Web Content");
        printf(",\"samples\":{\"length\":%u", s.count);
        column("stack", s.count, print_uint, s.stacks);
        column("eventDelay", s.count, print_zero, NULL);
        column("timeDeltas", s.count, print_delta, s.times);
        fputs(",\"weight\":null,\"weightType\":\"samples\"", stdout);
        column("threadCPUDelta", s.count, print_uint, s.cpu);
        printf("},\"markers\":{\"length\":%u", markers);
        column("category", markers, print_category, NULL);
        column("data", markers, print_payload, s.times);
        column("startTime", markers, print_double, s.times);
        column("endTime", markers, print_double, s.times + 1);
        column("name", markers, print_marker_name, NULL);
        column("phase", markers, print_one, NULL);
        fputs("}}", stdout);
        free_samples(&s);
    }
    fputs("],\"pages\":[],\"profilerOverhead\":[],\"counters\":[],\"shared\":{\"stringArray\":[",
          stdout);
    for (uint32_t k = 0; k < FUNCTIONS; k++) {
        putchar('"');
        print_name(k);
        fputs("\",", stdout);
    }
    fputs("\"lib0.so\",\"lib1.so\",\"lib2.so\",\"lib3.so\"]", stdout);
    print_frames(true);
    print_stacks(&tree, true);
    fputs("}}", stdout);
    free(tree.nodes);
}

/* ---- speedscope ------------------------------------------------------------------------------ */

static void print_speedscope_head(void)
{
    fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"shared\":{"
          "\"frames\":[",
          stdout);
    for (uint32_t i = 0; i < FUNCTIONS; i++) {
        fputs(i > 0 ? ",{\"name\":\"" : "{\"name\":\"", stdout);
        print_name(i);
        printf("\",\"file\":\"src/file%u.cpp\",\"line\":%u}", mix(i, 8) % 400, mix(i, 7) % 4000);
    }
    fputs("]},\"profiles\":[", stdout);
}

static void print_path(const struct tree *tree)
{
    for (uint32_t i = 0; i < tree->depth; i++)
        printf(i > 0 ? ",%u" : "%u", tree->nodes[tree->path[i]].function);
}

static void print_sampled(double bytes)
{
    struct tree tree;
    print_speedscope_head();
    for (int i = 0; i < 4; i++) {
        uint32_t count = (uint32_t)(bytes / 4 / 85);
        start(&tree);
        printf("%s{\"type\":\"sampled\",\"name\":\"thread %d\",\"unit\":\"seconds\",\"startValue\":"
               "0,\"endValue\":%u,\"samples\":[",
               i > 0 ? "," : "", i, count);
        for (uint32_t k = 0; k < count; k++) {
            sample(&tree);
            fputs(k > 0 ? ",[" : "[", stdout);
            print_path(&tree);
            putchar(']');
        }
        fputs("],\"weights\":[", stdout);
        for (uint32_t k = 0; k < count; k++)
            printf(k > 0 ? ",%.9f" : "%.9f", 0.001 + dice(1000) / 1e9);
        fputs("]}", stdout);
        free(tree.nodes);
    }
    fputs("],\"exporter\":\"make_json\"}", stdout);
}

/* Calls begin and end: `open` and `close` print one of them, at nanoseconds. */
struct calls {
    void (*open)(uint32_t function, uint64_t ns, int thread);
    void (*close)(uint32_t function, uint64_t ns, int thread);
};

static void run_calls(const struct calls *calls, uint32_t count, int thread)
{
    struct tree tree;
    uint64_t ns = 1900964963674u;
    start(&tree);
    for (uint32_t i = 0; i < count;) {
        uint32_t depth = tree.depth, kept = depth - lost(&tree);
        for (; tree.depth > kept; tree.depth--) {
            ns += 200 + dice(20000);
            calls->close(tree.nodes[top(&tree)].function, ns, thread);
        }
        for (depth = wanted_depth(); tree.depth < depth && dice(8) > 0; i++) {
            call(&tree);
            ns += 100 + dice(3000);
            calls->open(tree.nodes[top(&tree)].function, ns, thread);
        }
    }
    for (; tree.depth > 0; tree.depth--)
        calls->close(tree.nodes[top(&tree)].function, ns += 500, thread);
    free(tree.nodes);
}

static bool is_first = true;

static void separate(const char *text)
{
    if (!is_first)
        fputs(text, stdout);
    is_first = false;
}

static void open_evented(uint32_t function, uint64_t ns, int thread)
{
    (void)thread;
    separate(",");
    printf("{\"type\":\"O\",\"frame\":%u,\"at\":%.9f}", function, (double)ns / 1e9);
}

static void close_evented(uint32_t function, uint64_t ns, int thread)
{
    (void)thread;
    printf(",{\"type\":\"C\",\"frame\":%u,\"at\":%.9f}", function, (double)ns / 1e9);
}

static void print_evented(double bytes)
{
    static const struct calls calls = {open_evented, close_evented};
    print_speedscope_head();
    for (int i = 0; i < 4; i++) {
        is_first = true;
        printf("%s{\"type\":\"evented\",\"name\":\"thread %d\",\"unit\":\"seconds\",\"startValue\":"
               "0,\"endValue\":1,\"events\":[",
               i > 0 ? "," : "", i);
        run_calls(&calls, (uint32_t)(bytes / 4 / 95), i);
        fputs("]}", stdout);
    }
    fputs("]}", stdout);
}

/* ---- V8 -------------------------------------------------------------------------------------- */

static void print_call_frame(uint32_t function)
{
    printf("\"callFrame\":{\"functionName\":\"%s%u\",\"scriptId\":\"%u\",\"url\":\"file:///srv/app/"
           "node_modules/package%u/lib/file%u.js\",\"lineNumber\":%u,\"columnNumber\":%u}",
           function % 7 ? "renderView" : "get", function, mix(function, 1) % 300,
           mix(function, 1) % 300 / 4, mix(function, 1) % 300, mix(function, 2) % 3000,
           mix(function, 3) % 90);
}

static void print_cpuprofile(double bytes)
{
    struct tree tree;
    start(&tree);
    uint32_t count = (uint32_t)(bytes / 20);
    uint32_t *samples = check(malloc((count + 1) * sizeof *samples));
    for (uint32_t i = 0; i < count; i++)
        samples[i] = sample(&tree) + 1;
    fputs("{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\",\"scriptId\":\"0\","
          "\"url\":\"\",\"lineNumber\":-1,\"columnNumber\":-1},\"hitCount\":0,\"children\":[",
          stdout);
    for (uint32_t i = 0; i < tree.count; i++) {
        const struct node *node = &tree.nodes[i];
        if (i > 0) {
            printf(",{\"id\":%u,", i + 1);
            print_call_frame(node->function);
            printf(",\"hitCount\":%u", node->hits);
            if (node->first_child)
                fputs(",\"children\":[", stdout);
        }
        for (uint32_t child = node->first_child; child; child = tree.nodes[child].next_sibling)
            printf(child == node->first_child ? "%u" : ",%u", child + 1);
        if (i == 0 || node->first_child)
            putchar(']');
        if (node->hits > 0)
            printf(",\"positionTicks\":[{\"line\":%u,\"ticks\":%u}]", mix(node->function, 2) % 3000,
                   node->hits);
        putchar('}');
    }
    printf("],\"startTime\":24571466216,\"endTime\":%.0f,\"samples\":[", 24571466216 + count * 1e3);
    for (uint32_t i = 0; i < count; i++)
        printf(i > 0 ? ",%u" : "%u", samples[i]);
    fputs("],\"timeDeltas\":[", stdout);
    for (uint32_t i = 0; i < count; i++)
        printf(i > 0 ? ",%u" : "%u", 900 + dice(400));
    fputs("]}", stdout);
    free(samples);
    free(tree.nodes);
}

static void print_chunk(struct tree *tree, uint32_t *written, uint64_t us)
{
    uint32_t samples[SAMPLE_CHUNK];
    for (int i = 0; i < SAMPLE_CHUNK; i++)
        samples[i] = sample(tree) + 1;
    fputs(",\n{\"args\":{\"data\":{\"cpuProfile\":{\"nodes\":[", stdout);
    for (uint32_t i = *written; i < tree->count; i++) {
        fputs(i > *written ? ",{" : "{", stdout);
        print_call_frame(tree->nodes[i].function);
        printf(",\"id\":%u", i + 1);
        if (i > 0)
            printf(",\"parent\":%u", tree->nodes[i].parent + 1);
        putchar('}');
    }
    *written = tree->count;
    fputs("],\"samples\":[", stdout);
    for (int i = 0; i < SAMPLE_CHUNK; i++)
        printf(i > 0 ? ",%u" : "%u", samples[i]);
    fputs("]},\"lines\":[", stdout);
    for (int i = 0; i < SAMPLE_CHUNK; i++)
        printf(i > 0 ? ",%u" : "%u", mix(samples[i], 2) % 3000);
    fputs("],\"timeDeltas\":[", stdout);
    for (int i = 0; i < SAMPLE_CHUNK; i++)
        printf(i > 0 ? ",%u" : "%u", 100 + dice(60));
    printf("]}},\"cat\":\"disabled-by-default-v8.cpu_profiler\",\"id\":\"0x2\",\"name\":"
           "\"ProfileChunk\",\"ph\":\"P\",\"pid\":17,\"tid\":23,\"ts\":%llu,\"tts\":11}",
           (unsigned long long)us);
}

static void print_chunks(double bytes)
{
    struct tree tree;
    uint32_t written = 0;
    start(&tree);
    fputs("{\"traceEvents\":[\n{\"args\":{\"data\":{\"startTime\":1000}},\"cat\":"
          "\"disabled-by-default-v8.cpu_profiler\",\"id\":\"0x2\",\"name\":\"Profile\",\"ph\":"
          "\"P\",\"pid\":17,\"tid\":23,\"ts\":1000,\"tts\":10}",
          stdout);
    for (uint32_t i = 0; i < bytes / 23 / SAMPLE_CHUNK; i++)
        print_chunk(&tree, &written, 2000 + i * 130000ull);
    fputs("\n],\"metadata\":{}}", stdout);
    free(tree.nodes);
}

/* The node and what it called, as V8 writes it: values, and the children inside. */
static void print_trace_tree(const struct tree *tree)
{
    uint32_t at = 0;
    printf("[1,0,0,0,[");
    for (bool goes_down = true;;) {
        uint32_t child = goes_down ? tree->nodes[at].first_child : tree->nodes[at].next_sibling;
        if (child) {
            if (!goes_down)
                putchar(',');
            at = child;
            printf("%u,%u,%u,%u,[", at + 1, tree->nodes[at].function, tree->nodes[at].hits,
                   tree->nodes[at].hits * 48);
            goes_down = true;
        } else {
            putchar(']');
            if (at == 0)
                break;
            if (!goes_down)
                at = tree->nodes[at].parent;
            goes_down = false;
            if (at == 0) {
                putchar(']');
                return;
            }
        }
    }
    putchar(']');
}

static void print_heaptimeline(double bytes)
{
    struct tree tree;
    uint32_t objects = (uint32_t)(bytes / 75);
    start(&tree);
    printf(
        "{\"snapshot\":{\"meta\":{\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\","
        "\"edge_count\",\"trace_node_id\",\"detachedness\"],\"edge_fields\":[\"type\","
        "\"name_or_index\",\"to_node\"],\"trace_function_info_fields\":[\"function_id\",\"name\","
        "\"script_name\",\"script_id\",\"line\",\"column\"],\"trace_node_fields\":[\"id\","
        "\"function_info_index\",\"count\",\"size\",\"children\"]},\"node_count\":%u,"
        "\"edge_count\":%u,\"trace_function_count\":%u},\n\"nodes\":[",
        objects, objects * 3, (unsigned)FUNCTIONS);
    for (uint32_t i = 0; i < objects; i++)
        printf("%s%u,%u,%u,%u,3,%u,0\n", i > 0 ? "," : "", dice(14), dice(FUNCTIONS), 2 * i + 1,
               16 + dice(300), sample(&tree) + 1);
    fputs("],\n\"edges\":[", stdout);
    for (uint32_t i = 0; i < objects * 3; i++)
        printf("%s%u,%u,%u\n", i > 0 ? "," : "", dice(7), dice(5000), dice(objects) * 7);
    fputs("],\n\"trace_function_infos\":[", stdout);
    for (uint32_t i = 0; i < FUNCTIONS; i++)
        printf("%s%u,%u,%u,%u,%u,%u\n", i > 0 ? "," : "", i, i, mix(i, 1) % 300, mix(i, 1) % 300,
               mix(i, 2) % 3000, mix(i, 3) % 90);
    fputs("],\n\"trace_tree\":", stdout);
    print_trace_tree(&tree);
    fputs(",\n\"samples\":[],\n\"locations\":[],\n\"strings\":[", stdout);
    for (uint32_t i = 0; i < FUNCTIONS; i++) {
        fputs(i > 0 ? ",\n\"" : "\"", stdout);
        print_name(i);
        putchar('"');
    }
    fputs("]}", stdout);
    free(tree.nodes);
}

/* ---- Traces ---------------------------------------------------------------------------------- */

static void open_begin(uint32_t function, uint64_t ns, int thread)
{
    separate(",\n");
    printf("{\"ts\":%llu.%03u,\"ph\":\"B\",\"pid\":1,\"tid\":%d,\"name\":\"",
           (unsigned long long)(ns / 1000), (unsigned)(ns % 1000), thread);
    print_name(function);
    fputs("\"}", stdout);
}

static void close_begin(uint32_t function, uint64_t ns, int thread)
{
    printf(",\n{\"ts\":%llu.%03u,\"ph\":\"E\",\"pid\":1,\"tid\":%d,\"name\":\"",
           (unsigned long long)(ns / 1000), (unsigned)(ns % 1000), thread);
    print_name(function);
    fputs("\"}", stdout);
}

/* Whole calls are written when they end. */
static uint64_t begins[MOST_DEPTH];
static uint32_t open_count;

static void open_whole(uint32_t function, uint64_t ns, int thread)
{
    (void)function, (void)thread;
    begins[open_count++] = ns;
}

static void close_whole(uint32_t function, uint64_t ns, int thread)
{
    uint64_t begin = begins[--open_count];
    separate(",\n");
    fputs(function % 3 ? "{\"args\":{}"
                       : "{\"args\":{\"src_file\":\"../../base/task.cc\","
                         "\"src_func\":\"RunTask\"}",
          stdout);
    printf(",\"cat\":\"%s\",\"dur\":%llu,\"name\":\"",
           function % 4 ? "toplevel" : "disabled-by-default-devtools.timeline",
           (unsigned long long)((ns - begin) / 1000));
    print_name(function);
    printf("\",\"ph\":\"X\",\"pid\":%d,\"tdur\":%llu,\"tid\":%d,\"ts\":%llu,\"tts\":%llu}",
           17000 + thread / 2, (unsigned long long)((ns - begin) / 1100), 23000 + thread,
           (unsigned long long)(begin / 1000), (unsigned long long)(begin / 5000));
}

static void close_kineto(uint32_t function, uint64_t ns, int thread)
{
    static uint32_t number;
    uint64_t begin = begins[--open_count];
    separate(",\n");
    fputs("  {\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::", stdout);
    printf("op%u\", \"pid\": 493459, \"tid\": %d,\n    \"ts\": %llu.%03u, \"dur\": %llu.%03u,\n"
           "    \"args\": {\n      \"External id\": %u,\"Ev Idx\": %u",
           function % 900, 493459 + thread, (unsigned long long)(begin / 1000),
           (unsigned)(begin % 1000), (unsigned long long)((ns - begin) / 1000),
           (unsigned)((ns - begin) % 1000), number + 1, number);
    if (function % 3 == 0)
        fputs(", \"Fwd thread id\": 0, \"Sequence number\": 0", stdout);
    fputs("\n    }\n  }", stdout);
    number++;
}

static void print_events(double bytes, const struct calls *calls, double bytes_a_call)
{
    fputs("{\"traceEvents\":[\n", stdout);
    for (int i = 0; i < 6; i++)
        run_calls(calls, (uint32_t)(bytes / 6 / bytes_a_call), i);
    fputs("\n],\"displayTimeUnit\":\"ns\"}\n", stdout);
}

static void print_trace(double bytes)
{
    static const struct calls calls = {open_whole, close_whole};
    print_events(bytes, &calls, 205);
}

static void print_begin_end(double bytes)
{
    static const struct calls calls = {open_begin, close_begin};
    print_events(bytes, &calls, 166);
}

static void print_kineto(double bytes)
{
    static const struct calls calls = {open_whole, close_kineto};
    print_events(bytes, &calls, 215);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*print)(double bytes);
    } kinds[] = {{"samply", print_samply},         {"firefox", print_firefox},
                 {"sampled", print_sampled},       {"evented", print_evented},
                 {"cpuprofile", print_cpuprofile}, {"trace", print_trace},
                 {"begin-end", print_begin_end},   {"kineto", print_kineto},
                 {"chunks", print_chunks},         {"heaptimeline", print_heaptimeline}};
    double bytes = argc == 3 ? strtod(argv[2], NULL) * 1e6 : 0;
    for (size_t i = 0; bytes > 0 && i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(argv[1], kinds[i].name) == 0) {
            kinds[i].print(bytes);
            return fflush(stdout) != 0;
        }
    fputs("make_json KIND MEGABYTES > FILE\n", stderr);
    return 2;
}
