/* game.c - a loop of frames: which ones were late, and what was in them?
 *
 *     cc -O2 game.c -lflamel-probe -o game
 *     FLAMEL=report ./game */
#include <flamel/probe_values.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_PARTICLES = 4000, WIDTH = 160, HEIGHT = 90 };

static struct particle {
    float x, y, dx, dy;
    int life;
} particles[MOST_PARTICLES];
static int count;
static unsigned char picture[HEIGHT][WIDTH];

static float chance(void)
{
    return (float)rand() / (float)RAND_MAX - 0.5f;
}

/* An explosion, now and then: what makes a frame late. */
static void spawn(int frame)
{
    FLM_FUNC();
    int more = frame % 50 == 49 ? 1500 : 5;
    for (int i = 0; i < more && count < MOST_PARTICLES; i++)
        particles[count++] = (struct particle){WIDTH / 2.0f, HEIGHT / 2.0f, chance(), chance(),
                                               30 + rand() % 30};
    FLM_COUNT("particles made", more);
}

static void move(void)
{
    FLM_FUNC();
    for (int i = 0; i < count;) {
        struct particle *p = &particles[i];
        p->x += p->dx;
        p->y += p->dy;
        p->dy += 0.01f;
        if (--p->life > 0 && p->x >= 0 && p->x < WIDTH && p->y >= 0 && p->y < HEIGHT)
            i++;
        else
            *p = particles[--count];
    }
    FLM_GAUGE("particles", count);
}

static void draw(void)
{
    FLM_FUNC();
    {
        FLM_SCOPE("fade");
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++)
                picture[y][x] = (unsigned char)(picture[y][x] * 3 / 4);
    }
    int lit = 0;
    for (int i = 0; i < count; i++) {
        unsigned char *pixel = &picture[(int)particles[i].y][(int)particles[i].x];
        lit += *pixel < 255;
        *pixel = 255;
    }
    FLM_VALUE("pixels lit", lit);
}

static void wait_for_next(struct timespec *next)
{
    FLM_FUNC();
    next->tv_nsec += 2000000;
    next->tv_sec += next->tv_nsec / 1000000000;
    next->tv_nsec %= 1000000000;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, next, NULL);
}

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 500;
    struct timespec next;
    clock_gettime(CLOCK_MONOTONIC, &next);
    FLM_FUNC();
    for (int frame = 0; frame < frames; frame++) {
        FLM_FRAME("frame");
        spawn(frame);
        move();
        draw();
        wait_for_next(&next);
    }
    FLM_FRAME("frame"); /* the last one ends here */
    flm_frame_end();
    puts("done");
    return 0;
}
