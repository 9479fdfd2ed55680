/* records_threads.c - threads of a VM, by their numbers in its PID namespace and in ours. */
#include "record/java/internal.h"

static struct flm_java_vm_thread *find(const struct flm_java_target *v,
                                       const struct flm_index *index, int32_t id, bool inner)
{
    uint32_t hash = flm_hash_numbers((uint32_t)id, 0);
    for (struct flm_probe at = flm_index_probe(index, hash); flm_index_next(index, &at);) {
        struct flm_java_vm_thread *thread = &v->threads.at[at.found];
        if ((inner ? thread->inner : thread->outer) == id)
            return thread;
    }
    return NULL;
}

struct flm_java_vm_thread *flm_java_thread_inner(const struct flm_java_target *v, int32_t id)
{
    return find(v, &v->by_inner, id, true);
}

struct flm_java_vm_thread *flm_java_thread_outer(const struct flm_java_target *v, int32_t id)
{
    return find(v, &v->by_outer, id, false);
}

/* The number that we know a thread by, of one in another PID namespace too. */
static int32_t outer_number(const struct flm_java_target *v, int32_t inner)
{
    return v->in_our_namespace ? inner : flm_thread_of_namespace(v->process, inner);
}

bool flm_java_take_thread(struct flm_java *j, struct flm_java_target *v,
                          const struct flm_java_thread *r)
{
    if (r->record.size < sizeof *r + (uint64_t)r->name_size || r->thread <= 0)
        return true;
    struct flm_java_vm_thread *thread = flm_java_thread_inner(v, r->thread);
    if (!thread) {
        struct flm_java_vm_thread new = {
            .inner = r->thread, .outer = outer_number(v, r->thread), .from_ns = r->time_ns};
        uint32_t number = (uint32_t)v->threads.count;
        if (!FLM_ARRAY_ADD(&v->threads, new) ||
            !flm_index_add(&v->by_inner, flm_hash_numbers((uint32_t) new.inner, 0), number) ||
            !flm_index_add(&v->by_outer, flm_hash_numbers((uint32_t) new.outer, 0), number))
            return false;
        thread = &v->threads.at[number];
    }
    /* The name stays when it ends: samples from before may come. */
    thread->has_signals |= r->is_sampled && flm_java_agent_counts(v->agent).takes_signals;
    thread->until_ns = r->is_sampled ? INT64_MAX : r->time_ns;
    if (r->is_sampled || thread->name.size == 0)
        thread->name =
            flm_lasting_text(&j->names, (struct flm_bytes){(const char *)(r + 1), r->name_size});
    return true;
}

bool flm_java_claims(void *attached, const struct flm_event *event, bool keeps)
{
    struct flm_java *j = attached;
    for (size_t i = 0; i < j->vms.count; i++) {
        struct flm_java_target *v = &j->vms.at[i];
        if (v->process != event->process || (v->ended_ns && event->time_ns > v->ended_ns))
            continue;
        struct flm_java_vm_thread *thread = flm_java_thread_outer(v, event->thread);
        if (!thread || event->time_ns < thread->from_ns || event->time_ns > thread->until_ns)
            continue;
        if (keeps && thread->has_signals && !flm_java_keep_sample(thread, event))
            j->not_kept++;
        return true;
    }
    return false;
}
