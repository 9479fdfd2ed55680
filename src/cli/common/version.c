#include "cli/common/version.h"

#include <stdio.h>

#include "flamel/flamel.h"

/* What the package that a part needs was not there for, or not wanted: mk/compile.mk. */
static const char *const left_out[] = {
#ifdef __wasi__
    "record",
    "probe",
    "top",
    "serve",
    "store",
    "query",
    "mcp",
    "names from programs",
#elif defined FLAMEL_STATIC
    "serve", "store", "probe", "record --java",
#else
#ifndef FLAMEL_YAML
    "serve --config (libyaml)",
#endif
#ifndef FLAMEL_NGHTTP2
    "gRPC (libnghttp2)",
#endif
#endif
#ifndef FLAMEL_CAIRO
    "PNG (cairo)",
#endif
#ifndef FLAMEL_CURL
    "URLs (libcurl)",
#endif
#ifndef FLAMEL_ARCHIVE
    "archives (libarchive)",
#endif
#ifndef FLAMEL_DEBUGINFOD
    "--debuginfod (libdebuginfod)",
#endif
#ifndef FLAMEL_CAPSTONE
    "machine code (libcapstone)",
#endif
    NULL,
};

void flm_print_version(void)
{
    printf("flamel %s\n", flm_version());
#ifdef __wasi__
    printf("WebAssembly, ");
#elif defined FLAMEL_STATIC
    printf("one static file, ");
#endif
    for (size_t i = 0; left_out[i]; i++)
        printf("%s%s", i == 0 ? "without: " : ", ", left_out[i]);
    if (left_out[0])
        printf("\n");
}
