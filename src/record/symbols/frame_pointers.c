/* frame_pointers.c - unwound stacks, continued where frame pointers lead further.
 *
 * Go runs its runtime on other stacks than its goroutines: unwinding by tables ends where the
 * runtime was entered, or goes astray on what an earlier call has left there. All of its code keeps
 * frame pointers, which lead across. But a function without a frame of its own still has the frame
 * pointer of its caller, which is then missing in the kernel's chain. So both are joined:
 *
 *     unwound   memmove   copy   systemstack
 *     chain     memmove          systemstack   mallocgc   main   goexit
 *     joined    memmove   copy   systemstack   mallocgc   main   goexit */
#include "record/symbols/internal.h"
#include "record/symbols/unwinder.h"

/* The user part of a chain: its leaf, and return addresses. */
struct chain {
    const uint64_t *addresses;
    size_t count;
};

/* Nothing if the chain is as deep as the kernel records: it may be cut off. */
static struct chain user_part(const struct flm_event_sample *sample)
{
    size_t frames = 0, from = 0;
    bool in_user = false;
    for (size_t i = 0; i < sample->chain_count; i++) {
        if (sample->chain[i] < FLM_CONTEXT_LEAST) {
            frames++;
            continue;
        }
        in_user = sample->chain[i] == FLM_CONTEXT_USER;
        from = i + 1;
    }
    if (!in_user || (sample->layout->deepest_chain > 0 && frames >= sample->layout->deepest_chain))
        return (struct chain){NULL, 0};
    return (struct chain){sample->chain + from, sample->chain_count - from};
}

static bool keeps_frame_pointers(const struct flm_process *process, uint64_t pc)
{
    const struct flm_mapping *mapping = flm_process_find(process, pc);
    uint64_t address;
    return mapping && mapping->module &&
           flm_module_address(mapping->module, pc - mapping->start + mapping->file_offset,
                              &address) &&
           flm_module_keeps_frame_pointers(mapping->module, address);
}

/* The first unwound caller that is in the chain too, and where there. */
static bool find_join(const uint64_t *unwound, size_t count, struct chain chain, size_t *at,
                      size_t *in_chain)
{
    for (*at = 1; *at < count; ++*at)
        for (*in_chain = 1; *in_chain < chain.count; ++*in_chain)
            if (unwound[*at] == chain.addresses[*in_chain])
                return true;
    return false;
}

struct flm_unwound flm_session_join(struct flm_session *s, const struct flm_process *process,
                                    const struct flm_event_sample *sample,
                                    struct flm_unwound unwound)
{
    struct chain chain = user_part(sample);
    if (chain.count < 2 || unwound.count == 0)
        return unwound;
    bool is_leaf = keeps_frame_pointers(process, s->unwound[0]);
    if (!is_leaf && !keeps_frame_pointers(process, s->unwound[unwound.count - 1] - 1))
        return unwound;
    size_t at, from;
    if (!find_join(s->unwound, unwound.count, chain, &at, &from)) {
        if (!is_leaf || chain.addresses[0] != s->unwound[0])
            return unwound;
        at = from = 1;
    }
    size_t rest = chain.count - from;
    if (at + rest > FLM_DEEPEST_STACK)
        return unwound;
    if (at + rest < unwound.count ||
        (at + rest == unwound.count && unwound.end == FLM_UNWIND_WHOLE))
        return unwound;
    memcpy(s->unwound + at, chain.addresses + from, rest * sizeof *s->unwound);
    for (size_t i = at; i < at + rest; i++)
        s->exact[i / 64] &= ~(UINT64_C(1) << i % 64);
    return (struct flm_unwound){at + rest, FLM_UNWIND_WHOLE, unwound.size};
}

struct flm_unwound flm_symbols_unwind(struct flm_session *s, const struct flm_process *process,
                                      const struct flm_event_sample *sample)
{
    memset(s->exact, 0, sizeof s->exact);
    struct flm_unwound unwound =
        flm_unwind(process, sample, s->unwound, s->exact, FLM_DEEPEST_STACK);
    return flm_session_join(s, process, sample, unwound);
}
