/* http_server.c - a small server: what does each route cost, and what does it wait for?
 *
 *     cc -O2 -pthread http_server.c -lflamel-probe -o http_server
 *     FLAMEL=report ./http_server PORT            until it is interrupted
 *     FLAMEL=report ./http_server 0 100           asks itself 100 times, and ends */
#include <arpa/inet.h>
#include <flamel/probe_values.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { THREADS = 2, USERS = 100 };

static int server;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *users[USERS];

/* A route, not an address: /users/12 and /users/13 are one request. */
static const char *route_of(const char *path)
{
    if (strncmp(path, "/users/", 7) == 0)
        return "GET /users/{id}";
    return strcmp(path, "/") == 0 ? "GET /" : "GET (unknown)";
}

static const char *find_user(int id)
{
    FLM_FUNC();
    pthread_mutex_lock(&lock);
    if (!users[id]) {
        FLM_SCOPE("load user");
        users[id] = malloc(64);
        if (users[id])
            snprintf(users[id], 64, "user %d\n", id);
        usleep(1000); /* a database would be asked here */
    }
    const char *user = users[id];
    pthread_mutex_unlock(&lock);
    return user ? user : "";
}

static void answer(int client, const char *status, const char *body)
{
    FLM_FUNC();
    char text[512];
    int size = snprintf(text, sizeof text, "HTTP/1.0 %s\r\nContent-Length: %zu\r\n\r\n%s", status,
                        strlen(body), body);
    if (write(client, text, (size_t)size) == size)
        FLM_COUNT("bytes sent", size);
}

static void serve(int client)
{
    char text[1024], path[256];
    ssize_t size = read(client, text, sizeof text - 1);
    text[size > 0 ? size : 0] = 0;
    if (sscanf(text, "GET %255s", path) != 1)
        return;
    FLM_REQUEST(route_of(path));
    if (strncmp(path, "/users/", 7) == 0)
        answer(client, "200 OK", find_user(abs(atoi(path + 7)) % USERS));
    else if (strcmp(path, "/") == 0)
        answer(client, "200 OK", "hello\n");
    else
        answer(client, "404 Not Found", "there is no such page\n");
}

static void *accept_all(void *nothing)
{
    for (int client; (client = accept(server, NULL, NULL)) >= 0;) {
        FLM_GAUGE_ADD("connections", 1);
        serve(client);
        close(client);
        FLM_GAUGE_ADD("connections", -1);
    }
    return nothing;
}

static int ask(struct sockaddr_in *address, const char *path)
{
    char text[512];
    int file = socket(AF_INET, SOCK_STREAM, 0);
    if (file < 0 || connect(file, (struct sockaddr *)address, sizeof *address) != 0)
        return 0;
    int size = snprintf(text, sizeof text, "GET %s HTTP/1.0\r\n\r\n", path);
    ssize_t got = write(file, text, (size_t)size) == size ? read(file, text, sizeof text) : 0;
    close(file);
    return got > 0;
}

int main(int argc, char **argv)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    pthread_t threads[THREADS];
    int times = argc > 2 ? atoi(argv[2]) : 0, answers = 0;
    address.sin_port = htons((unsigned short)(argc > 1 ? atoi(argv[1]) : 8080));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(server, (struct sockaddr *)&address, size) != 0 || listen(server, 64) != 0 ||
        getsockname(server, (struct sockaddr *)&address, &size) != 0) {
        perror("http_server");
        return 1;
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, accept_all, NULL);
    for (int i = 0; i < times; i++) {
        char path[64];
        snprintf(path, sizeof path, i % 4 ? "/users/%d" : i % 8 ? "/" : "/none", i % 20);
        answers += ask(&address, path);
    }
    if (times > 0)
        shutdown(server, SHUT_RDWR);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%d answers\n", answers);
    for (int i = 0; i < USERS; i++)
        free(users[i]);
    return 0;
}
