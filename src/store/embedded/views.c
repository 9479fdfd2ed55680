/* views.c - texts that a tenant keeps by name. */
#include <assert.h>

#include "store/embedded/internal.h"

bool flm_store_save_view(struct flm_store *store, const char *tenant, const char *name,
                         const struct flm_name *text, struct flm_error *why)
{
    assert(store && name && *name);
    pthread_mutex_lock(&store->catalog_lock);
    bool good = flm_catalog_view_save(
        store->catalog, flm_bytes_of(tenant ? tenant : ""), flm_bytes_of(name),
        text ? (struct flm_bytes){text->at, text->size} : (struct flm_bytes){NULL, 0}, why);
    pthread_mutex_unlock(&store->catalog_lock);
    return good;
}

struct sink {
    flm_store_view each;
    void *context;
};

static bool hand_over(void *context, struct flm_bytes name, struct flm_bytes text)
{
    const struct sink *sink = context;
    return sink->each(sink->context, (struct flm_name){name.at, name.size},
                      (struct flm_name){text.at, text.size});
}

bool flm_store_views(struct flm_store *store, const char *tenant, flm_store_view each,
                     void *context, struct flm_error *why)
{
    struct sink sink = {each, context};
    pthread_mutex_lock(&store->catalog_lock);
    bool good = flm_catalog_views(store->catalog, flm_bytes_of(tenant ? tenant : ""), hand_over,
                                  &sink, why);
    pthread_mutex_unlock(&store->catalog_lock);
    return good;
}
