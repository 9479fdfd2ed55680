/* tables.c - the views that are tables: the call tree and the top table. Their rows are queries
 * (viewer/query/tables.c); the scene is that of the flame graph. */
#include "viewer/views/internal.h"

const struct flm_view flm_view_tree = {
    .name = "tree",
    .title = "Call tree",
    .key = "4",
    .table = "tree",
    .behind = &flm_view_flame,
};

const struct flm_view flm_view_top = {
    .name = "top",
    .title = "Top table",
    .key = "5",
    .table = "top",
    .behind = &flm_view_flame,
};
