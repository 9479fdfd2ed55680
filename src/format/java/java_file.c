#include "format/java/java_file.h"

static bool is_separator(char byte)
{
    return byte == '.' || byte == '/';
}

void flm_java_file_add(struct flm_text *out, struct flm_bytes name, struct flm_bytes file)
{
    size_t start = 0, end = 0; /* of the outermost class */
    while (end < name.size && (name.at[end] != '$' || end == start)) {
        if (is_separator(name.at[end]))
            start = end + 1;
        end++;
    }
    if (end == start)
        return;
    for (size_t i = 0; i < start; i++)
        flm_text_putc(out, is_separator(name.at[i]) ? '/' : name.at[i]);
    if (file.size > 0)
        flm_text_add(out, file);
    else {
        flm_text_add(out, (struct flm_bytes){name.at + start, end - start});
        flm_text_puts(out, ".java");
    }
}
