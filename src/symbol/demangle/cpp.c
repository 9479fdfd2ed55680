#include "symbol/demangle/cpp.h"

#include <stdlib.h>

#include "symbol/demangle/demangle.h"

/* Everything that a name needs, in one block. */
struct block {
    size_t nodes, substitutions, scopes;
    struct flm_cpp_node *node;
    struct flm_cpp_node **substitution;
    struct flm_cpp_scope *scope;
};

static bool allocate(struct block *block, size_t name_size)
{
    block->nodes = FLM_CPP_NODES * name_size + 16;
    block->scopes = name_size;
    block->substitutions = name_size;
    char *at = malloc(block->nodes * sizeof *block->node + block->scopes * sizeof *block->scope +
                      block->substitutions * sizeof *block->substitution);
    block->node = (void *)at;
    if (!at)
        return false;
    block->scope = (void *)(at + block->nodes * sizeof *block->node);
    block->substitution = (void *)(block->scope + block->scopes);
    return true;
}

/* The whole name, as a tree. */
static struct flm_cpp_node *read(struct flm_cpp_reader *r)
{
    struct flm_cpp_node *name = flm_cpp_read_encoding(r, true);
    bool is_whole = r->at == r->end || *r->at == '.' || *r->at == '@';
    return is_whole && !r->failed ? name : NULL;
}

static size_t demangle(struct flm_bytes symbol, const struct block *block, struct flm_text *out,
                       unsigned *steps)
{
    const struct flm_cpp_reader start = {.at = symbol.at + 2,
                                         .end = symbol.at + symbol.size,
                                         .nodes = block->node,
                                         .node_capacity = block->nodes,
                                         .substitutions = block->substitution,
                                         .substitution_capacity = block->substitutions};
    struct flm_cpp_reader r = start;
    struct flm_cpp_node *name = read(&r);
    if (!name && r.may_be_old) {
        unsigned before = r.steps;
        r = start;
        r.is_old = true;
        r.steps = before;
        name = read(&r);
    }
    *steps = r.steps;
    if (!name)
        return 0;
    struct flm_cpp_printer p = {.out = out,
                                .end = out->size + FLM_DEMANGLED_MOST,
                                .scopes = block->scope,
                                .scope_capacity = block->scopes,
                                .steps = r.steps};
    flm_cpp_print(&p, name);
    *steps = p.steps;
    return p.failed || out->failed ? 0 : (size_t)(r.at - symbol.at);
}

size_t flm_demangle_cpp(struct flm_bytes symbol, struct flm_text *out, unsigned *steps)
{
    struct block block;
    unsigned count = 0;
    size_t start = out->size, size = 0;
    if (flm_bytes_start_with(symbol, "_Z") && symbol.size <= FLM_DEMANGLED_MOST &&
        allocate(&block, symbol.size)) {
        size = demangle(symbol, &block, out, &count);
        free(block.node);
    }
    if (size == 0 && !out->failed)
        out->size = start;
    if (steps)
        *steps = count;
    return size;
}
