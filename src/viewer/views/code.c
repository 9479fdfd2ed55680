/* code.c - the view of code: source and machine code of one function. Its rows are queries
 * (viewer/query/code.c); the scene is that of the flame graph. */
#include "viewer/views/internal.h"

static bool set_function(struct flm_model *model, uint32_t frame)
{
    return flm_code_choose(model, frame);
}

/* Without a function, the one with the hottest line. */
static bool prepare(struct flm_model *model, struct flm_error *why)
{
    return model->code.of.size > 0 || flm_code_choose_hottest(model, why);
}

static void describe(const struct flm_model *model, struct flm_text *out)
{
    size_t size = 0;
    while (size < model->code.of.size && model->code.of.at[size] != '\n')
        size++;
    flm_text_puts(out, flm_view_code.title);
    flm_text_puts(out, " of ");
    flm_text_add(out, (struct flm_bytes){model->code.of.at, size});
}

const struct flm_view flm_view_code = {
    .name = "code",
    .title = "Code",
    .key = "7",
    .table = "code",
    .hides_picture = true,
    .behind = &flm_view_flame,
    .prepare = prepare,
    .set_function = set_function,
    .describe = describe,
};
