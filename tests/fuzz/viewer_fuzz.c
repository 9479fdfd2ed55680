/* Anything that a person can do, in any order, on a small profile: the bytes say what.
 *
 *     first byte    which profile, and the size of the window
 *     then lines    !KEY           a key, with ! once for each thing held
 *                   @EVENT X Y     the pointer: m d u l, in pixels
 *                   ~X DX DY       the wheel
 *                   ?QUESTION      the answer is thrown away
 *                   =W H           a window of that size
 *                   .              a picture
 *                   ACTION         anything else, by its text
 *
 * Whatever is done, the visible part is within the scene, node references are nodes, and the state
 * that is written is the state that is read. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/folded/folded.h"
#include "format/formats.h"
#include "profile/internal.h"
#include "viewer/internal.h"
#include "wasm/query_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { WIDEST = 300, HIGHEST = 200 };

static void promise(bool kept)
{
    if (!kept)
        abort();
}

/* ---- Profiles -------------------------------------------------------------------------------- */

static struct flm_profile *of_folded(const char *text)
{
    struct flm_source source = flm_source_of(flm_bytes_of(text));
    struct flm_read_options options = {.columns = 1, .allow_negative = true};
    struct flm_builder *b = flm_builder_new(NULL);
    promise(b && flm_format_folded.read(&source, &options, b, NULL));
    return flm_builder_finish(b, NULL);
}

/* With samples of two threads, odd names, and functions that are there twice. */
static struct flm_profile *of_samples(void)
{
    static const char *const names[] = {"main", "a|b", "say \"x\"", "f", "f", "g\nh", ""};
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    struct flm_metric memory = flm_builder_metric(b, "memory", "bytes");
    struct flm_node node = flm_builder_root(b);
    for (uint32_t i = 0; i < 60; i++) {
        struct flm_frame_record record = {
            .function = flm_builder_string(b, names[i * 5 % 7], strlen(names[i * 5 % 7])).index,
            .line = i % 3,
            .kind = i % FLM_KIND_COUNT};
        struct flm_string label[] = {flm_builder_string(b, "thread", 6),
                                     flm_builder_string(b, i % 2 ? "1" : "2", 1)};
        if (i % 9 == 0)
            node = flm_builder_root(b);
        node = flm_builder_child(b, node, flm_builder_frame(b, &record));
        flm_builder_sample(b, i * 1000000, node, flm_builder_label_set(b, label, 1), cpu, i);
        flm_builder_sample_add(b, memory, 1);
    }
    return flm_builder_finish(b, NULL);
}

static struct flm_profile *profile(unsigned which)
{
    switch (which % 5) {
    case 0:
        return of_folded("main;parse;lex 3\nmain;parse;parse;read 2\nmain;write 1000000\nidle 1\n");
    case 1:
        return of_folded("");
    case 2:
        return of_folded("one 1\n");
    case 3:
        return of_folded("a;b -3\na;c 3\na -1\nd;d;d;d 7\n");
    default:
        return of_samples();
    }
}

/* ---- What must be true ----------------------------------------------------------------------- */

static void check_spot(const struct flm_viewer *v, struct flm_node_ref ref)
{
    if (!flm_node_ref_valid(ref))
        return;
    promise(ref.pane < v->scene.pane_count);
    const struct flm_pane *pane = &v->scene.panes[ref.pane];
    struct flm_node node = flm_pane_node(pane, ref.number);
    promise(node.index != FLM_NONE && flm_layout_level(pane->layout, node) != FLM_NONE);
}

static void check(struct flm_viewer *v)
{
    promise(flm_viewer_update(v, NULL));
    const struct flm_camera *camera = &v->model.camera;
    promise(camera->to.left >= 0 && camera->to.right <= camera->total);
    promise(camera->total == 0 || camera->to.left < camera->to.right);
    promise(camera->scroll_to >= 0 &&
            camera->scroll_to <= fmax(0, v->scene.content_px - flm_viewer_area(v).height));
    promise(v->scene.pane_count > 0 && v->model.history.current < v->model.history.steps.count);
    check_spot(v, v->model.selected);
    check_spot(v, v->model.zoomed);
    check_spot(v, v->input.hovered);
    promise(flm_profile_check(flm_model_shown(&v->model), NULL));
}

static void ask(struct flm_viewer *v, struct flm_bytes question, struct flm_text *out)
{
    struct flm_error why = {0};
    out->size = 0;
    if (!flm_query_json(v, question, out, &why))
        promise(why.kind != FLM_ERROR_NONE && why.text[0] != 0);
}

