/* traces.c - traces of calls: Chrome, uftrace, PyTorch. */
#include <stdio.h>

#include "make_json/run_calls.h"
#include "make_json/sampled_program.h"
#include "make_json/writers.h"

static void open_begin(uint32_t function, uint64_t ns, int thread)
{
    print_separator(",\n");
    printf("{\"ts\":%llu.%03u,\"ph\":\"B\",\"pid\":1,\"tid\":%d,\"name\":\"",
           (unsigned long long)(ns / 1000), (unsigned)(ns % 1000), thread);
    print_function_name(function);
    fputs("\"}", stdout);
}

static void close_begin(uint32_t function, uint64_t ns, int thread)
{
    printf(",\n{\"ts\":%llu.%03u,\"ph\":\"E\",\"pid\":1,\"tid\":%d,\"name\":\"",
           (unsigned long long)(ns / 1000), (unsigned)(ns % 1000), thread);
    print_function_name(function);
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
    print_separator(",\n");
    fputs(function % 3 ? "{\"args\":{}"
                       : "{\"args\":{\"src_file\":\"../../base/task.cc\","
                         "\"src_func\":\"RunTask\"}",
          stdout);
    printf(",\"cat\":\"%s\",\"dur\":%llu,\"name\":\"",
           function % 4 ? "toplevel" : "disabled-by-default-devtools.timeline",
           (unsigned long long)((ns - begin) / 1000));
    print_function_name(function);
    printf("\",\"ph\":\"X\",\"pid\":%d,\"tdur\":%llu,\"tid\":%d,\"ts\":%llu,\"tts\":%llu}",
           17000 + thread / 2, (unsigned long long)((ns - begin) / 1100), 23000 + thread,
           (unsigned long long)(begin / 1000), (unsigned long long)(begin / 5000));
}

static void close_kineto(uint32_t function, uint64_t ns, int thread)
{
    static uint32_t number;
    uint64_t begin = begins[--open_count];
    print_separator(",\n");
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

void print_trace(double bytes)
{
    static const struct calls calls = {open_whole, close_whole};
    print_events(bytes, &calls, 205);
}

void print_begin_end(double bytes)
{
    static const struct calls calls = {open_begin, close_begin};
    print_events(bytes, &calls, 166);
}

void print_kineto(double bytes)
{
    static const struct calls calls = {open_whole, close_kineto};
    print_events(bytes, &calls, 215);
}
