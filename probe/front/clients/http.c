/* http.c - transfers of libcurl, and their phases. Stands in front of curl_easy_perform and of
 * curl_multi_info_read.
 *
 * A transfer is a node of "METHOD URL", normalized; what it reads and writes is in that. libcurl
 * says when names were known, the connection and its encryption stood, and the first byte came:
 * these differences are meters. Bytes of both directions are FLM_PROBE_AMOUNT; an answer from 400
 * on is an error. Of transfers that several are at a time of, only the meters have how long they
 * took. */
#include <string.h>

#include "calls.h"
#include "front.h"
#include "normalize.h"

/* Of libcurl, whose header may not be there. */
enum curl_info {
    EFFECTIVE_URL = 0x100000 + 1,
    RESPONSE_CODE = 0x200000 + 2,
    SIZE_UPLOAD = 0x600000 + 7,
    SIZE_DOWNLOAD = 0x600000 + 8,
    TOTAL_TIME = 0x600000 + 50,
    NAMES_TIME = 0x600000 + 51,
    CONNECT_TIME = 0x600000 + 52,
    FIRST_TIME = 0x600000 + 54,
    SECURE_TIME = 0x600000 + 56,
    EFFECTIVE_METHOD = 0x100000 + 58
};
struct curl_message {
    int kind; /* 1: it is done */
    void *easy;
    union {
        void *anything;
        int result;
    } data;
};

FLM_FRONT int curl_easy_perform(void *easy);
FLM_FRONT struct curl_message *curl_multi_info_read(void *multi, int *left);

/* curl_easy_perform uses the other one itself. */
static __thread __attribute__((tls_model("initial-exec"))) bool is_within;

typedef int get_info(void *easy, enum curl_info which, ...);

static struct flm_site *identity(const void *thing, const void *caller, int operation)
{
    (void)caller, (void)operation;
    return (struct flm_site *)(uintptr_t)thing;
}

static struct flm_call *call_of(get_info *info, void *easy)
{
    char name[1024];
    const char *method = NULL, *url = NULL;
    if (info(easy, EFFECTIVE_URL, &url) != 0 || !url || !*url)
        return NULL;
    if (info(easy, EFFECTIVE_METHOD, &method) != 0 || !method)
        method = "GET";
    size_t size = strnlen(method, 32);
    memcpy(name, method, size);
    name[size++] = ' ';
    size += flm_normalize_url(name + size, sizeof name - size, url, strlen(url));
    struct flm_site *site =
        flm_site_named(FLM_PROBE_TRANSFER, FLM_PROBE_NO_OPERATION, name, size, NULL);
    return site ? flm_call_of(site, NULL, identity, 0) : NULL;
}

/* Microseconds from its beginning; 0: that phase was not needed, as the connection stood. */
static uint64_t time_of(get_info *info, void *easy, enum curl_info which)
{
    int64_t us = 0;
    return info(easy, which, &us) == 0 && us > 0 ? (uint64_t)us : 0;
}

static uint64_t ticks_of(uint64_t us)
{
    const double one = 4294967296.0, ns = 1000;
    return (uint64_t)((double)us * ns * one / (double)flm_run.arena.header->ns_per_tick);
}

static void add_phase(uint32_t site, enum flm_probe_quantity quantity, uint64_t from, uint64_t to)
{
    if (to > from)
        flm_call_add(site, quantity, ticks_of(to - from));
}

/* Returns whether the answer is good. */
static bool add_phases(get_info *info, void *easy, struct flm_call *call)
{
    uint64_t names = time_of(info, easy, NAMES_TIME), connect = time_of(info, easy, CONNECT_TIME);
    uint64_t secure = time_of(info, easy, SECURE_TIME), first = time_of(info, easy, FIRST_TIME);
    uint32_t site = call->number;
    long code = 0;
    add_phase(site, FLM_PROBE_PHASE_NAMES, 0, names);
    add_phase(site, FLM_PROBE_PHASE_CONNECT, names, connect);
    if (secure > 0)
        add_phase(site, FLM_PROBE_PHASE_SECURE, connect, secure);
    add_phase(site, FLM_PROBE_PHASE_FIRST, secure > connect ? secure : connect, first);
    uint64_t bytes = time_of(info, easy, SIZE_UPLOAD) + time_of(info, easy, SIZE_DOWNLOAD);
    call->node->value[FLM_PROBE_AMOUNT] += bytes;
    flm_call_add(site, FLM_PROBE_BYTES, bytes);
    return info(easy, RESPONSE_CODE, &code) != 0 || code < 400;
}

int curl_easy_perform(void *easy)
{
    __typeof__(curl_easy_perform) *real =
        (__typeof__(curl_easy_perform) *)flm_behind_of(FLM_CALLER(), "curl_easy_perform");
    if (!flm_is_seen(FLM_PROBE_TRANSFERS) || !easy)
        return real(easy);
    get_info *info = (get_info *)flm_behind_of(FLM_CALLER(), "curl_easy_getinfo");
    struct flm_call *call = info ? call_of(info, easy) : NULL;
    struct flm_site *site = call ? call->site : NULL;
    void *open = call ? flm_call_enter(call) : NULL;
    is_within = true;
    int result = real(easy);
    is_within = false;
    uint64_t ticks = flm_call_pause(open);
    call = open ? flm_call_of(site, NULL, identity, 0) : NULL;
    if (call)
        flm_call_done(call, ticks, add_phases(info, easy, call) && result == 0);
    return result;
}

struct curl_message *curl_multi_info_read(void *multi, int *left)
{
    struct curl_message *message = ((__typeof__(curl_multi_info_read) *)flm_behind_of(
        FLM_CALLER(), "curl_multi_info_read"))(multi, left);
    if (!flm_is_seen(FLM_PROBE_TRANSFERS) || is_within || !message || message->kind != 1)
        return message;
    get_info *info = (get_info *)flm_behind_of(FLM_CALLER(), "curl_easy_getinfo");
    struct flm_call *call = info ? call_of(info, message->easy) : NULL;
    if (call) {
        bool is_good = add_phases(info, message->easy, call) && message->data.result == 0;
        flm_call_done(call, ticks_of(time_of(info, message->easy, TOTAL_TIME)), is_good);
    }
    return message;
}

void flm_transfers_start(void)
{
    flm_signal_is(FLM_PROBE_TRANSFERS, FLM_PROBE_ACTIVE, NULL);
}
