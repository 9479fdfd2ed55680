/* file_only.c - in place of probe/output, so that the library needs nothing of libflamel: a program
 * then measures into its file, and writes nothing else. tests/probe/arm64.sh compiles only that. */
#include <stdbool.h>
#include <stdint.h>

#include "internal.h"

uint32_t flm_service_tid;

bool flm_outputs_write(void)
{
    return true;
}

void flm_outputs_begin(const char *text)
{
    (void)text;
}

void flm_outputs_of_child(void)
{
}

void flm_service_start(void)
{
}

void flm_service_of_child(void)
{
}

void flm_service_end(void)
{
}
