/* gecko.c - profiles of samply and of the Firefox Profiler. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "make_json/sampled_program.h"
#include "make_json/writers.h"

enum { THREADS = 12 };

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
    const struct program *program = of;
    uint32_t parent = program->nodes[i + 1].parent;
    if (parent)
        printf("%u", parent - 1);
    else
        fputs("null", stdout);
}

static void print_prefix_offset(const void *of, uint32_t i)
{
    const struct program *program = of;
    uint32_t parent = program->nodes[i + 1].parent;
    printf("%u", parent ? i + 1 - parent : 0);
}

static void print_function(const void *of, uint32_t i)
{
    printf("%u", ((const struct program *)of)->nodes[i + 1].function);
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

/* ---- Threads and their samples --------------------------------------------------------------- */

struct samples {
    uint32_t *stacks, *cpu, *weights, count;
    double *times;
};

static struct samples take_samples(struct program *program, uint32_t count, double interval_ms)
{
    struct samples s = {.count = count};
    double time = dice(1000);
    s.stacks = check_memory(malloc(count * sizeof *s.stacks));
    s.cpu = check_memory(malloc(count * sizeof *s.cpu));
    s.weights = check_memory(malloc(count * sizeof *s.weights));
    s.times = check_memory(malloc(count * sizeof *s.times));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t steps = dice(20) == 0 ? 1 + dice(40) : 1;
        s.stacks[i] = program_sample(program) - 1;
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

static void print_stacks(const struct program *program, bool has_offsets)
{
    printf(",\"stackTable\":{\"length\":%u", program->count - 1);
    column("frame", program->count - 1, print_function, program);
    if (has_offsets) {
        column("prefixOffset", program->count - 1, print_prefix_offset, program);
    } else {
        column("prefix", program->count - 1, print_prefix, program);
        column("category", program->count - 1, print_one, program);
        column("subcategory", program->count - 1, print_zero, program);
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

void print_samply(double bytes)
{
    print_head(41);
    for (int i = 0; i < THREADS; i++) {
        struct program program;
        program_start(&program);
        /* The first thread has half of the samples. */
        double share = i == 0 ? 0.5 : 0.5 / (THREADS - 1), rest = bytes * share - 1.7e6;
        struct samples s =
            take_samples(&program, (uint32_t)((rest > 0 ? rest : bytes * share / 4) / 24.5), 1);
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
        print_stacks(&program, false);
        fputs(",\"stringArray\":[", stdout);
        for (uint32_t k = 0; k < FUNCTIONS; k++)
            printf("\"0x%x\",", mix(k, 5) % 3000000);
        fputs("\"lib0.so\",\"lib1.so\",\"lib2.so\",\"lib3.so\"]}", stdout);
        free_samples(&s);
        free(program.nodes);
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

void print_firefox(double bytes)
{
    struct program program;
    program_start(&program);
    print_head(66);
    for (int i = 0; i < THREADS; i++) {
        double share = i == 0 ? 0.4 : 0.6 / (THREADS - 1);
        struct samples s =
            take_samples(&program, (uint32_t)((bytes * share > 1e5 ? bytes * share : 1e5) / 57), 1);
        uint32_t markers = s.count / 3;
        program.depth = 0;
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
        print_function_name(k);
        fputs("\",", stdout);
    }
    fputs("\"lib0.so\",\"lib1.so\",\"lib2.so\",\"lib3.so\"]", stdout);
    print_frames(true);
    print_stacks(&program, true);
    fputs("}}", stdout);
    free(program.nodes);
}
