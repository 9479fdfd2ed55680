/* python_dump.h - the stacks of Python's threads: what the text and the JSON of them share. */
#ifndef FLAMEL_FORMAT_TEXT_PYTHON_DUMP_H
#define FLAMEL_FORMAT_TEXT_PYTHON_DUMP_H

#include "format/text/internal.h"

struct flm_python_dump {
    struct flm_text_reading base;
    bool is_py_spy;
    struct flm_text name;
};

/* A frame of the thread, leaf first; the line is 0 where it is not known. */
void flm_python_dump_frame(struct flm_python_dump *dump, struct flm_bytes function,
                           struct flm_bytes file, uint64_t line);

/* The labels of the thread. */
void flm_python_dump_thread(struct flm_python_dump *dump, struct flm_bytes name,
                            struct flm_bytes id, struct flm_bytes state);

/* Ends the thread, and begins the next one. */
void flm_python_dump_end(struct flm_python_dump *dump);

/* Reads py-spy dump --json: python_dump_json.c. */
bool flm_python_dump_read_json(struct flm_python_dump *dump, struct flm_source *source,
                               struct flm_error *why);

#endif
