/* views.c - texts that a tenant keeps by name. */
#include "store/embedded/internal.h"

bool flm_embedded_save_view(struct flm_store *base, const char *tenant, const char *name,
                            const struct flm_name *text, struct flm_error *why)
{
    struct flm_embedded *store = flm_embedded_of(base);
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

bool flm_embedded_views(struct flm_store *base, const char *tenant, flm_store_view each,
                        void *context, struct flm_error *why)
{
    struct flm_embedded *store = flm_embedded_of(base);
    struct sink sink = {each, context};
    pthread_mutex_lock(&store->catalog_lock);
    bool good = flm_catalog_views(store->catalog, flm_bytes_of(tenant ? tenant : ""), hand_over,
                                  &sink, why);
    pthread_mutex_unlock(&store->catalog_lock);
    return good;
}
