#include "cli/mcp/server.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cli/mcp/tools.h"
#include "flamel/flamel.h"

/* A line that the second thread answers. */
struct job {
    struct job *next;
    char *line;
    size_t size;
    struct flm_text id; /* as it came; of a batch: "" */
    atomic_bool is_canceled;
};

struct server {
    FILE *out;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t news;
    struct job *first, *last; /* those that wait */
    struct job *current;
    bool is_ending, has_failed;
};

/* ---- Answers --------------------------------------------------------------------------------- */

/* The newest first: that is proposed to clients that know none of them. */
static const char *const versions[] = {"2025-06-18", "2025-03-26", "2024-11-05"};

static const char *choose_version(struct flm_bytes params)
{
    struct flm_source source = flm_source_of(params);
    struct flm_json json;
    struct flm_bytes key, text = {NULL, 0};
    const char *chosen = versions[0];
    flm_json_init(&json, &source, NULL);
    flm_json_enter_object(&json);
    while (params.at && flm_json_next_key(&json, &key))
        if (flm_bytes_are(key, "protocolVersion") && flm_json_type(&json) == FLM_JSON_TYPE_STRING &&
            flm_json_string(&json, &text))
            for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
                if (flm_bytes_are(text, versions[i]))
                    chosen = versions[i];
    flm_json_clear(&json);
    return chosen;
}

static void add_greeting(struct flm_text *out, struct flm_bytes params)
{
    static const char instructions[] =
        "flamel reads CPU, memory and other profiles of any tool. Begin with report, then callers, "
        "tree or annotate about what is expensive there. diff compares two recordings; gate tests "
        "several of each side, and only its verdict is more than noise. live watches a running "
        "program. Each answer says what it left out.";
    struct flm_json_writer json = {.out = out};
    flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
    flm_json_add_text(&json, "protocolVersion", flm_bytes_of(choose_version(params)));
    flm_json_begin(&json, "capabilities", FLM_JSON_OBJECT_LINE);
    flm_json_begin(&json, "tools", FLM_JSON_OBJECT_LINE);
    flm_json_end(&json);
    flm_json_end(&json);
    flm_json_begin(&json, "serverInfo", FLM_JSON_OBJECT_LINE);
    flm_json_add_text(&json, "name", flm_bytes_of("flamel"));
    flm_json_add_text(&json, "version", flm_bytes_of(flm_version()));
    flm_json_end(&json);
    flm_json_add_text(&json, "instructions", flm_bytes_of(instructions));
    flm_json_end(&json);
}

/* The name of the tool, and its arguments, of the parameters of tools/call. */
static const struct flm_mcp_tool *find_tool(struct flm_bytes params, struct flm_bytes *arguments,
                                            struct flm_error *why)
{
    struct flm_source source = flm_source_of(params);
    struct flm_json json;
    struct flm_bytes key, name;
    const struct flm_mcp_tool *tool = NULL;
    flm_error_set(why, FLM_ERROR_USAGE, "tools/call needs the name of a tool");
    flm_json_init(&json, &source, NULL);
    flm_json_enter_object(&json);
    while (params.at && flm_json_next_key(&json, &key)) {
        if (flm_bytes_are(key, "arguments")) {
            *arguments = flm_rpc_take(&json);
        } else if (flm_bytes_are(key, "name") && flm_json_type(&json) == FLM_JSON_TYPE_STRING &&
                   flm_json_string(&json, &name)) {
            tool = flm_mcp_tool_named(name);
            if (!tool)
                flm_error_set(why, FLM_ERROR_USAGE, "there is no tool '%.*s'", (int)name.size,
                              name.at);
        }
    }
    flm_json_clear(&json);
    return tool;
}

static void call_tool(const struct flm_rpc_message *m, const atomic_bool *is_canceled,
                      struct flm_text *out)
{
    struct flm_bytes arguments = {NULL, 0};
    struct flm_text result = {0};
    struct flm_error why;
    const struct flm_mcp_tool *tool = find_tool(m->params, &arguments, &why);
    if (!tool || !flm_mcp_call(tool, arguments, is_canceled, &result, &why))
        flm_rpc_add_error(out, m->id, FLM_RPC_WRONG_PARAMETERS, why.text);
    else if (result.failed)
        flm_rpc_add_error(out, m->id, FLM_RPC_FAILED, "out of memory");
    else
        flm_rpc_add_result(out, m->id, (struct flm_bytes){result.at, result.size});
    flm_text_clear(&result);
}

