/* v8.c - profiles of V8: nodes and samples, chunks of a trace, objects and their allocations. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "make_json/sampled_program.h"
#include "make_json/writers.h"

enum { SAMPLE_CHUNK = 1000 };

static void print_call_frame(uint32_t function)
{
    printf("\"callFrame\":{\"functionName\":\"%s%u\",\"scriptId\":\"%u\",\"url\":\"file:///srv/app/"
           "node_modules/package%u/lib/file%u.js\",\"lineNumber\":%u,\"columnNumber\":%u}",
           function % 7 ? "renderView" : "get", function, mix(function, 1) % 300,
           mix(function, 1) % 300 / 4, mix(function, 1) % 300, mix(function, 2) % 3000,
           mix(function, 3) % 90);
}

void print_cpuprofile(double bytes)
{
    struct program program;
    program_start(&program);
    uint32_t count = (uint32_t)(bytes / 20);
    uint32_t *samples = check_memory(malloc((count + 1) * sizeof *samples));
    for (uint32_t i = 0; i < count; i++)
        samples[i] = program_sample(&program) + 1;
    fputs("{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\",\"scriptId\":\"0\","
          "\"url\":\"\",\"lineNumber\":-1,\"columnNumber\":-1},\"hitCount\":0,\"children\":[",
          stdout);
    for (uint32_t i = 0; i < program.count; i++) {
        const struct node *node = &program.nodes[i];
        if (i > 0) {
            printf(",{\"id\":%u,", i + 1);
            print_call_frame(node->function);
            printf(",\"hitCount\":%u", node->hits);
            if (node->first_child)
                fputs(",\"children\":[", stdout);
        }
        for (uint32_t child = node->first_child; child; child = program.nodes[child].next_sibling)
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
    free(program.nodes);
}

static void print_chunk(struct program *program, uint32_t *written, uint64_t us)
{
    uint32_t samples[SAMPLE_CHUNK];
    for (int i = 0; i < SAMPLE_CHUNK; i++)
        samples[i] = program_sample(program) + 1;
    fputs(",\n{\"args\":{\"data\":{\"cpuProfile\":{\"nodes\":[", stdout);
    for (uint32_t i = *written; i < program->count; i++) {
        fputs(i > *written ? ",{" : "{", stdout);
        print_call_frame(program->nodes[i].function);
        printf(",\"id\":%u", i + 1);
        if (i > 0)
            printf(",\"parent\":%u", program->nodes[i].parent + 1);
        putchar('}');
    }
    *written = program->count;
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

void print_chunks(double bytes)
{
    struct program program;
    uint32_t written = 0;
    program_start(&program);
    fputs("{\"traceEvents\":[\n{\"args\":{\"data\":{\"startTime\":1000}},\"cat\":"
          "\"disabled-by-default-v8.cpu_profiler\",\"id\":\"0x2\",\"name\":\"Profile\",\"ph\":"
          "\"P\",\"pid\":17,\"tid\":23,\"ts\":1000,\"tts\":10}",
          stdout);
    for (uint32_t i = 0; i < bytes / 23 / SAMPLE_CHUNK; i++)
        print_chunk(&program, &written, 2000 + i * 130000ull);
    fputs("\n],\"metadata\":{}}", stdout);
    free(program.nodes);
}

/* The node and what it called, as V8 writes it: values, and the children inside. */
static void print_trace_tree(const struct program *program)
{
    uint32_t at = 0;
    printf("[1,0,0,0,[");
    for (bool goes_down = true;;) {
        uint32_t child =
            goes_down ? program->nodes[at].first_child : program->nodes[at].next_sibling;
        if (child) {
            if (!goes_down)
                putchar(',');
            at = child;
            printf("%u,%u,%u,%u,[", at + 1, program->nodes[at].function, program->nodes[at].hits,
                   program->nodes[at].hits * 48);
            goes_down = true;
        } else {
            putchar(']');
            if (at == 0)
                break;
            if (!goes_down)
                at = program->nodes[at].parent;
            goes_down = false;
            if (at == 0) {
                putchar(']');
                return;
            }
        }
    }
    putchar(']');
}

void print_heaptimeline(double bytes)
{
    struct program program;
    uint32_t objects = (uint32_t)(bytes / 75);
    program_start(&program);
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
               16 + dice(300), program_sample(&program) + 1);
    fputs("],\n\"edges\":[", stdout);
    for (uint32_t i = 0; i < objects * 3; i++)
        printf("%s%u,%u,%u\n", i > 0 ? "," : "", dice(7), dice(5000), dice(objects) * 7);
    fputs("],\n\"trace_function_infos\":[", stdout);
    for (uint32_t i = 0; i < FUNCTIONS; i++)
        printf("%s%u,%u,%u,%u,%u,%u\n", i > 0 ? "," : "", i, i, mix(i, 1) % 300, mix(i, 1) % 300,
               mix(i, 2) % 3000, mix(i, 3) % 90);
    fputs("],\n\"trace_tree\":", stdout);
    print_trace_tree(&program);
    fputs(",\n\"samples\":[],\n\"locations\":[],\n\"strings\":[", stdout);
    for (uint32_t i = 0; i < FUNCTIONS; i++) {
        fputs(i > 0 ? ",\n\"" : "\"", stdout);
        print_function_name(i);
        putchar('"');
    }
    fputs("]}", stdout);
    free(program.nodes);
}
