#include "serve/grpc/grpc_message.h"

bool flm_grpc_message(struct flm_bytes body, struct flm_bytes *message, bool *is_compressed,
                      struct flm_error *why)
{
    const unsigned char *at = (const unsigned char *)body.at;
    if (body.size < FLM_GRPC_PREFIX)
        return flm_error_set(why, FLM_ERROR_FORMAT, "the call has no message");
    uint32_t size = (uint32_t)at[1] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 8 | at[4];
    if (at[0] > 1)
        return flm_error_set(why, FLM_ERROR_FORMAT,
                             "the prefix of the message is malformed: its first byte is 0 or 1");
    if (size > body.size - FLM_GRPC_PREFIX)
        return flm_error_set(why, FLM_ERROR_FORMAT,
                             "the message ends too early: it has %zu of %u bytes",
                             body.size - FLM_GRPC_PREFIX, (unsigned)size);
    if (size < body.size - FLM_GRPC_PREFIX)
        return flm_error_set(why, FLM_ERROR_FORMAT, "there is more than one message in the call");
    *is_compressed = at[0] == 1;
    *message = (struct flm_bytes){body.at + FLM_GRPC_PREFIX, size};
    return true;
}

void flm_grpc_put_message(struct flm_text *out, struct flm_bytes message)
{
    flm_text_putc(out, 0);
    for (int shift = 24; shift >= 0; shift -= 8)
        flm_text_putc(out, (char)(message.size >> shift & 255));
    flm_text_add(out, message);
}

unsigned flm_grpc_status(unsigned http_status)
{
    static const struct {
        unsigned http, grpc;
    } statuses[] = {{200, 0}, {400, 3},  {401, 16}, {403, 7}, {404, 12}, {405, 12},
                    {413, 8}, {415, 12}, {422, 3},  {429, 8}, {501, 12}, {503, 14}};
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++)
        if (statuses[i].http == http_status)
            return statuses[i].grpc;
    return 13;
}

void flm_grpc_put_text(struct flm_text *out, struct flm_bytes text)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.at[i];
        if (c >= ' ' && c < 127 && c != '%')
            flm_text_putc(out, (char)c);
        else {
            const char *digits = "0123456789ABCDEF";
            flm_text_putc(out, '%');
            flm_text_putc(out, digits[c >> 4]);
            flm_text_putc(out, digits[c & 15]);
        }
    }
}
