#include "serve/scrape/yaml.h"

#ifndef FLAMEL_YAML

struct flm_yaml *flm_yaml_open(struct flm_bytes text, struct flm_error *why)
{
    (void)text;
    flm_error_set(why, FLM_ERROR_SYSTEM,
                  "this flamel was built without libyaml, which configurations need");
    return NULL;
}

void flm_yaml_close(struct flm_yaml *yaml)
{
    (void)yaml;
}

int flm_yaml_root(const struct flm_yaml *yaml)
{
    (void)yaml;
    return 0;
}

enum flm_yaml_kind flm_yaml_kind(const struct flm_yaml *yaml, int node)
{
    (void)yaml, (void)node;
    return FLM_YAML_NONE;
}

uint64_t flm_yaml_line(const struct flm_yaml *yaml, int node)
{
    (void)yaml, (void)node;
    return 0;
}

struct flm_bytes flm_yaml_text(const struct flm_yaml *yaml, int node)
{
    (void)yaml, (void)node;
    return (struct flm_bytes){"", 0};
}

bool flm_yaml_item(const struct flm_yaml *yaml, int node, size_t index, int *item)
{
    (void)yaml, (void)node, (void)index, (void)item;
    return false;
}

bool flm_yaml_pair(const struct flm_yaml *yaml, int node, size_t index, int *key, int *value)
{
    (void)yaml, (void)node, (void)index, (void)key, (void)value;
    return false;
}

#else

#include <stdlib.h>
#include <yaml.h>

#include "os/library.h"

/* clang-format off */
#define FLM_YAML_FUNCTIONS(each)                                                                  \
    each(parser_initialize) each(parser_delete) each(parser_set_input_string) each(parser_load)   \
    each(document_delete) each(document_get_root_node) each(document_get_node)
/* clang-format on */

#define FLM_YAML_POINTER(name) __typeof__(yaml_##name) *name;
#define AS_NAME(name) "yaml_" #name,

struct flm_yaml {
    struct {
        FLM_YAML_FUNCTIONS(FLM_YAML_POINTER)
    } library;
    yaml_document_t document;
    bool has_document;
};

static bool open_library(struct flm_yaml *yaml, struct flm_error *why)
{
    static const char *const files[] = {"libyaml-0.so.2", NULL};
    static const char *const names[] = {FLM_YAML_FUNCTIONS(AS_NAME) NULL};
    struct flm_error missing;
    return flm_library_open(files, names, &yaml->library, &missing) ||
           flm_error_set(why, FLM_ERROR_SYSTEM, "a configuration takes libyaml: %s", missing.text);
}

static bool load(struct flm_yaml *yaml, struct flm_bytes text, struct flm_error *why)
{
    yaml_parser_t parser;
    if (!yaml->library.parser_initialize(&parser))
        return flm_error_memory(why);
    yaml->library.parser_set_input_string(&parser, (const unsigned char *)text.at, text.size);
    yaml->has_document = yaml->library.parser_load(&parser, &yaml->document) == 1;
    if (!yaml->has_document && parser.error == YAML_MEMORY_ERROR)
        flm_error_memory(why);
    else if (!yaml->has_document)
        flm_error_line(why, FLM_ERROR_FORMAT, parser.problem_mark.line + 1, "this is no YAML: %s",
                       parser.problem ? parser.problem : "it cannot be read");
    yaml->library.parser_delete(&parser);
    return yaml->has_document;
}

struct flm_yaml *flm_yaml_open(struct flm_bytes text, struct flm_error *why)
{
    struct flm_yaml *yaml = calloc(1, sizeof *yaml);
    if (!yaml)
        flm_error_memory(why);
    else if (open_library(yaml, why) && load(yaml, text, why))
        return yaml;
    flm_yaml_close(yaml);
    return NULL;
}

void flm_yaml_close(struct flm_yaml *yaml)
{
    if (yaml && yaml->has_document)
        yaml->library.document_delete(&yaml->document);
    free(yaml);
}

/* The library has no functions that take a document without changing it. */
static yaml_node_t *at(const struct flm_yaml *yaml, int node)
{
    return yaml->library.document_get_node((yaml_document_t *)(uintptr_t)&yaml->document, node);
}

int flm_yaml_root(const struct flm_yaml *yaml)
{
    return yaml->library.document_get_root_node((yaml_document_t *)(uintptr_t)&yaml->document) ? 1
                                                                                               : 0;
}

enum flm_yaml_kind flm_yaml_kind(const struct flm_yaml *yaml, int node)
{
    const yaml_node_t *n = at(yaml, node);
    return !n                             ? FLM_YAML_NONE
           : n->type == YAML_SCALAR_NODE  ? FLM_YAML_TEXT
           : n->type == YAML_MAPPING_NODE ? FLM_YAML_MAP
                                          : FLM_YAML_LIST;
}

uint64_t flm_yaml_line(const struct flm_yaml *yaml, int node)
{
    const yaml_node_t *n = at(yaml, node);
    return n ? n->start_mark.line + 1 : 0;
}

struct flm_bytes flm_yaml_text(const struct flm_yaml *yaml, int node)
{
    const yaml_node_t *n = at(yaml, node);
    if (!n || n->type != YAML_SCALAR_NODE)
        return (struct flm_bytes){"", 0};
    return (struct flm_bytes){(const char *)n->data.scalar.value, n->data.scalar.length};
}

bool flm_yaml_item(const struct flm_yaml *yaml, int node, size_t index, int *item)
{
    const yaml_node_t *n = at(yaml, node);
    if (!n || n->type != YAML_SEQUENCE_NODE ||
        index >= (size_t)(n->data.sequence.items.top - n->data.sequence.items.start))
        return false;
    *item = n->data.sequence.items.start[index];
    return true;
}

bool flm_yaml_pair(const struct flm_yaml *yaml, int node, size_t index, int *key, int *value)
{
    const yaml_node_t *n = at(yaml, node);
    if (!n || n->type != YAML_MAPPING_NODE ||
        index >= (size_t)(n->data.mapping.pairs.top - n->data.mapping.pairs.start))
        return false;
    *key = n->data.mapping.pairs.start[index].key;
    *value = n->data.mapping.pairs.start[index].value;
    return true;
}

#endif
