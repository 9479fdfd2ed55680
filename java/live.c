/* live.c - sampled objects that can still be reached when the recording ends.
 *
 * The sample of an allocation is kept with a weak reference to the object. At the end the VM is
 * asked for a full collection, which clears the references to objects that cannot be reached, and
 * the samples of the others are written.
 *
 * At most MOST samples are kept. When there are as many, those of collected objects are dropped. If
 * more than three quarters are left, each is dropped with a probability of one half, and the value
 * of the others is doubled; from then on new samples are kept with that probability and doubled as
 * well. So sums are right on average. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "java/internal.h"

enum { MOST = 1 << 14 };

struct kept {
    struct kept *next;
    object reference; /* a weak one */
    struct flm_java_sample sample;
    char *class_name;
    struct flm_java_frame frames[];
};

static struct kept *first;
static uint32_t count, halvings;
static uint64_t random_state = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static void drop(jni *env, struct kept *k)
{
    jni_delete_weak(env, k->reference);
    free(k->class_name);
    free(k);
}

/* Drops the samples of collected objects, or, with `halves`, each with a probability of 1/2. */
static void thin(jni *env, bool halves)
{
    struct kept **at = &first;
    while (*at) {
        struct kept *k = *at;
        bool is_dropped =
            halves ? (random_bits() >> 32 & 1) != 0 : jni_is_cleared(env, k->reference);
        if (!is_dropped) {
            k->sample.value *= halves ? 2 : 1;
            at = &k->next;
            continue;
        }
        *at = k->next;
        drop(env, k);
        count--;
    }
    halvings += halves;
}

static struct kept *copy_of(jni *env, object o, const struct flm_java_sample *s,
                            const struct flm_java_frame *frames, const char *class_name)
{
    struct kept *k = malloc(sizeof *k + s->frame_count * sizeof *frames);
    if (!k)
        return NULL;
    *k = (struct kept){.reference = jni_new_weak(env, o),
                       .sample = *s,
                       .class_name = class_name ? strdup(class_name) : NULL};
    memcpy(k->frames, frames, s->frame_count * sizeof *frames);
    k->sample.metric = FLM_JAVA_LIVE;
    k->sample.value = s->value << halvings;
    if (k->reference)
        return k;
    free(k->class_name);
    free(k);
    return NULL;
}

void live_keep(jni *env, object o, const struct flm_java_sample *s,
               const struct flm_java_frame *frames, const char *class_name)
{
    pthread_mutex_lock(&lock);
    if (count >= MOST) {
        thin(env, false);
        if (count > MOST / 4 * 3)
            thin(env, true);
    }
    bool is_chosen = (random_bits() >> 32 & ((UINT64_C(1) << halvings) - 1)) == 0;
    struct kept *k = is_chosen ? copy_of(env, o, s, frames, class_name) : NULL;
    if (k) {
        k->next = first;
        first = k;
        count++;
        for (uint32_t i = 0; i < s->frame_count; i++) /* before its class may be unloaded */
            method_seen((method_id)(uintptr_t)frames[i].method);
    }
    pthread_mutex_unlock(&lock);
}

static struct kept *take_all(void)
{
    pthread_mutex_lock(&lock);
    struct kept *all = first;
    first = NULL;
    count = halvings = 0;
    pthread_mutex_unlock(&lock);
    return all;
}

void live_write(jni *env)
{
    if (!recorder_is_there())
        return;
    jvmti_collect(agent.ti);
    struct kept *all = take_all();
    while (all) {
        struct kept *k = all;
        all = k->next;
        if (!jni_is_cleared(env, k->reference))
            sample_write_patiently(&k->sample, k->frames, k->class_name);
        drop(env, k);
    }
}

void live_end(jni *env)
{
    struct kept *all = take_all();
    while (all) {
        struct kept *k = all;
        all = k->next;
        drop(env, k);
    }
}
