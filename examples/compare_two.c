/* compare_two.c - two profiles compared: how much changed in all, which functions changed most, and
 * a picture of the difference.
 *
 *     cc compare_two.c $(pkg-config --cflags --libs flamel) -o compare_two
 *     ./compare_two before.folded after.folded change.svg */
#include <flamel/flamel.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const struct flm_functions *measured; /* what qsort compares by */
static const struct flm_functions *measured_before;

static double change_of(uint32_t function)
{
    return flm_functions_at(measured, function)->self -
           flm_functions_at(measured_before, function)->self;
}

static int larger_change_first(const void *a, const void *b)
{
    double x = fabs(change_of(*(const uint32_t *)a)), y = fabs(change_of(*(const uint32_t *)b));
    return (x < y) - (x > y);
}

int main(int argc, char **argv)
{
    struct flm_error why;
    if (argc != 3 && argc != 4) {
        fprintf(stderr, "usage: compare_two BEFORE AFTER [PICTURE]\n");
        return 2;
    }
    struct flm_profile *before = flm_load(argv[1], NULL, &why);
    struct flm_profile *after = before ? flm_load(argv[2], NULL, &why) : NULL;

    /* One tree with two columns: metrics 0 and 1 are before and after of the first metric. */
    struct flm_profile *both = after ? flm_comparison_align(before, after, &why) : NULL;
    struct flm_metric first = {0}, second = {1};
    struct flm_functions *old_ones = both ? flm_functions_new(both, first, &why) : NULL;
    struct flm_functions *new_ones = old_ones ? flm_functions_new(both, second, &why) : NULL;
    if (!new_ones) {
        fprintf(stderr, "compare_two: %s\n", why.text);
        return 2;
    }

    double old_total = flm_profile_total(both, first), new_total = flm_profile_total(both, second);
    printf("total %g -> %g (%+.2f %%)\n\n", old_total, new_total,
           100 * (new_total - old_total) / old_total);

    /* Both lists have the functions of the one profile, in the same order. */
    uint32_t count = flm_functions_count(new_ones);
    uint32_t *order = (uint32_t *)malloc(count * sizeof *order);
    if (!order)
        return 2;
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    measured_before = old_ones;
    measured = new_ones;
    qsort(order, count, sizeof *order, larger_change_first);
    for (uint32_t i = 0; i < count && i < 10 && change_of(order[i]) != 0; i++) {
        struct flm_string string = {flm_functions_at(new_ones, order[i])->name};
        struct flm_name name = flm_profile_string(both, string);
        printf("%+12g  %.*s\n", change_of(order[i]), (int)name.size, name.at);
    }
    free(order);

    int status = 0;
    if (argc == 4 && !flm_save(both, argv[3], NULL, &why)) {
        fprintf(stderr, "compare_two: %s\n", why.text);
        status = 2;
    }
    flm_functions_free(new_ones);
    flm_functions_free(old_ones);
    flm_profile_free(both);
    flm_profile_free(after);
    flm_profile_free(before);
    return status;
}
