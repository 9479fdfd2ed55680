/* open_store.h - a store in a folder of the test. */
#ifndef FLAMEL_TESTS_SUPPORT_STORE_OPEN_STORE_H
#define FLAMEL_TESTS_SUPPORT_STORE_OPEN_STORE_H

#include "flamel/store.h"

/* Opens the store in the temporary folder `name`, which is made if it is missing. The test fails if
 * it cannot be opened. */
struct flm_store *open_store(const char *name);

#endif