static void answer_request(const struct flm_rpc_message *m, const atomic_bool *is_canceled,
                           struct flm_text *out)
{
    struct flm_bytes method = {m->method.at, m->method.size};
    struct flm_text result = {0};
    if (flm_bytes_are(method, "tools/call")) {
        call_tool(m, is_canceled, out);
        return;
    }
    if (flm_bytes_are(method, "initialize"))
        add_greeting(&result, m->params);
    else if (flm_bytes_are(method, "tools/list"))
        flm_mcp_list(&result);
    else if (flm_bytes_are(method, "ping"))
        flm_text_puts(&result, "{}");
    if (result.size > 0)
        flm_rpc_add_result(out, m->id, (struct flm_bytes){result.at, result.size});
    else
        flm_rpc_add_error(out, m->id, FLM_RPC_NO_METHOD, "there is no such method here");
    flm_text_clear(&result);
}

/* Adds a line, or nothing where nothing is to be answered. */
static void answer(struct flm_bytes line, const atomic_bool *is_canceled, struct flm_text *out)
{
    struct flm_rpc_message m;
    enum flm_rpc_code code;
    struct flm_error why;
    if (!flm_rpc_read(line, &m, &code, &why))
        flm_rpc_add_error(out, m.id, code, why.text);
    else if (m.id.at && m.method.size > 0)
        answer_request(&m, is_canceled, out);
    flm_rpc_clear(&m);
}

static void answer_batch(const struct flm_rpc_batch *batch, const atomic_bool *is_canceled,
                         struct flm_text *out)
{
    for (size_t i = 0; i < batch->count; i++) {
        size_t before = out->size;
        flm_text_putc(out, before > 0 ? ',' : '[');
        answer(batch->at[i], is_canceled, out);
        while (out->size > before && out->at[out->size - 1] == '\n')
            out->size--;
        if (out->size == before + 1)
            out->size = before;
    }
    if (out->size > 0)
        flm_text_puts(out, "]\n");
}

/* ---- The second thread ----------------------------------------------------------------------- */

static void write_out(struct server *s, const struct flm_text *text)
{
    pthread_mutex_lock(&s->lock);
    if (text->failed || fwrite(text->at, 1, text->size, s->out) != text->size || fflush(s->out))
        s->has_failed = true;
    pthread_mutex_unlock(&s->lock);
}

static void do_job(struct server *s, struct job *job)
{
    struct flm_text out = {0};
    struct flm_rpc_batch batch = {0};
    struct flm_bytes line = {job->line, job->size};
    if (flm_rpc_batch(line, &batch))
        answer_batch(&batch, &job->is_canceled, &out);
    else
        answer(line, &job->is_canceled, &out);
    if (!atomic_load(&job->is_canceled) && (out.size > 0 || out.failed))
        write_out(s, &out);
    FLM_ARRAY_CLEAR(&batch);
    flm_text_clear(&out);
}

static void free_job(struct job *job)
{
    flm_text_clear(&job->id);
    free(job->line);
    free(job);
}

/* Waits for one; NULL: there will be none. */
static struct job *next_job(struct server *s)
{
    pthread_mutex_lock(&s->lock);
    while (!s->first && !s->is_ending)
        pthread_cond_wait(&s->news, &s->lock);
    struct job *job = s->first;
    if (job) {
        s->first = job->next;
        s->last = s->first ? s->last : NULL;
    }
    s->current = job;
    pthread_mutex_unlock(&s->lock);
    return job;
}

static void *work(void *context)
{
    struct server *s = context;
    for (struct job *job; (job = next_job(s)) != NULL;) {
        do_job(s, job);
        pthread_mutex_lock(&s->lock);
        s->current = NULL;
        pthread_mutex_unlock(&s->lock);
        free_job(job);
    }
    return NULL;
}

/* ---- The first thread ------------------------------------------------------------------------ */

