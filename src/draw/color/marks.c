#include "draw/color/marks.h"

#include "flamel/profile.h"

enum flm_mark flm_mark_of_kind(uint32_t kind)
{
    static const unsigned char marks[FLM_KIND_COUNT] = {[FLM_KIND_KERNEL] = FLM_MARK_KERNEL,
                                                        [FLM_KIND_INLINED] = FLM_MARK_INLINED,
                                                        [FLM_KIND_JIT] = FLM_MARK_JIT,
                                                        [FLM_KIND_JIT_TIER1] = FLM_MARK_JIT,
                                                        [FLM_KIND_INTERPRETED] =
                                                            FLM_MARK_INTERPRETED,
                                                        [FLM_KIND_GPU] = FLM_MARK_GPU,
                                                        [FLM_KIND_WAKER] = FLM_MARK_WAKER};
    return kind < FLM_KIND_COUNT ? (enum flm_mark)marks[kind] : FLM_MARK_NONE;
}

const char *flm_mark_name(enum flm_mark mark)
{
    static const char *const names[FLM_MARK_COUNT] = {
        [FLM_MARK_NONE] = "",
        [FLM_MARK_KERNEL] = "kernel",
        [FLM_MARK_INLINED] = "inlined",
        [FLM_MARK_JIT] = "jit",
        [FLM_MARK_INTERPRETED] = "interpreted",
        [FLM_MARK_GPU] = "gpu",
        [FLM_MARK_WAKER] = "waker",
        [FLM_MARK_APPEARED] = "appeared",
        [FLM_MARK_DISAPPEARED] = "disappeared",
    };
    return (unsigned)mark < FLM_MARK_COUNT ? names[mark] : "";
}

struct flm_dashes flm_mark_dashes(enum flm_mark mark)
{
    static const struct flm_dashes dashes[FLM_MARK_COUNT] = {
        [FLM_MARK_INLINED] = {{1.5, 2.5}}, [FLM_MARK_JIT] = {{8, 3}},
        [FLM_MARK_INTERPRETED] = {{3, 6}}, [FLM_MARK_GPU] = {{10, 2, 2, 2}},
        [FLM_MARK_WAKER] = {{1, 5}},
    };
    return dashes[(unsigned)mark < FLM_MARK_COUNT ? mark : FLM_MARK_NONE];
}
