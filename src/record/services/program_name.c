#include "record/services/program_name.h"

#include <string.h>

/* An interpreter, and which of its options have a value of their own behind them, or name what is
 * run. Options that end with a blank have it as the next argument. */
struct interpreter {
    const char *name; /* and whatever digits and dots follow */
    const char *valued;
    const char *naming; /* the value is what is run: java -jar, python3 -m */
    const char *text;   /* the program itself is an argument: sh -c, perl -e */
};

static const struct interpreter interpreters[] = {
    {"python", " -W -X --check-hash-based-pycs ", " -m ", " -c "},
    {"pypy", " -W -X ", " -m ", " -c "},
    {"node", " -r --require --import --loader -C --conditions ", "", " -e --eval -p --print "},
    {"nodejs", " -r --require --import --loader -C --conditions ", "", " -e --eval -p --print "},
    {"ruby", " -r -I -C -E ", "", " -e "},
    {"perl", " -I -M ", "", " -e -E "},
    {"php", " -d -c -z -S -t ", " -f ", " -r -a "},
    {"java",
     " -cp -classpath --class-path -p --module-path --add-modules --add-opens --add-exports "
     "--add-reads ",
     " -jar -m --module ", ""},
    {"bash", " -o -O --rcfile --init-file ", "", " -c "},
    {"dash", " -o ", "", " -c "},
    {"sh", " -o ", "", " -c "},
    {"busybox", "", "", ""},
    {"Rscript", "", "", " -e "},
    {"lua", " -l ", "", " -e "},
    {"mono", "", "", ""},
    {"dotnet", " --additionalprobingpath --fx-version --roll-forward ", "", ""},
    {"beam.smp", "", "", ""},
};

static struct flm_bytes last_part(struct flm_bytes path)
{
    for (size_t i = path.size; i-- > 0;)
        if (path.at[i] == '/')
            return flm_bytes_from(path, i + 1);
    return path;
}

static const struct interpreter *interpreter_of(struct flm_bytes name)
{
    for (size_t i = 0; i < sizeof interpreters / sizeof *interpreters; i++) {
        if (!flm_bytes_start_with(name, interpreters[i].name))
            continue;
        struct flm_bytes rest = flm_bytes_from(name, strlen(interpreters[i].name));
        size_t version = 0;
        while (version < rest.size && flm_is_one_of(rest.at[version], "0123456789.t"))
            version++;
        if (version == rest.size)
            return &interpreters[i];
    }
    return NULL;
}

/* Whether a list of words, with a blank in front of and behind each, has it. */
static bool has_word(const char *list, struct flm_bytes word)
{
    for (const char *at = list; (at = strchr(at, ' ')) && at[1]; at++)
        if (strncmp(at + 1, word.at, word.size) == 0 && at[1 + word.size] == ' ')
            return true;
    return false;
}

static struct flm_bytes take_argument(struct flm_bytes *arguments)
{
    const char *end = arguments->size > 0 ? memchr(arguments->at, 0, arguments->size) : NULL;
    size_t size = end ? (size_t)(end - arguments->at) : arguments->size;
    struct flm_bytes argument = {arguments->at, size};
    *arguments = flm_bytes_from(*arguments, size + (end != NULL));
    return argument;
}

/* A file without a name of its own: of <(...), and of what was made in memory. */
static bool is_descriptor(struct flm_bytes path)
{
    return flm_bytes_start_with(path, "/dev/fd/") || flm_bytes_start_with(path, "/proc/self/fd/") ||
           flm_bytes_start_with(path, "/memfd:");
}

/* What it runs; empty: that is not known. */
static struct flm_bytes script_of(const struct interpreter *interpreter, struct flm_bytes arguments)
{
    take_argument(&arguments); /* its own name */
    while (arguments.size > 0) {
        struct flm_bytes argument = take_argument(&arguments);
        if (has_word(interpreter->text, argument))
            break;
        if (has_word(interpreter->naming, argument))
            return take_argument(&arguments);
        if (has_word(interpreter->valued, argument))
            take_argument(&arguments);
        else if (is_descriptor(argument))
            break;
        else if (argument.size > 0 && argument.at[0] != '-' && argument.at[0] != '@')
            return argument;
    }
    return (struct flm_bytes){0};
}

struct flm_bytes flm_program_name(struct flm_bytes program, struct flm_bytes arguments)
{
    static const char deleted[] = " (deleted)"; /* the kernel's word for a file that was replaced */
    if (flm_bytes_end_with(program, deleted))
        program.size -= strlen(deleted);
    struct flm_bytes rest = arguments, first = take_argument(&rest);
    bool is_file = program.size > 0 && !is_descriptor(program);
    struct flm_bytes name = last_part(is_file ? program : first);
    const struct interpreter *interpreter = interpreter_of(name);
    struct flm_bytes script =
        interpreter ? last_part(script_of(interpreter, arguments)) : (struct flm_bytes){0};
    return script.size > 0 ? script : name;
}
