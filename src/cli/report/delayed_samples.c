#include "cli/report/delayed_samples.h"

#include "base/core/bytes.h"
#include "cli/report/print.h"
#include "flamel/aggregate.h"

static const double LEAST_SHARE = 0.05, LEAST_NAMED = 0.01;

/* Functions of the kernel that enable interrupts and do little else. */
static const char *const enabling[] = {"finish_task_switch",         "_raw_spin_unlock_irqrestore",
                                       "_raw_spin_unlock_irq",       "do_syscall_64",
                                       "irqentry_exit_to_user_mode", "exit_to_user_mode_loop"};
enum { ENABLING = sizeof enabling / sizeof *enabling };

void flm_add_delayed_samples(const struct flm_profile *profile, struct flm_metric metric,
                             struct flm_text *out)
{
    double self[ENABLING] = {0}, all = 0;
    struct flm_functions *functions = flm_functions_new(profile, metric, NULL);
    if (!functions) {
        out->failed = true;
        return;
    }
    double whole = flm_functions_at(functions, 0)->total;
    for (uint32_t i = 1; i < flm_functions_count(functions); i++) {
        const struct flm_function *f = flm_functions_at(functions, i);
        struct flm_frame frame = {f->first_frame};
        struct flm_name name = flm_profile_string(profile, (struct flm_string){f->name});
        if (flm_profile_frame(profile, frame)->kind != FLM_KIND_KERNEL)
            continue;
        for (int k = 0; k < ENABLING; k++)
            if (flm_bytes_are((struct flm_bytes){name.at, name.size}, enabling[k])) {
                self[k] += f->self;
                all += f->self;
            }
    }
    flm_functions_free(functions);
    if (!(all > LEAST_SHARE * whole))
        return;
    flm_add_percent(out, all, whole);
    const char *before = " where the kernel enables interrupts (";
    for (int k = 0; k < ENABLING; k++)
        if (self[k] > LEAST_NAMED * whole) {
            flm_text_format(out, "%s%s", before, enabling[k]);
            before = ", ";
        }
    flm_text_puts(out, "): the timer of cpu-clock waits while they are disabled, so this is the "
                       "time of what ran just before (a context switch, a held spinlock)");
}
