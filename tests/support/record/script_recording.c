#include "support/record/script_recording.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "algebra/aggregate/functions.h"
#include "base/regex/glob.h"
#include "profile/columns.h"
#include "record/capture/recorder.h"
#include "support/core/files.h"

enum { MOST = 16 };

static double total_of(const struct flm_profile *p, const struct flm_functions *functions,
                       const char *name)
{
    double total = 0;
    for (uint32_t i = 0; i < functions->count; i++)
        if (flm_glob_matches(flm_bytes_of(name), flm_string_bytes(p, functions->function[i].name)))
            total += functions->function[i].total;
    return total;
}

static void read_seconds(const char *path, double *seconds, size_t count)
{
    struct flm_text text = read_file(path);
    flm_text_putc(&text, 0);
    char *at = text.at;
    for (size_t i = 0; i < count; i++) {
        char *end;
        seconds[i] = strtod(at, &end);
        assert_true(end > at);
        at = end;
    }
    flm_text_clear(&text);
}

static bool check_shares(const struct flm_profile *p, const double *seconds,
                         const char *const *names, size_t count, double hz, bool off_cpu)
{
    struct flm_functions functions;
    double found[MOST], all_seconds = 0, all_found = 0;
    const char *metric = off_cpu ? "off-cpu" : "samples";
    double unit = off_cpu ? 1e9 : hz;
    assert_true(flm_functions_init(&functions, p, NULL));
    assert_true(flm_functions_measure(&functions, p, flm_profile_metric_named(p, metric), NULL));
    for (size_t i = 0; i < count; i++) {
        all_seconds += seconds[i];
        all_found += found[i] = total_of(p, &functions, names[i]);
    }
    flm_functions_clear(&functions);
    double missing = fmax(0, 1 - all_found / (unit * all_seconds));
    if (missing > 0.1 || all_found <= 0) {
        print_message("%.1f %% of the samples are missing\n", 100 * missing);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        double is = found[i] / all_found, expected = seconds[i] / all_seconds;
        if (fabs(is - expected) > 0.02 + missing)
            fail_msg("%s has %.1f %%, not %.1f %%, %.1f %% of the samples are missing", names[i],
                     100 * is, 100 * expected, 100 * missing);
    }
    return true;
}

/* Another build of the interpreter, say: the reason is noted. */
static bool was_refused(const struct flm_profile *p)
{
    const struct flm_note_record *notes = flm_profile_notes(p);
    for (uint32_t i = 0; i < flm_profile_note_count(p); i++) {
        struct flm_bytes value = flm_string_bytes(p, notes[i].value);
        if (!flm_bytes_end_with(flm_string_bytes(p, notes[i].key), " (not read)"))
            continue;
        print_message("%.*s\n", (int)value.size, value.at);
        return true;
    }
    return false;
}

bool script_shares_are_found(char *const *command, const char *measured,
                             const char *const *functions, size_t count, bool off_cpu)
{
    enum { TRIES = 5 };
    const struct flm_record_options o = {
        .command = command, .path = getenv("PATH"), .off_cpu = off_cpu};
    bool good = false, is_refused = false;
    assert_true(count <= MOST);
    for (int i = 0; i < TRIES && !good && !is_refused; i++) {
        struct flm_error why;
        struct flm_recorder *recorder = flm_recorder_new(&o, &why);
        if (!recorder) {
            print_message("not recorded: %s\n", why.text);
            return false;
        }
        if (!flm_recorder_run(recorder, NULL, NULL, &why))
            fail_msg("%s", why.text);
        struct flm_builder *builder = flm_builder_new(NULL);
        if (!flm_session_finish(flm_recorder_session(recorder), builder, NULL, NULL, &why))
            fail_msg("%s", why.text);
        struct flm_profile *profile = flm_builder_finish(builder, &why);
        assert_non_null(profile);
        double seconds[MOST];
        read_seconds(measured, seconds, count);
        is_refused = was_refused(profile);
        good = !is_refused && check_shares(profile, seconds, functions, count,
                                           flm_recorder_result(recorder).requested_hz, off_cpu);
        flm_profile_free(profile);
        flm_recorder_free(recorder);
    }
    return good;
}

const char *script_interpreter(const char *const *names, size_t count)
{
    static char path[64];
    for (size_t i = 0; i < count; i++) {
        snprintf(path, sizeof path, "/usr/bin/%s", names[i]);
        if (access(path, X_OK) == 0)
            return path;
    }
    return NULL;
}
