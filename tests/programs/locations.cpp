// locations.cpp - a program that is in places of many kinds, for stacks that several tools compare:
// inlined functions and templates, recursion that is deeper than a chain of the kernel's, threads,
// a child, the vdso, system calls, a library, and a handler of a signal.
#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

static volatile double sink;

__attribute__((always_inline)) static inline double wave(double x)
{
    return std::sin(x) * 1.1 + x;
}

__attribute__((noinline)) static void compute(int rounds)
{
    double sum = 0;
    for (int i = 0; i < rounds; i++)
        sum += wave(i);
    sink = sum;
}

namespace places
{
template <class T> struct Sorter {
    __attribute__((noinline)) void sort(int count)
    {
        std::vector<T> values(count);
        for (int i = 0; i < count; i++)
            values[i] = (i * 7919LL) % count;
        std::sort(values.begin(), values.end());
        sink = values[count / 2];
    }
};
} // namespace places

__attribute__((noinline)) static int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__attribute__((noinline)) static void descend(int depth)
{
    if (depth > 0)
        descend(depth - 1);
    else
        compute(30000);
    sink = sink + 1;
}

__attribute__((noinline)) static void handle(int)
{
    for (int i = 0; i < 20000; i++)
        sink = sink + i;
}

__attribute__((noinline)) static void ask_time(int rounds)
{
    timespec now;
    for (int i = 0; i < rounds; i++) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        sink = (double)now.tv_nsec;
    }
}

__attribute__((noinline)) static void ask_kernel(int rounds)
{
    for (int i = 0; i < rounds; i++)
        sink = getppid();
}

__attribute__((noinline)) static void work(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        compute(100000);
        places::Sorter<double>().sort(40000);
        sink = fibonacci(22);
        descend(200);
        ask_time(40000);
        ask_kernel(10000);
    }
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 5;
    signal(SIGALRM, handle);
    itimerval every = {{0, 3000}, {0, 3000}};
    setitimer(ITIMER_REAL, &every, nullptr);
    std::thread other([rounds] { work(rounds); });
    work(rounds);
    other.join();
    pid_t child = fork();
    if (child == 0) {
        work(rounds / 3 + 1);
        _exit(0);
    }
    waitpid(child, nullptr, 0);
}
