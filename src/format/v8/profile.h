/* profile.h - V8's profiles: nodes of a call tree, and samples that refer to them.
 *
 *     {"nodes": [{"id": 1, "callFrame": {"functionName": "(root)", "url": "", "lineNumber": -1},
 *                 "hitCount": 0, "children": [2]}, ...],
 *      "startTime": 1000, "endTime": 9000, "samples": [2, 2, 3], "timeDeltas": [100, 1250, 1250]}
 *
 * The same nodes are in .cpuprofile files and, in chunks, in Chrome's traces; older .cpuprofile
 * files and heap profiles have them inside each other ("head", with "children" that are nodes). A
 * node names its children, or its parent.
 *
 * Names are those that speedscope shows: a function without one is "(anonymous app.js:12)".
 *
 *     line 12 of the file    V8 counts lines from 0, as "lineNumber": 11; heap profiles are shown
 *                            with V8's numbers all the same
 *
 * Samples, as speedscope weighs them: timeDeltas[i] is the time before sample i, so a sample lasts
 * for timeDeltas[i + 1], and the last one for nothing. "(root)" and "(idle)" are no stacks.
 * "(garbage collector)" and "(program)" interrupt what ran before, and are on top of its stack.
 * Where time goes back (Chrome's clocks of several processors), a sample begins where the latest
 * one did. */
#ifndef FLAMEL_FORMAT_V8_PROFILE_H
#define FLAMEL_FORMAT_V8_PROFILE_H

#include "base/core/array.h"
#include "base/core/index.h"
#include "base/text/json_read.h"
#include "format/core/format.h"

struct flm_v8_node {
    double hits; /* hitCount, or the bytes of a heap profile */
    uint32_t id;
    uint32_t parent;            /* index of a node; FLM_NONE */
    uint32_t function, url;     /* strings of the builder */
    int32_t line;               /* from 0; -1: not known */
    uint32_t node;              /* of the builder, once its stack is made; FLM_NONE */
    uint32_t ticks, tick_count; /* in the profile's ticks */
    uint32_t role;              /* profile.c: known with the stack */
    uint32_t line_taken;        /* these two: the line that its last sample ran, and the */
    uint32_t line_node;         /* builder's node there */
};

struct flm_v8_edge {
    uint32_t from, to; /* a node's index and the id of its child, or of its parent */
    bool is_parent;
};

/* How often a line of a function was seen. */
struct flm_v8_tick {
    uint32_t line, count;
};

struct flm_v8_ids FLM_ARRAY(uint32_t);

struct flm_v8_profile {
    struct flm_builder *builder;
    struct FLM_ARRAY(struct flm_v8_node) nodes;
    struct FLM_ARRAY(struct flm_v8_edge) edges;
    struct FLM_ARRAY(struct flm_v8_tick) ticks;
    struct flm_v8_ids samples;       /* ids of nodes */
    struct flm_v8_ids lines;         /* that the samples ran; may be empty */
    struct FLM_ARRAY(double) deltas; /* microseconds */
    struct flm_json_keys node_keys, frame_keys, tick_keys;
    double start_us, end_us;
    bool lines_from_1; /* of the nodes: in the older form */
    struct flm_index by_id;
    size_t dense;   /* the first nodes, of which node i has the id i + 1: not in it */
    size_t indexed; /* how many of the nodes were added to it; the first one of an id is in it */
};

void flm_v8_clear(struct flm_v8_profile *profile);

/* Read the next value of the JSON, and append: an array of nodes; a node with its descendants
 * inside it; an array of numbers. */
void flm_v8_read_nodes(struct flm_v8_profile *profile, struct flm_json *json);
void flm_v8_read_tree(struct flm_v8_profile *profile, struct flm_json *json);
void flm_v8_read_samples(struct flm_v8_profile *profile, struct flm_json *json);
void flm_v8_read_deltas(struct flm_v8_profile *profile, struct flm_json *json);
void flm_v8_read_lines(struct flm_v8_profile *profile, struct flm_json *json);

/* parts.c: reads a part of a profile, as events of traces have it: {"cpuProfile": {"nodes": [...],
 * "samples": [...]}, "timeDeltas": [...], "lines": [...], "startTime": 5}. Any member may be
 * missing. */
void flm_v8_read_part(struct flm_v8_profile *part, struct flm_json *json);

/* Adds a part behind those before it; it is not to be used again. False when memory ran out. */
bool flm_v8_append(struct flm_v8_profile *to, struct flm_v8_profile *part);

/* Makes the stacks of all nodes below `root`. All frames are part of them in heap profiles; not
 * "(root)" and "(idle)" otherwise. False, and `why`, where nodes are in a circle. */
bool flm_v8_make_stacks(struct flm_v8_profile *profile, struct flm_node root, bool is_heap,
                        struct flm_error *why);

/* Adds the samples, in microseconds of `metric`, with the stacks that were made; the profile has
 * them no longer. */
void flm_v8_add_samples(struct flm_v8_profile *profile, struct flm_node root,
                        struct flm_metric metric, const struct flm_read_options *options,
                        struct flm_label_set labels);

/* Adds the hits of each node. */
void flm_v8_add_hits(struct flm_v8_profile *profile, struct flm_metric metric);

/* The frame of a function. `line` counts from 0 (-1: not known); `shown` is the number that the
 * name of an anonymous one has. */
struct flm_frame flm_v8_frame(struct flm_builder *builder, uint32_t function, uint32_t url,
                              int64_t line, int64_t shown);

#endif
