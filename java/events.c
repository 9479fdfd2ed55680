/* events.c - allocations, monitors and parks: what the VM tells in the thread itself. */
#include <string.h>

#include "java/internal.h"

void events_begin(jni *env, function callbacks[EVENTS_COUNT])
{
    (void)env;
    (void)callbacks;
}

void events_end(jni *env)
{
    (void)env;
}
