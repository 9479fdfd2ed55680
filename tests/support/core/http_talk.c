#include "support/core/http_talk.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

int http_connect(uint16_t port)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(port),
                             .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (file >= 0 && connect(file, (struct sockaddr *)(void *)&to, sizeof to) == 0)
        return file;
    close(file);
    return -1;
}

struct flm_text http_exchange(uint16_t port, struct flm_bytes request)
{
    struct flm_text answer = {0};
    int file = http_connect(port);
    for (size_t sent = 0; file >= 0 && sent < request.size;) {
        ssize_t more = send(file, request.at + sent, request.size - sent, MSG_NOSIGNAL);
        if (more <= 0)
            break; /* it was refused before its end; what is said to that is read */
        sent += (size_t)more;
    }
    ssize_t got = file >= 0 ? 1 : 0;
    while (got > 0) {
        char *room = flm_text_reserve(&answer, 65536);
        got = room ? recv(file, room, 65536, 0) : 0;
        answer.size += got > 0 ? (size_t)got : 0;
    }
    if (file >= 0)
        close(file);
    flm_text_putc(&answer, 0);
    return answer;
}

struct http_answer http_ask(uint16_t port, const char *method, const char *target,
                            const char *headers, struct flm_bytes body)
{
    struct flm_text request = {0};
    struct http_answer answer = {0};
    flm_text_format(&request, "%s %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nConnection: close\r\n",
                    method, target, port);
    flm_text_format(&request, "Content-Length: %llu\r\n%s\r\n", (unsigned long long)body.size,
                    headers);
    flm_text_add(&request, body);
    answer.all = http_exchange(port, (struct flm_bytes){request.at, request.size});
    flm_text_clear(&request);
    if (answer.all.size > 13)
        answer.status = (int)strtol(answer.all.at + 9, NULL, 10);
    const char *end = answer.all.size > 0 ? strstr(answer.all.at, "\r\n\r\n") : NULL;
    if (end)
        answer.body =
            (struct flm_bytes){end + 4, answer.all.size - 1 - (size_t)(end + 4 - answer.all.at)};
    return answer;
}