/* Restoring the state that is changes nothing. */
static void check_state(struct flm_viewer *v)
{
    struct flm_text before = {0}, after = {0};
    flm_text_puts(&before, "restore ");
    size_t start = before.size;
    struct flm_text state = {0};
    ask(v, flm_bytes_of("state"), &state);
    flm_text_add(&before, (struct flm_bytes){state.at, state.size});
    promise(flm_viewer_do(v, (struct flm_bytes){before.at, before.size}, NULL));
    ask(v, flm_bytes_of("state"), &after);
    promise(flm_bytes_equal((struct flm_bytes){before.at + start, before.size - start},
                            (struct flm_bytes){after.at, after.size}));
    flm_text_clear(&before);
    flm_text_clear(&after);
    flm_text_clear(&state);
}

/* ---- Doing what the bytes say ---------------------------------------------------------------- */

struct seen {
    struct flm_viewer *viewer;
    struct flm_text answer;
    uint32_t memory[WIDEST * HIGHEST];
    uint32_t width, height;
    double now_ms;
};

static void resize(struct seen *s, int width, int height)
{
    s->width = (uint32_t)abs(width % WIDEST);
    s->height = (uint32_t)abs(height % HIGHEST);
    flm_viewer_resize(s->viewer, s->width, s->height, 1);
}

static void paint(struct seen *s)
{
    struct flm_pixels pixels = flm_pixels_of(s->memory, s->width, s->height);
    s->now_ms += 16;
    flm_viewer_paint(s->viewer, &pixels, s->now_ms);
}

static void point(struct seen *s, const char *line)
{
    static const char letters[] = "mdul";
    char event = 0;
    int x = 0, y = 0;
    if (sscanf(line, "%c %d %d", &event, &x, &y) < 1 || !event || !strchr(letters, event))
        return;
    flm_viewer_pointer(s->viewer, (enum flm_pointer_event)(strchr(letters, event) - letters), x, y,
                       0, false, s->now_ms);
}

static void do_line(struct seen *s, const char *line, size_t size)
{
    char text[200];
    unsigned held = 0;
    int a = 0, b = 0, c = 0;
    size_t copied = size < sizeof text - 1 ? size : sizeof text - 1;
    memcpy(text, line, copied);
    text[copied] = 0;
    s->now_ms += 100;
    switch (text[0]) {
    case '!':
        for (line = text + 1; *line == '!'; line++)
            held++;
        flm_viewer_key(s->viewer, flm_bytes_of(line), held & 15, s->now_ms);
        return;
    case '@':
        point(s, text + 1);
        return;
    case '~':
        sscanf(text + 1, "%d %d %d", &a, &b, &c);
        flm_viewer_wheel(s->viewer, a, 100, b, c, (unsigned)a & 7, s->now_ms);
        return;
    case '?':
        ask(s->viewer, (struct flm_bytes){line + 1, size - 1}, &s->answer);
        return;
    case '=':
        if (sscanf(text + 1, "%d %d", &a, &b) == 2)
            resize(s, a, b);
        return;
    case '.':
        paint(s);
        return;
    default:;
        struct flm_error why = {0};
        if (!flm_viewer_do(s->viewer, (struct flm_bytes){line, size}, &why))
            promise(why.kind == FLM_ERROR_USAGE && why.text[0] != 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct seen s;
    unsigned which = size ? data[0] : 0;
    s = (struct seen){.viewer = flm_viewer_new(NULL)};
    resize(&s, 250, 180);
    flm_viewer_theme(s.viewer, &(struct flm_theme){.still = which & 16});
    promise(flm_viewer_take(s.viewer, FLM_VIEWER_AFTER, profile(which), "fuzz", NULL));
    const char *at = (const char *)data + (size > 0), *end = (const char *)data + size;
    for (int lines = 0; at < end && lines < 60; lines++) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((line_end ? line_end : end) - at);
        if (length > 0)
            do_line(&s, at, length);
        check(s.viewer);
        if (s.viewer->model.operations.count > 8)
            flm_viewer_do(s.viewer, flm_bytes_of("reset"), NULL);
        at += length + 1;
    }
    check_state(s.viewer);
    paint(&s);
    check(s.viewer);
    flm_viewer_free(s.viewer);
    flm_text_clear(&s.answer);
    return 0;
}
