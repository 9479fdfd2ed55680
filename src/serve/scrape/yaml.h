/* yaml.h - a YAML document, by libyaml: nodes by number, each with its kind, text and line.
 *
 * An alias is the node that it names, so a document is a graph: who walks it must know how deep. */
#ifndef FLAMEL_SERVE_SCRAPE_YAML_H
#define FLAMEL_SERVE_SCRAPE_YAML_H

#include "base/core/bytes.h"
#include "flamel/error.h"

struct flm_yaml;

enum flm_yaml_kind { FLM_YAML_NONE, FLM_YAML_TEXT, FLM_YAML_LIST, FLM_YAML_MAP };

/* The first document of the text, which stays where it is. NULL, and `why` with the line; also
 * where libyaml is missing. */
struct flm_yaml *flm_yaml_open(struct flm_bytes text, struct flm_error *why);
void flm_yaml_close(struct flm_yaml *yaml);

/* 0: the document is empty. */
int flm_yaml_root(const struct flm_yaml *yaml);
enum flm_yaml_kind flm_yaml_kind(const struct flm_yaml *yaml, int node);
uint64_t flm_yaml_line(const struct flm_yaml *yaml, int node);

/* Of a text; {"", 0} of others. It is terminated, and good until the document is closed. */
struct flm_bytes flm_yaml_text(const struct flm_yaml *yaml, int node);

/* The item of a list; the pair of a map. False behind the last, and for other kinds. */
bool flm_yaml_item(const struct flm_yaml *yaml, int node, size_t index, int *item);
bool flm_yaml_pair(const struct flm_yaml *yaml, int node, size_t index, int *key, int *value);

#endif
