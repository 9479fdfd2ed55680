/* paths.c - what nodes are called whatever the profile's indices are: flm_scene_path and back. */
#include <math.h>
#include <stdlib.h>

#include "base/core/hash.h"
#include "profile/columns.h"
#include "viewer/scene/scene.h"

static uint64_t frame_hash(const struct flm_profile *p, uint32_t frame)
{
    struct flm_bytes name = flm_frame_function(p, frame);
    struct flm_bytes module = flm_string_bytes(p, p->frames[frame].module);
    return flm_checksum(name.at, name.size) ^ (flm_checksum(module.at, module.size) << 1);
}

/* Paths of equal names get equal hashes, whatever else is in the profile. Never 0. */
static uint64_t step_hash(uint64_t above, uint64_t frame, uint32_t ordinal)
{
    uint64_t hash = flm_mix(above ^ frame ^ ordinal * 0xD1B54A32D192ED03u, 0x9E3779B97F4A7C15u);
    return hash ? hash : 1;
}

/* Siblings can have the same name: other lines, files, kinds. They are neighbors, as frames are,
 * and are distinguished by their number among themselves: 0 for the first. In a flame chart, which
 * is in the order of time, by their number among all siblings. */
static uint32_t ordinal_after(const struct flm_pane *pane, uint32_t before, uint32_t frame,
                              uint32_t ordinal)
{
    const struct flm_frame_record *frames = pane->profile->frames;
    if (before == FLM_NONE)
        return 0;
    bool same = frames[before].function == frames[frame].function &&
                frames[before].module == frames[frame].module;
    return same || pane->kind == FLM_PANE_CHART ? ordinal + 1 : 0;
}

static bool has_width(const struct flm_pane *pane, uint32_t node)
{
    return flm_layout_total(pane->layout, (struct flm_node){node}) > 0;
}

static uint32_t ordinal_of(const struct flm_pane *pane, struct flm_node node,
                           struct flm_node parent)
{
    const struct flm_tree *tree = &pane->tree;
    uint32_t frame = tree->frame[node.index], before = FLM_NONE, ordinal = 0;
    /* Frames of one name follow one another: mostly there is no other. */
    if (pane->kind != FLM_PANE_CHART && ordinal_after(pane, frame - (frame > 0), frame, 0) == 0)
        return 0;
    for (uint32_t i = parent.index + 1; i <= node.index; i = tree->end[i]) {
        if (!has_width(pane, i))
            continue;
        ordinal = ordinal_after(pane, before, tree->frame[i], ordinal);
        before = tree->frame[i];
    }
    return ordinal;
}

/* What the paths of a pane begin with. Panes of threads come and go when processes are collapsed,
 * or hidden, and keep the names of their threads. */
static uint64_t start_of(const struct flm_scene *scene, uint32_t i)
{
    const struct flm_pane *pane = &scene->panes[i];
    if (pane->kind != FLM_PANE_CHART)
        return i + 1;
    const struct flm_track *track = flm_threads_track(scene, pane);
    const uint32_t labels[] = {track->process, track->value};
    uint64_t start = 0;
    for (int k = 0; k < 2; k++) {
        struct flm_bytes label = {NULL, 0};
        if (labels[k] != FLM_NONE)
            label = flm_string_bytes(pane->profile, labels[k]);
        start = step_hash(start, flm_checksum(label.at, label.size), labels[k] != FLM_NONE);
    }
    return start;
}

void flm_scene_path(const struct flm_scene *scene, struct flm_node_ref ref, struct flm_path *path)
{
    *path = (struct flm_path){0};
    if (ref.number == FLM_NONE || ref.pane >= scene->pane_count)
        return;
    const struct flm_pane *pane = &scene->panes[ref.pane];
    struct flm_node node = flm_pane_node(pane, ref.number), parent;
    uint32_t level = node.index == FLM_NONE ? FLM_NONE : flm_layout_level(pane->layout, node);
    if (level == FLM_NONE || level == 0)
        return;
    struct step {
        uint64_t frame;
        uint32_t ordinal;
    } *steps = malloc(level * sizeof *steps);
    if (!steps)
        return;
    for (uint32_t i = level; i-- > 0; node = parent) {
        parent = flm_layout_parent(pane->layout, node);
        steps[i].frame = frame_hash(pane->profile, pane->tree.frame[node.index]);
        steps[i].ordinal = ordinal_of(pane, node, parent);
    }
    path->hash = start_of(scene, ref.pane);
    path->count = pane->lazy && level <= FLM_MOST_STEPS_OF_PATH ? level : 0;
    for (uint32_t i = 0; i < level; i++) {
        path->hash = step_hash(path->hash, steps[i].frame, steps[i].ordinal);
        if (i < path->count)
            path->step[i] = (unsigned char)path->hash;
    }
    free(steps);
}

