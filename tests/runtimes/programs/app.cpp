// Half a second in leaf, below functions that must all be in its stacks.
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

} // namespace app

int main()
{
    long sum = 0;
    while (clock() < CLOCKS_PER_SEC / 2)
        sum += app::outer(20000);
    std::printf("%ld\n", sum);
}
