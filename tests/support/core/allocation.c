#include "support/core/allocation.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

/* The linker's --wrap: a call of malloc is one of __wrap_malloc, and __real_malloc is malloc. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

/* Atomic, because the library's callers may be threads. */
static atomic_size_t count;
static atomic_size_t first = SIZE_MAX; /* the first that fails */
static atomic_size_t last = SIZE_MAX;  /* and the last */
static atomic_bool failed;

static void start(size_t from, size_t to)
{
    first = from;
    last = to;
    count = 0;
    failed = false;
}

void allocation_fail_from(size_t nth)
{
    start(nth ? nth : SIZE_MAX, SIZE_MAX);
}

void allocation_fail_once(size_t nth)
{
    start(nth ? nth : SIZE_MAX, nth ? nth : SIZE_MAX);
}

bool allocation_has_failed(void)
{
    return failed;
}

size_t allocation_count(void)
{
    return count;
}

static bool fails(void)
{
    size_t nth = ++count;
    if (nth < first || nth > last)
        return false;
    failed = true;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t items, size_t size)
{
    return fails() ? NULL : __real_calloc(items, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return fails() ? NULL : __real_realloc(memory, size);
}
