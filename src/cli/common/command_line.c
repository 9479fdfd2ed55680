#include "cli/common/command_line.h"

#include <stdlib.h>
#include <string.h>

/* Of what is outside of quotes; in double quotes only the first two stay special. */
static const char special[] = "$`|&;<>()*?[]#~!{}\n";

/* Takes words apart into `bytes`; word by word with a zero behind each. Returns how many, or
 * OPEN_QUOTE when one is open at the end, SHELL when only a shell knows what is meant. */
enum { OPEN_QUOTE = -1, SHELL = -2 };
static int split(const char *text, char *bytes)
{
    int count = 0;
    for (char *to = bytes;; count++) {
        text += strspn(text, " \t");
        if (!*text)
            return count;
        char quote = 0;
        for (; *text && (quote || (*text != ' ' && *text != '\t')); text++) {
            if (*text == quote) {
                quote = 0;
            } else if (quote == '\'') {
                *to++ = *text;
            } else if (!quote && (*text == '\'' || *text == '"')) {
                quote = *text;
            } else if (quote ? *text == '$' || *text == '`' : strchr(special, *text) != NULL) {
                return SHELL;
            } else if (*text == '\\' && text[1] && (!quote || strchr("\"\\", text[1]))) {
                *to++ = *++text;
            } else {
                *to++ = *text;
            }
        }
        if (quote)
            return OPEN_QUOTE;
        *to++ = 0;
    }
}

/* "NAME=value" */
static bool is_assignment(const char *word)
{
    size_t size = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz0123456789");
    return size > 0 && word[size] == '=' && !(word[0] >= '0' && word[0] <= '9');
}

/* Points `words` at `count` texts that stand behind each other. */
static void point(char **words, char *bytes, int count)
{
    for (int i = 0; i < count; i++) {
        words[i] = bytes;
        bytes += strlen(bytes) + 1;
    }
}

bool flm_command_line_init(struct flm_command_line *line, const char *text, struct flm_error *why)
{
    static const char shell[] = "sh\0-c", env[] = "env";
    size_t size = strlen(text);
    *line = (struct flm_command_line){0};
    line->bytes = malloc(sizeof shell + size + 1);
    line->words = calloc(size / 2 + 4, sizeof *line->words);
    if (!line->bytes || !line->words) {
        flm_command_line_clear(line);
        return flm_error_memory(why);
    }
    int count = split(text, line->bytes + sizeof env), assigned = 0;
    if (count == SHELL) {
        memcpy(line->bytes, shell, sizeof shell);
        memcpy(line->bytes + sizeof shell, text, size + 1);
        point(line->words, line->bytes, 3);
        return true;
    }
    if (count > 0)
        point(line->words, line->bytes + sizeof env, count);
    while (assigned < count && is_assignment(line->words[assigned]))
        assigned++;
    if (count <= 0 || assigned == count) {
        flm_command_line_clear(line);
        return count == OPEN_QUOTE
                   ? flm_error_set(why, FLM_ERROR_USAGE, "a quote is not closed: %s", text)
                   : flm_error_set(why, FLM_ERROR_USAGE, "there is no command in '%s'", text);
    }
    if (assigned > 0) {
        memcpy(line->bytes, env, sizeof env);
        point(line->words, line->bytes, count + 1);
        assigned++;
    }
    line->target = line->words[assigned];
    return true;
}

void flm_command_line_clear(struct flm_command_line *line)
{
    free(line->words);
    free(line->bytes);
    *line = (struct flm_command_line){0};
}
