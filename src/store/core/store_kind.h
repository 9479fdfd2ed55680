/* store_kind.h - what every kind of store does: the functions behind flamel/store.h.
 *
 * Each kind has a folder next to this one and a line in the table of store.c; all other code works
 * with any kind. What all kinds must agree on is in this folder: which series and types
 * a query wants (wanted.h), what a batch may have (batch.h), texts and groups in their order
 * (ordered_texts.h, groups.h), and the tree that profiles are poured into (store_head.h).
 *
 * The functions are those of flamel/store.h, whose comments hold; here labels are one function, of
 * names where there is no key. Any number of threads call them at once. */
#ifndef FLAMEL_STORE_CORE_STORE_KIND_H
#define FLAMEL_STORE_CORE_STORE_KIND_H

#include "base/core/bytes.h"
#include "flamel/store.h"
#include "store/core/group_batches.h"

struct flm_store {
    const struct flm_store_kind *kind; /* the first member of what a kind has */
};

struct flm_store_kind {
    const char *name;

    /* Whether it is the kind for a location: a folder, a URL. */
    bool (*takes)(const char *location);
    struct flm_store *(*open)(const char *location, const struct flm_store_options *options,
                              struct flm_error *why);
    void (*close)(struct flm_store *store);
    struct flm_store_recovery (*recovered)(const struct flm_store *store); /* NULL: never */

    bool (*append)(struct flm_store *store, const struct flm_store_batch *batches, size_t count,
                   struct flm_error *why);

    /* Hands over all batches of [from, until), one for each series, type and time. */
    bool (*batches)(struct flm_store *store, int64_t from_ms, int64_t until_ms,
                    const struct flm_batch_taker *taker, struct flm_error *why);

    struct flm_profile *(*merge)(struct flm_store *store, const struct flm_store_query *query,
                                 struct flm_error *why);
    bool (*timelines)(struct flm_store *store, const struct flm_store_query *query,
                      const char *const *labels, size_t label_count, int64_t step_ms, size_t count,
                      size_t most_groups, flm_store_group each, void *context,
                      struct flm_error *why);
    bool (*types)(struct flm_store *store, const struct flm_store_query *query, flm_store_text each,
                  void *context, struct flm_error *why);
    bool (*labels)(struct flm_store *store, const struct flm_store_query *query,
                   struct flm_bytes key, flm_store_text each, void *context, struct flm_error *why);
    bool (*series)(struct flm_store *store, const struct flm_store_query *query,
                   flm_store_text each, void *context, struct flm_error *why);
    bool (*typed_series)(struct flm_store *store, const struct flm_store_query *query,
                         flm_store_typed each, void *context, struct flm_error *why);

    bool (*save_view)(struct flm_store *store, const char *tenant, const char *name,
                      const struct flm_name *text, struct flm_error *why);
    bool (*views)(struct flm_store *store, const char *tenant, flm_store_view each, void *context,
                  struct flm_error *why);

    bool (*seal)(struct flm_store *store, struct flm_error *why);
    bool (*compact)(struct flm_store *store, int64_t now_ms, uint64_t *merged,
                    struct flm_error *why);
    bool (*retain)(struct flm_store *store, int64_t before_ms, uint64_t *removed,
                   struct flm_error *why);
    struct flm_store_stats (*stats)(struct flm_store *store);
    bool (*check)(struct flm_store *store, struct flm_error *why);
    bool (*backup)(struct flm_store *store, const char *folder, struct flm_error *why);
};

#endif
