/* person.h - a person in front of the viewer: opens a profile, does things, reads the picture.
 *
 *     struct viewing seen;
 *     viewing_init(&seen, profile_of("main;read 3\nmain;write 1\n"), 800, 600, 1);
 *     viewing_do(&seen, "order total");
 *     viewing_click(&seen, "read", 2);          twice in a row: zoomed to
 *     assert_string_equal(viewing_state(&seen), "order=total&select=...&zoom=...");
 *     viewing_clear(&seen); */
#ifndef FLAMEL_TESTS_SUPPORT_PROFILE_PERSON_H
#define FLAMEL_TESTS_SUPPORT_PROFILE_PERSON_H

#include "viewer/internal.h"

struct viewing {
    struct flm_viewer *viewer;
    struct flm_pixels pixels;
    double now_ms;
    struct flm_seen_versions versions;
    struct flm_text text; /* the last state or answer */
};

/* The viewer keeps the profile. Nothing glides: every action takes effect at once. */
void viewing_init(struct viewing *seen, struct flm_profile *profile, uint32_t width,
                  uint32_t height, double scale);
void viewing_clear(struct viewing *seen);
void viewing_resize(struct viewing *seen, uint32_t width, uint32_t height, double scale);

/* Paints until no further picture is wanted. */
void viewing_look(struct viewing *seen);

/* The action must work; or must be refused, with a sentence, which is returned. */
void viewing_do(struct viewing *seen, const char *action);
const char *viewing_refused(struct viewing *seen, const char *action);

/* Whether the key means something. */
bool viewing_key(struct viewing *seen, const char *key, unsigned held);

/* What changed since this was last called: flm_viewer_changes. */
unsigned viewing_changes(struct viewing *seen);

/* Questions, and the state: good until the next one. */
const char *viewing_ask(struct viewing *seen, const char *question);
const char *viewing_state(struct viewing *seen);

/* The widest box drawn for a function; the test fails where there is none. `found` false: none. */
struct viewing_box {
    bool found;
    uint32_t pane;
    struct flm_rectangle box;
    double x0, x1, y0, y1; /* in the window */
};
struct viewing_box viewing_find(struct viewing *seen, const char *function);
struct viewing_box viewing_box(struct viewing *seen, const char *function);

/* So many clicks into the middle of the box of a function, or at a place, quickly. */
void viewing_click(struct viewing *seen, const char *function, int times);
void viewing_click_at(struct viewing *seen, double x, double y, int times);

/* Pressed, moved in some steps, let go. */
void viewing_drag(struct viewing *seen, double x0, double y0, double x1, double y1);

/* A ref by the path of its names, "main;read"; the test fails where there is none. */
struct flm_node_ref viewing_ref(struct viewing *seen, uint32_t pane, const char *path);

/* The name of what a ref is, "" where it is none. */
const char *viewing_name(struct viewing *seen, struct flm_node_ref ref);

/* What must be true of every viewer at any time. */
void assert_viewing_sound(struct viewing *seen);

#endif