/* A node that the walk is in, and the child of it that was passed last. */
struct walked {
    uint64_t hash;
    uint32_t end, child_frame, ordinal;
};

/* Levels count nodes with a width only, so a walk over all may be deeper: it goes into none
 * without. `frames` has room for the hash of each frame, 0 where it is not known yet. */
static uint32_t walk_to(const struct flm_pane *pane, struct walked *walked, uint64_t *frames,
                        uint64_t path)
{
    const struct flm_tree *tree = &pane->tree;
    struct walked *in = walked;
    for (uint32_t i = 1; i < tree->node_count;) {
        while (i >= in->end)
            in--;
        if (!has_width(pane, i)) {
            i = tree->end[i];
            continue;
        }
        uint32_t frame = tree->frame[i];
        if (frames[frame] == 0)
            frames[frame] = frame_hash(pane->profile, frame);
        in->ordinal = ordinal_after(pane, in->child_frame, frame, in->ordinal);
        in->child_frame = frame;
        uint64_t hash = step_hash(in->hash, frames[frame], in->ordinal);
        if (hash == path)
            return i;
        *++in = (struct walked){.hash = hash, .end = tree->end[i], .child_frame = FLM_NONE};
        i++;
    }
    return FLM_NONE;
}

static uint32_t find_path(const struct flm_pane *pane, uint64_t start, uint64_t path)
{
    size_t levels = flm_layout_level_count(pane->layout);
    struct walked *walked = malloc((levels + 1) * sizeof *walked);
    uint64_t *frames = calloc(pane->profile->sizes.frame_count, sizeof *frames);
    uint32_t found = FLM_NONE;
    if (walked && frames) {
        walked[0] =
            (struct walked){.hash = start, .end = pane->tree.end[0], .child_frame = FLM_NONE};
        found = walk_to(pane, walked, frames, path);
    }
    free(walked);
    free(frames);
    return found;
}

/* Opens the nodes whose hashes may be the path's, until one is: mostly one a level. */
static bool seek(const struct flm_pane *pane, const struct flm_path *path, uint32_t level,
                 uint64_t above, struct flm_lazy_ref in, uint32_t *found, struct flm_error *why)
{
    if (!flm_lazy_tree_open(pane->lazy, in, INFINITY, 0, NULL, why))
        return false;
    struct flm_lazy_tree_node node = flm_lazy_tree_at(pane->lazy, in);
    uint32_t before = FLM_NONE, ordinal = 0;
    for (uint32_t c = 0; c < node.child_count && *found == FLM_NONE; c++) {
        struct flm_lazy_ref number = {node.first_child + c};
        struct flm_lazy_tree_node child = flm_lazy_tree_at(pane->lazy, number);
        if (!(child.total > 0))
            continue;
        ordinal = ordinal_after(pane, before, child.frame, ordinal);
        before = child.frame;
        uint64_t hash = step_hash(above, frame_hash(pane->profile, child.frame), ordinal);
        if ((unsigned char)hash != path->step[level])
            continue;
        if (level + 1 < path->count) {
            if (!seek(pane, path, level + 1, hash, number, found, why))
                return false;
        } else if (hash == path->hash) {
            *found = number.index;
        }
    }
    return true;
}

bool flm_scene_find(struct flm_scene *scene, const struct flm_path *path, struct flm_node_ref *ref,
                    struct flm_error *why)
{
    *ref = (struct flm_node_ref){0, FLM_NONE};
    for (uint32_t i = 0; path->hash && i < scene->pane_count; i++) {
        const struct flm_pane *pane = &scene->panes[i];
        if (!flm_threads_open(scene, &scene->panes[i], why))
            return false;
        uint32_t node = find_path(pane, start_of(scene, i), path->hash);
        if (node != FLM_NONE) {
            *ref = (struct flm_node_ref){i, flm_pane_number(pane, (struct flm_node){node})};
            return true;
        }
    }
    for (uint32_t i = 0; path->count > 0 && i < scene->pane_count; i++) {
        struct flm_pane *pane = &scene->panes[i];
        uint32_t number = FLM_NONE;
        if (!pane->lazy)
            continue;
        if (!seek(pane, path, 0, start_of(scene, i), (struct flm_lazy_ref){0}, &number, why))
            return false;
        if (number == FLM_NONE)
            continue;
        *ref = (struct flm_node_ref){i, number};
        return flm_pane_take_lazy(pane, why);
    }
    return true;
}
