/* Any bytes as perf.data, with all of it in memory: read or refused, and what is read is a profile
 * that keeps all its promises. No symbols are asked for: files of this machine are no input, so
 * what leads to them is overwritten: paths, and the kernel's release, without which it is not taken
 * for ours. (With them it was 9 inputs a second, most of it reading /proc/kallsyms.) */
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "format/perf_data/perf_data_reader.h"
#include "profile/columns.h"
#include "record/perf_data/perf_data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void promise(bool kept)
{
    if (!kept)
        abort();
}

static void overwrite(char *bytes, size_t size, const char *text)
{
    size_t length = strlen(text);
    for (char *at; (at = memmem(bytes, size, text, length));) {
        at[1] = '~';
        size -= (size_t)(at + 1 - bytes);
        bytes = at + 1;
    }
}

/* As a page does. */
static void read_without_symbols(struct flm_bytes bytes)
{
    const struct flm_read_options options = {.keep_times = bytes.size % 5 != 0};
    struct flm_source source = flm_source_of(bytes);
    struct flm_error why = {0};
    struct flm_builder *builder = flm_builder_new(&why);
    promise(builder != NULL);
    if (!flm_format_perf_addresses.read(&source, &options, builder, &why)) {
        promise(why.kind != FLM_ERROR_NONE);
        flm_builder_free(builder);
        return;
    }
    struct flm_profile *profile = flm_builder_finish(builder, &why);
    promise(profile || why.kind == FLM_ERROR_RANGE);
    promise(!profile || flm_profile_check(profile, &why));
    flm_profile_free(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct utsname system;
    char *bytes = malloc(size + 1);
    promise(bytes && uname(&system) == 0);
    memcpy(bytes, data, size);
    overwrite(bytes, size, "/usr/");
    overwrite(bytes, size, "/lib");
    overwrite(bytes, size, system.release);
    read_without_symbols((struct flm_bytes){bytes, size});
    struct flm_session_options options = {
        .symbols = {.names_only = true}, .keep_times = size % 2, .per_thread = size % 3 == 0};
    struct flm_source source = flm_source_of((struct flm_bytes){bytes, size});
    struct flm_error why = {0};
    struct flm_session *session = flm_perf_data_read(&source, NULL, &options, &why);
    promise(session || why.kind != FLM_ERROR_NONE);
    if (!session) {
        free(bytes);
        return 0;
    }
    struct flm_builder *builder = flm_builder_new(&why);
    promise(builder != NULL);
    promise(flm_session_finish(session, builder, NULL, NULL, &why));
    struct flm_profile *profile = flm_builder_finish(builder, &why);
    promise(profile || why.kind == FLM_ERROR_RANGE);
    promise(!profile || flm_profile_check(profile, &why));
    flm_profile_free(profile);
    flm_session_free(session);
    free(bytes);
    return 0;
}
