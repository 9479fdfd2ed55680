/* speedscope.c - sampled and evented profiles of speedscope. */
#include <stdio.h>
#include <stdlib.h>

#include "make_json/run_calls.h"
#include "make_json/sampled_program.h"
#include "make_json/writers.h"

static void print_speedscope_head(void)
{
    fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"shared\":{"
          "\"frames\":[",
          stdout);
    for (uint32_t i = 0; i < FUNCTIONS; i++) {
        fputs(i > 0 ? ",{\"name\":\"" : "{\"name\":\"", stdout);
        print_function_name(i);
        printf("\",\"file\":\"src/file%u.cpp\",\"line\":%u}", mix(i, 8) % 400, mix(i, 7) % 4000);
    }
    fputs("]},\"profiles\":[", stdout);
}

static void print_path(const struct program *program)
{
    for (uint32_t i = 0; i < program->depth; i++)
        printf(i > 0 ? ",%u" : "%u", program->nodes[program->path[i]].function);
}

void print_sampled(double bytes)
{
    struct program program;
    print_speedscope_head();
    for (int i = 0; i < 4; i++) {
        uint32_t count = (uint32_t)(bytes / 4 / 85);
        program_start(&program);
        printf("%s{\"type\":\"sampled\",\"name\":\"thread %d\",\"unit\":\"seconds\",\"startValue\":"
               "0,\"endValue\":%u,\"samples\":[",
               i > 0 ? "," : "", i, count);
        for (uint32_t k = 0; k < count; k++) {
            program_sample(&program);
            fputs(k > 0 ? ",[" : "[", stdout);
            print_path(&program);
            putchar(']');
        }
        fputs("],\"weights\":[", stdout);
        for (uint32_t k = 0; k < count; k++)
            printf(k > 0 ? ",%.9f" : "%.9f", 0.001 + dice(1000) / 1e9);
        fputs("]}", stdout);
        free(program.nodes);
    }
    fputs("],\"exporter\":\"make_json\"}", stdout);
}

static void open_evented(uint32_t function, uint64_t ns, int thread)
{
    (void)thread;
    print_separator(",");
    printf("{\"type\":\"O\",\"frame\":%u,\"at\":%.9f}", function, (double)ns / 1e9);
}

static void close_evented(uint32_t function, uint64_t ns, int thread)
{
    (void)thread;
    printf(",{\"type\":\"C\",\"frame\":%u,\"at\":%.9f}", function, (double)ns / 1e9);
}

void print_evented(double bytes)
{
    static const struct calls calls = {open_evented, close_evented};
    print_speedscope_head();
    for (int i = 0; i < 4; i++) {
        print_no_separator();
        printf("%s{\"type\":\"evented\",\"name\":\"thread %d\",\"unit\":\"seconds\",\"startValue\":"
               "0,\"endValue\":1,\"events\":[",
               i > 0 ? "," : "", i);
        run_calls(&calls, (uint32_t)(bytes / 4 / 95), i);
        fputs("]}", stdout);
    }
    fputs("]}", stdout);
}
