/* record_self.c - a program that records itself while it works, without being restarted: what a
 * server could do when a user asks for it.
 *
 *     cc record_self.c $(pkg-config --cflags --libs flamel) -lm -o record_self
 *     ./record_self self.svg */
#include <flamel/flamel.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static volatile double sink;

static void sum_of_roots(int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += sqrt(i);
    sink = sum;
}

static void sum_of_sines(int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += sin(i);
    sink = sum;
}

/* Half a second of CPU time. */
static void work(void)
{
    clock_t end = clock() + CLOCKS_PER_SEC / 2;
    while (clock() < end) {
        sum_of_roots(10000);
        sum_of_sines(10000);
    }
}

int main(int argc, char **argv)
{
    struct flm_error why;
    if (argc != 2) {
        fprintf(stderr, "usage: record_self OUTPUT\n");
        return 2;
    }
    struct flm_record_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.self = true;
    struct flm_recording *recording = flm_recording_new(&options, &why);
    if (!recording || !flm_recording_start(recording, &why)) {
        fprintf(stderr, "record_self: %s\n", why.text);
        flm_recording_free(recording);
        return 2;
    }
    work();
    struct flm_profile *profile = NULL;
    if (flm_recording_stop(recording, &why))
        profile = flm_recording_take(recording, &why);
    flm_recording_free(recording);
    if (!profile || !flm_save(profile, argv[1], NULL, &why)) {
        fprintf(stderr, "record_self: %s\n", why.text);
        flm_profile_free(profile);
        return 2;
    }
    struct flm_metric metric = {0};
    printf("%u stacks, %g in all, in %s\n", (unsigned)flm_profile_node_count(profile) - 1,
           flm_profile_total(profile, metric), argv[1]);
    flm_profile_free(profile);
    return 0;
}
