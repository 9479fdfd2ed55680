/* listings.h - profiles, source and machine code for tests of listings (code/listing.h), and their
 * rows as text. */
#ifndef FLAMEL_TESTS_SUPPORT_CODE_LISTINGS_H
#define FLAMEL_TESTS_SUPPORT_CODE_LISTINGS_H

#include "code/listing.h"
#include "flamel/builder.h"

/* "main:9@100;~same:31@108": frames at lines and addresses of app.c, inlined with a tilde. */
void add_located(struct flm_builder *b, const char *stack, double value, double before);

/* main calls find, in which same is inlined. */
struct flm_profile *listing_example(void);
uint32_t string_of(const struct flm_profile *p, const char *text);
struct flm_listing *listing_of(const struct flm_profile *p, const char *function,
                               const struct flm_code_store *store,
                               const struct flm_listing_options *options);

/* Each row as text: its kind, and what it has. Good until the next call. */
const char *rows_of(const struct flm_listing *l, enum flm_listing_side side);

/* app.c, of so many lines. */
struct flm_code_store *store_of(size_t lines);
/* And find: instructions of 4 bytes from 100 on; "jump 104" among them. */
struct flm_code_store *code_of(const char *const *text, size_t count);

/* Makes a listing of find in the profile, with code or without. */
struct listed {
    struct flm_profile *p;
    struct flm_code_store *store;
    struct flm_metric before;
};
bool make_listing(void *listed, struct flm_error *why);

#endif
