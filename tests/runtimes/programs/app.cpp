// Three tenths of a second in leaf, below functions that must all be in its stacks, and two in rest;
// says how long it was in each.
#include <cstdio>
#include <ctime>

namespace app {

template <typename T> struct Work {
    __attribute__((noinline)) T leaf(T n)
    {
        volatile T sum = 0;
        for (T i = 0; i < n; i++)
            sum = sum + i % 7;
        return sum;
    }

    __attribute__((noinline)) T rest(T n)
    {
        volatile T sum = 0;
        for (T i = 0; i < n; i++)
            sum = sum + i % 5;
        return sum;
    }

    __attribute__((noinline)) T middle(T n)
    {
        T sum = 0;
        for (int i = 0; i < 10; i++)
            sum += leaf(n);
        return sum + 1;
    }
};

__attribute__((noinline)) long outer(long n)
{
    auto call = [](long k) { return Work<long>().middle(k) + 1; };
    return call(n) + 1;
}

__attribute__((noinline)) long other(long n)
{
    long sum = 0;
    for (int i = 0; i < 10; i++)
        sum += Work<long>().rest(n);
    return sum + 1;
}

} // namespace app

static double spend(long (*f)(long), double seconds)
{
    clock_t from = clock();
    volatile long sum = 0;
    while (clock() - from < seconds * CLOCKS_PER_SEC)
        sum = sum + f(20000);
    return double(clock() - from) / CLOCKS_PER_SEC;
}

int main()
{
    double in_leaf = spend(app::outer, 0.3), in_rest = spend(app::other, 0.2);
    std::printf("%f %f\n", in_leaf, in_rest);
}
