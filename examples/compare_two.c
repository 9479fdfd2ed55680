/* compare_two.c - two profiles compared: how much changed in all, which functions changed most, and
 * a picture of the difference.
 *
 *     cc compare_two.c $(pkg-config --cflags --libs flamel) -o compare_two
 *     ./compare_two before.folded after.folded change.svg */
#include <flamel/flamel.h>

#include <stdio.h>
#include <string.h>

static void print_changes(const struct flm_profile_changes *changes)
{
    struct flm_profile_changes_summary sums;
    sums.size = sizeof sums;
    flm_profile_changes_sums(changes, &sums, NULL);
    printf("total %g -> %g (%+.2f %%), similarity %.3f\n\n", sums.before, sums.after,
           100 * (sums.after - sums.before) / sums.before, sums.similarity);

    uint32_t count;
    const struct flm_function_change *change = flm_profile_changes_functions(changes, &count);
    for (uint32_t i = 0; i < count; i++) {
        const struct flm_change *self = &change[i].self;
        if (self->kind == FLM_CHANGE_NONE)
            continue; /* only its callees changed */
        struct flm_name name = flm_profile_changes_function_name(changes, change[i].function, NULL);
        printf("%+12g  %-11s  %.*s%s\n", self->after - self->before,
               flm_change_kind_name(self->kind), (int)name.size, name.at,
               self->noise ? "  (may be noise)" : "");
    }
}

int main(int argc, char **argv)
{
    if (argc != 3 && argc != 4) {
        fprintf(stderr, "usage: compare_two BEFORE AFTER [PICTURE]\n");
        return 2;
    }
    struct flm_error why;
    struct flm_profile_changes *changes = NULL;
    struct flm_profile_changes_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.rows = 10;
    struct flm_profile *before = flm_load(argv[1], NULL, &why);
    struct flm_profile *after = before ? flm_load(argv[2], NULL, &why) : NULL;
    if (after)
        changes = flm_profile_changes_new(before, after, &options, &why);
    flm_profile_free(before);
    flm_profile_free(after);
    bool good = changes != NULL;
    if (good)
        print_changes(changes);
    if (good && argc == 4) {
        struct flm_metric from, to;
        good = flm_save(flm_profile_changes_tree(changes, &from, &to), argv[3], NULL, &why);
    }
    if (!good)
        fprintf(stderr, "compare_two: %s\n", why.text);
    flm_profile_changes_free(changes);
    return good ? 0 : 2;
}