static bool add_job(struct server *s, struct flm_bytes line, struct flm_bytes id)
{
    struct job *job = calloc(1, sizeof *job);
    if (!job || !(job->line = malloc(line.size + 1))) {
        free(job);
        return false;
    }
    memcpy(job->line, line.at, line.size);
    job->size = line.size;
    flm_text_add(&job->id, id);
    pthread_mutex_lock(&s->lock);
    *(s->last ? &s->last->next : &s->first) = job;
    s->last = job;
    pthread_cond_signal(&s->news);
    pthread_mutex_unlock(&s->lock);
    return true;
}

static void cancel_job(struct job *job, struct flm_bytes id)
{
    if (job && job->id.size > 0 &&
        flm_bytes_equal((struct flm_bytes){job->id.at, job->id.size}, id))
        atomic_store(&job->is_canceled, true);
}

/* notifications/cancelled: {"requestId": 7}. One that is answered already is none of our business. */
static void cancel(struct server *s, struct flm_bytes params)
{
    struct flm_source source = flm_source_of(params);
    struct flm_json json;
    struct flm_bytes key, id = {NULL, 0};
    flm_json_init(&json, &source, NULL);
    flm_json_enter_object(&json);
    while (params.at && flm_json_next_key(&json, &key))
        if (flm_bytes_are(key, "requestId"))
            id = flm_rpc_take(&json);
    flm_json_clear(&json);
    if (!id.at)
        return;
    pthread_mutex_lock(&s->lock);
    cancel_job(s->current, id);
    for (struct job *job = s->first; job; job = job->next)
        cancel_job(job, id);
    pthread_mutex_unlock(&s->lock);
}

static bool take_line(struct server *s, struct flm_bytes line)
{
    static const atomic_bool never;
    struct flm_rpc_message m;
    enum flm_rpc_code code;
    struct flm_text out = {0};
    bool good = true;
    struct flm_rpc_batch batch = {0};
    bool is_batch = flm_rpc_batch(line, &batch);
    bool is_request = !is_batch && flm_rpc_read(line, &m, &code, NULL);
    struct flm_bytes method = {NULL, 0};
    if (is_request)
        method = (struct flm_bytes){m.method.at, m.method.size};
    if (is_batch)
        good = add_job(s, line, (struct flm_bytes){"", 0});
    else if (is_request && m.id.at && flm_bytes_are(method, "tools/call"))
        good = add_job(s, line, m.id);
    else if (is_request && flm_bytes_are(method, "notifications/cancelled"))
        cancel(s, m.params);
    else
        answer(line, &never, &out);
    if (out.size > 0 || out.failed)
        write_out(s, &out);
    flm_text_clear(&out);
    if (!is_batch)
        flm_rpc_clear(&m);
    FLM_ARRAY_CLEAR(&batch);
    return good;
}

static bool is_blank(struct flm_bytes line)
{
    for (size_t i = 0; i < line.size; i++)
        if (!strchr(" \t\r\n", line.at[i]))
            return false;
    return true;
}

static bool read_lines(struct server *s, FILE *in, struct flm_error *why)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t size;
    bool good = true;
    while (good && !s->has_failed && (size = getline(&line, &room, in)) > 0) {
        struct flm_bytes bytes = {line, (size_t)size};
        if (!is_blank(bytes))
            good = take_line(s, bytes) || flm_error_memory(why);
    }
    if (good && ferror(in))
        good = flm_error_set(why, FLM_ERROR_SYSTEM, "cannot read: %s", strerror(errno));
    free(line);
    return good;
}

bool flm_mcp_serve(FILE *in, FILE *out, struct flm_error *why)
{
    struct server s = {.out = out};
    pthread_t worker;
    pthread_mutex_init(&s.lock, NULL);
    pthread_cond_init(&s.news, NULL);
    bool good = pthread_create(&worker, NULL, work, &s) == 0 ||
                flm_error_set(why, FLM_ERROR_SYSTEM, "no thread can be started");
    if (good) {
        good = read_lines(&s, in, why);
        pthread_mutex_lock(&s.lock);
        s.is_ending = true;
        pthread_cond_signal(&s.news);
        pthread_mutex_unlock(&s.lock);
        pthread_join(worker, NULL);
    }
    pthread_cond_destroy(&s.news);
    pthread_mutex_destroy(&s.lock);
    return good;
}
