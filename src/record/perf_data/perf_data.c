#include "record/perf_data/perf_data.h"

#include <assert.h>

#include "format/perf_data/perf_data_reader.h"
#include "os/input.h"
#include "record/perf_data/kernel_version.h"
#include "record/symbols/symbolized_session.h"

struct file {
    const struct flm_input *whole;
    struct flm_input *open; /* a part of it; NULL: none */
};

static struct flm_source *source_of(struct file *file, struct flm_input *input)
{
    file->open = input;
    return input ? flm_input_source(input) : NULL;
}

static struct flm_source *open_bytes(void *context, uint64_t from, uint64_t to,
                                     struct flm_error *why)
{
    struct file *file = context;
    return source_of(file, flm_input_open_chunk(file->whole, from, to, why));
}

static struct flm_source *open_part(void *context, unsigned number, struct flm_error *why)
{
    struct file *file = context;
    return source_of(file, flm_input_open_part(file->whole, number, why));
}

static void close_bytes(void *context)
{
    struct file *file = context;
    flm_input_close(file->open);
    file->open = NULL;
}

struct flm_session *flm_perf_data_read(struct flm_source *source, const struct flm_input *file,
                                       const struct flm_session_options *options,
                                       struct flm_error *why)
{
    assert(source && options);
    struct file of_system = {.whole = file};
    const struct flm_perf_data_system system = {
        .context = &of_system,
        .kernel_is_ours = flm_kernel_is_ours,
        .is_file = file != NULL,
        .size = file ? flm_input_size(file) : 0,
        .written_ns = file ? flm_input_written_ns(file) : 0,
        .open = open_bytes,
        .open_part = open_part,
        .close = close_bytes,
    };
    struct flm_session *session = flm_session_new(options, why);
    if (session && flm_perf_data_add(session, source, &system, why))
        return session;
    flm_session_free(session);
    return NULL;
}
