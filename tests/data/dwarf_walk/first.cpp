#include "shared.h"

volatile int sink = 5;

namespace {
struct Local {
    int v;
    __attribute__((noinline)) int twice(int x) { return mix(v, x) * 2 + sink; }
};
}

static inline int leaf(int x)
{
    return x * x + sink;
}

static inline int middle(int x)
{
    int s = 0;
    for (int i = 0; i < x % 9; i++)
        s += leaf(i) ^ Box<int>(i).get();
    return s;
}

__attribute__((noinline)) int dead_first(int x)
{
    int s = 0;
    for (int i = 0; i < x; i++)
        s += leaf(i) + middle(i);
    return s;
}

__attribute__((noinline)) int thrower(int x)
{
    if (__builtin_expect(x == 12345, 0))
        throw Failure{middle(x)};
    return leaf(x) + x;
}

static __attribute__((noinline)) int recursive(int x)
{
    return x <= 0 ? leaf(x) : recursive(x - 1) + recursive(x - 2) + leaf(x);
}

template <class F> __attribute__((noinline)) int apply(F f, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += f(i);
    return s;
}

int main(int argc, char **)
{
    Local l{argc};
    int r = l.twice(3) + second(argc) + (int)Box<long>(argc).get() + recursive(argc);
    try {
        r += thrower(12344 + argc);
    } catch (Failure &f) {
        r += f.why;
    }
    r += apply([&](int q) { return q + leaf(r) + sink; }, argc);
    return r + plain(argc) == 0;
}
