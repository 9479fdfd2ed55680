/* top_table.c - reads a profile in any format and prints its top table: the functions with the
 * largest self values.
 *
 *     cc top_table.c $(pkg-config --cflags --libs flamel) -o top_table
 *     ./top_table app.folded */
#include <flamel/flamel.h>

#include <stdio.h>
#include <stdlib.h>

static void print_name(const struct flm_profile *profile, uint32_t string)
{
    struct flm_string index = {string};
    struct flm_name name = flm_profile_string(profile, index);
    printf("%.*s", (int)name.size, name.at);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: top_table FILE\n");
        return 2;
    }
    struct flm_error why;
    struct flm_profile *profile = flm_load(argv[1], NULL, &why);
    if (!profile) {
        fprintf(stderr, "top_table: %s\n", why.text);
        return 2;
    }

    struct flm_metric metric;
    if (!flm_metric_find(profile, NULL, &metric, &why)) { /* NULL: the default metric */
        fprintf(stderr, "top_table: %s: %s\n", argv[1], why.text);
        flm_profile_free(profile);
        return 2;
    }
    double all = flm_profile_total(profile, metric);
    struct flm_functions *functions = flm_functions_new(profile, metric, &why);
    uint32_t *order = NULL;
    uint32_t count = FLM_NONE;
    if (functions)
        order = (uint32_t *)malloc(flm_functions_count(functions) * sizeof *order);
    if (order)
        count = flm_functions_sort(functions, FLM_FUNCTIONS_BY_SELF, order);
    if (count == FLM_NONE) {
        fprintf(stderr, "top_table: out of memory\n");
        return 2;
    }

    printf("%12s %7s %12s  %s\n", "self", "", "total", "function");
    for (uint32_t i = 0; i < count && i < 20; i++) {
        const struct flm_function *f = flm_functions_at(functions, order[i]);
        printf("%12g %6.2f%% %12g  ", f->self, 100 * f->self / all, f->total);
        print_name(profile, f->name);
        printf("\n");
    }

    free(order);
    flm_functions_free(functions);
    flm_profile_free(profile);
    return 0;
}
