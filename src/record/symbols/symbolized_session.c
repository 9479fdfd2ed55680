#include "record/symbols/symbolized_session.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>

#include "record/runtime/proc_stat.h"
#include "record/runtimes.h"
#include "record/symbols/internal.h"
#include "symbol/registry/preloader.h"

struct flm_symbols *flm_session_symbols(const struct flm_session *session)
{
    return (struct flm_symbols *)session->symbolizer;
}

static struct flm_symbols *symbols_of(struct flm_symbolizer *self)
{
    return (struct flm_symbols *)self;
}

static void symbols_free(struct flm_symbolizer *self)
{
    struct flm_symbols *symbols = symbols_of(self);
    if (!symbols)
        return;
    flm_preloader_free(symbols->preloader);
    if (symbols->are_modules_ours)
        flm_modules_free(symbols->modules);
    flm_runtime_search_clear(&symbols->search);
    flm_symbols_forget_code(symbols);
    for (size_t i = 0; i < symbols->runtime_files.count; i++)
        free(symbols->runtime_files.at[i].path.at);
    free(symbols->runtime_files.at);
    free(symbols);
}

/* ---- Modules --------------------------------------------------------------------------------- */

static struct flm_module *module(struct flm_symbolizer *self,
                                 const struct flm_module_request *request)
{
    return flm_modules_get(symbols_of(self)->modules, request);
}

static bool forget(struct flm_symbolizer *self, flm_process_predicate is_known, void *context)
{
    return flm_modules_forget_requests(symbols_of(self)->modules, is_known, context);
}

static void kernel(struct flm_symbolizer *self, bool is_ours)
{
    flm_modules_kernel(symbols_of(self)->modules, is_ours);
}

static void recorded(struct flm_symbolizer *self, int64_t from_ns, int64_t until_ns)
{
    flm_modules_recorded(symbols_of(self)->modules, from_ns, until_ns);
}

struct flm_bytes flm_own_vdso(void)
{
    union {
        unsigned long number;
        const char *at;
    } start = {getauxval(AT_SYSINFO_EHDR)};
    if (!start.number)
        return (struct flm_bytes){0};
    ElfW(Ehdr) header;
    memcpy(&header, start.at, sizeof header);
    size_t size = header.e_shoff + (size_t)header.e_shentsize * header.e_shnum;
    return (struct flm_bytes){start.at, size};
}

/* ---- Files of runtimes ----------------------------------------------------------------------- */

static bool add_runtime_file(struct flm_symbols *s, const struct flm_event *event,
                             const struct flm_runtime *runtime)
{
    for (size_t i = 0; i < s->runtime_files.count; i++)
        if (s->runtime_files.at[i].process == event->process &&
            flm_bytes_equal(flm_owned_string_bytes(&s->runtime_files.at[i].path), event->map.path))
            return true;
    if (!FLM_ARRAY_RESERVE(&s->runtime_files, 1))
        return false;
    struct flm_runtime_file file = {.process = event->process, .runtime = runtime};
    if (!flm_owned_string_init(&file.path, event->map.path))
        return false;
    s->runtime_files.at[s->runtime_files.count++] = file;
    return true;
}

static bool map(struct flm_symbolizer *self, const struct flm_event *event, bool *is_announced,
                bool *has_times)
{
    const struct flm_runtime *runtime = flm_runtime_of_file(event->map.path);
    *is_announced = runtime != NULL;
    if (!runtime)
        return true;
    *has_times |= runtime->has_times;
    return add_runtime_file(symbols_of(self), event, runtime);
}

/* ---- The symbolizer -------------------------------------------------------------------------- */

static const char *const unwind_losses[FLM_UNWIND_ENDS] = {
    [FLM_UNWIND_BEYOND_DUMP] = "outer frames of truncated stacks (deeper than the stack dump)",
    [FLM_UNWIND_BELOW_SIGNAL] =
        "outer frames of truncated stacks (below a signal handler on its own stack)",
    [FLM_UNWIND_OTHER_STACK] =
        "outer frames of truncated stacks (on another stack, or more than 64 KiB away)",
    [FLM_UNWIND_UNREADABLE] = "outer frames of truncated stacks (stack memory not readable)",
    [FLM_UNWIND_NO_TABLE] = "outer frames of truncated stacks (code without unwind tables)",
    [FLM_UNWIND_NO_MODULE] = "outer frames of truncated stacks (address in no mapping)",
    [FLM_UNWIND_CORRUPT] = "outer frames of truncated stacks (corrupt stack)",
    [FLM_UNWIND_TOO_DEEP] = "outer frames of truncated stacks (more than 1024 user frames)",
};

static const struct flm_symbolizer_calls calls = {
    .free = symbols_free,
    .module = module,
    .path = flm_module_path,
    .address = flm_module_address,
    .own_vdso = flm_own_vdso,
    .forget = forget,
    .kernel = kernel,
    .recorded = recorded,
    .map = map,
    .runs = flm_process_runs,
    .unwind = flm_symbols_unwind,
    .unwind_losses = unwind_losses,
    .begin = flm_symbols_begin,
    .begin_owner = flm_symbols_begin_owner,
    .name = flm_symbols_name,
    .end = flm_symbols_end,
    .explain = flm_symbols_explain,
};

static struct flm_symbols *symbols_new(struct flm_modules *modules)
{
    struct flm_symbols *symbols = calloc(1, sizeof *symbols);
    if (!symbols)
        return NULL;
    symbols->symbolizer.calls = &calls;
    symbols->modules = modules;
    symbols->usual_priority = getpriority(PRIO_PROCESS, 0);
    return symbols;
}

struct flm_symbolizer *flm_modules_symbolizer(struct flm_modules *modules)
{
    return (struct flm_symbolizer *)symbols_new(modules);
}

struct flm_session *flm_session_new(const struct flm_session_options *options,
                                    struct flm_error *why)
{
    struct flm_modules_options of_modules = options->symbols;
    of_modules.kernel_is_ours = options->kernel_is_ours;
    struct flm_modules *modules = flm_modules_new(&of_modules, why);
    struct flm_symbols *symbols = modules ? symbols_new(modules) : NULL;
    if (!symbols) {
        flm_modules_free(modules);
        flm_error_memory(why);
        return NULL;
    }
    symbols->are_modules_ours = true;
    return flm_session_begin(options, &symbols->symbolizer, why);
}

static void report_lost(void *session, const char *what, double count)
{
    flm_session_lost(session, what, count);
}

static void report_note(void *session, const char *key, struct flm_bytes value)
{
    flm_session_note(session, key, value);
}

struct flm_runtime_report flm_session_report(struct flm_session *s)
{
    return (struct flm_runtime_report){.session = s, .lost = report_lost, .note = report_note};
}
