/* methods.h - functions of Java, by the numbers that stacks have for them.
 *
 * A sample has a method and the index of a bytecode; what the method is called comes later, once,
 * from the agent. So a number is given at once, for each method, bytecode and kind, and is defined
 * (FLM_EVENT_CODE) when the method is known. Names are those of thread dumps:
 *
 *     Ljava/util/HashMap;  getNode            java.util.HashMap.getNode, java/util/HashMap.java:570
 *     Lcom/x/A$$Lambda$14.0x00007f3c;  apply  com.x.A$$Lambda.apply: the rest is new in each run */
#ifndef FLAMEL_RECORD_JAVA_METHODS_H
#define FLAMEL_RECORD_JAVA_METHODS_H

#include "base/core/array.h"
#include "base/core/index.h"
#include "base/text/text.h"
#include "record/java/wire.h"
#include "record/runtime/runtime.h"

struct flm_java_method_item {
    uint64_t vm, method;
    struct flm_text text; /* function and file, end to end */
    size_t function_size;
    struct flm_java_line *lines; /* by bytecode */
    uint32_t line_count;
    bool is_known;
};

struct flm_java_code_item {
    uint32_t method;
    int32_t bytecode;
    uint32_t kind;
    bool is_defined;
};

/* A name that is no method: generated code, a class, what is missing. */
struct flm_java_name_item {
    struct flm_text text;
    uint32_t kind; /* enum flm_kind */
    uint64_t code;
};

struct flm_java_methods {
    uint64_t first_code, next_code;
    struct FLM_ARRAY(struct flm_java_method_item) methods;
    struct flm_index method_index;
    struct FLM_ARRAY(struct flm_java_code_item) codes;
    struct flm_index code_index;
    struct FLM_ARRAY(uint64_t) code_numbers; /* of each of `codes` */
    struct FLM_ARRAY(struct flm_java_name_item) names;
    struct flm_index name_index;
    size_t defined; /* codes before this one are */
    uint64_t unnamed;
};

void flm_java_methods_clear(struct flm_java_methods *methods);

/* The number of a frame; 0 when memory ran out. `vm` tells methods of several VMs apart. */
uint64_t flm_java_methods_frame(struct flm_java_methods *methods, uint64_t vm,
                                const struct flm_java_frame *frame);

/* The number of a name, which is defined by `define` when it is new. 0, and `why`, when memory ran
 * out or that failed. */
uint64_t flm_java_methods_name(struct flm_java_methods *methods, struct flm_bytes name,
                               uint32_t kind, flm_event_sink define, void *context,
                               struct flm_error *why);

/* What a method is called; of a record that is not sound nothing is used. False when memory ran
 * out. */
bool flm_java_methods_learn(struct flm_java_methods *methods, uint64_t vm,
                            const struct flm_java_method *record);

/* Defines the numbers whose methods are known; with `all` the others too, by what is known. */
bool flm_java_methods_define(struct flm_java_methods *methods, bool all, flm_event_sink define,
                             void *context, struct flm_error *why);

/* A VM has ended: the numbers of its methods are defined, and what they are called is freed. */
bool flm_java_methods_end_vm(struct flm_java_methods *methods, uint64_t vm, flm_event_sink define,
                             void *context, struct flm_error *why);

/* "Ljava/lang/String;" as people read it; "[I" is int[]. */
void flm_java_class_name(struct flm_text *out, struct flm_bytes signature);

#endif
