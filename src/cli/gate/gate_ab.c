#include "cli/gate/gate_ab.h"

#include <string.h>

#include "cli/common/messages.h"
#include "flamel/gate.h"

enum { USUAL_RUNS = 20, RUNS_OF_A_LOOK = 8, USUAL_LOOKS = 3, MOST_RUNS = 10000 };

static const char usual_folder[] = "flamel-ab";

bool flm_gate_ab_is_given(const struct flm_gate_ab_fields *f)
{
    const struct flm_record_fields *r = &f->record;
    bool records = r->call_graph || r->events.count > 0 || r->frequency || r->period == r->period ||
                   r->ring_mib >= 0 || r->stack_size >= 0 || r->off_cpu || r->no_kernel ||
                   r->no_inherit || r->per_thread || r->python || r->no_runtime || r->call_stacks;
    return f->commands.count > 0 || f->runs >= 0 || f->warm_up >= 0 || f->looks >= 0 ||
           f->sequential || f->folder || f->processors || f->duration || records;
}

/* Few runs cannot be significant, whatever they show: that is better said before they are made. */
static bool check_runs(const struct flm_gate_ab *gate, double alpha, struct flm_error *why)
{
    if (!(alpha > 0))
        return true;
    double level = flm_gate_ab_level(gate, alpha);
    uint32_t least = flm_gate_least_runs(level, true), most = gate->runs_each * gate->look_count;
    return least <= most ||
           flm_error_set(
               why, FLM_ERROR_USAGE,
               "-n %u: with so few runs nothing can be significant at that alpha, whatever they "
               "show: %u of each command are needed, in blocks of old new new old",
               gate->runs_each, (least + gate->look_count - 1) / gate->look_count);
}

static bool read_numbers(struct flm_gate_ab *gate, const struct flm_gate_ab_fields *f,
                         struct flm_error *why)
{
    if (f->commands.count != 2)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "--ab takes two commands, each quoted as one word: --ab './old args' "
                             "'./new args'");
    if (f->looks == 0 || f->looks > FLM_GATE_MOST_LOOKS)
        return flm_error_set(why, FLM_ERROR_USAGE, "--looks is 1 to %d", FLM_GATE_MOST_LOOKS);
    gate->look_count = f->looks > 0 ? (uint32_t)f->looks : f->sequential ? USUAL_LOOKS : 1;
    gate->runs_each = f->runs >= 0           ? (uint32_t)f->runs
                      : gate->look_count > 1 ? RUNS_OF_A_LOOK
                                             : USUAL_RUNS;
    if (gate->runs_each < 2 || gate->runs_each > MOST_RUNS)
        return flm_error_set(why, FLM_ERROR_USAGE, "-n is 2 to %d runs of each command", MOST_RUNS);
    if (f->warm_up > MOST_RUNS)
        return flm_error_set(why, FLM_ERROR_USAGE, "--warm-up is %d at most", MOST_RUNS);
    return true;
}

bool flm_gate_ab_open(struct flm_gate_ab *gate, const struct flm_gate_ab_fields *f,
                      const struct flm_load_fields *load, double alpha, bool allows_failed,
                      struct flm_error *why)
{
    *gate = (struct flm_gate_ab){.ab = {.log = -1}};
    struct flm_record_options *recorder = &gate->recorder;
    if (!read_numbers(gate, f, why) || !check_runs(gate, alpha, why) ||
        !flm_record_fields_read(&f->record, recorder, why) ||
        !flm_record_symbols_read(&load->symbols, load->debuginfod, &gate->paths, recorder, why))
        return false;
    if (f->duration && !flm_record_parse_time("duration", f->duration, &recorder->duration_ns, why))
        return false;
    recorder->keep_times = true; /* labels are for --apply */
    recorder->lines = load->lines;
    recorder->clones = load->clones;
    const struct flm_ab_options options = {
        .base = f->commands.at[0],
        .new = f->commands.at[1],
        .warm_up = f->warm_up >= 0 ? (uint32_t)f->warm_up : 1,
        .folder = f->folder ? f->folder : usual_folder,
        .replaces = !f->folder,
        .allows_failed = allows_failed,
        .processors = f->processors,
        .recorder = recorder,
        .quiet = load->quiet,
    };
    return flm_ab_open(&gate->ab, &options, why);
}

void flm_gate_ab_clear(struct flm_gate_ab *gate)
{
    flm_ab_clear(&gate->ab);
    flm_symbol_paths_clear(&gate->paths);
}

double flm_gate_ab_level(const struct flm_gate_ab *gate, double alpha)
{
    return flm_gate_look_alpha(alpha, gate->look_count);
}

bool flm_gate_ab_record(struct flm_gate_ab *gate, struct flm_error *why)
{
    gate->looks++;
    return flm_ab_record(&gate->ab, gate->runs_each, why);
}
