#include "shared.h"

int second(int x)
{
    return (int)Box<long>(x).get() + Box<int>(x).get() + mix(x, 3);
}

__attribute__((noinline)) int dead_second(int x)
{
    return mix(x, sink) + Box<int>(x).get();
}

__attribute__((noinline)) int same_first(int x)
{
    return mix(x, 77) + x;
}

__attribute__((noinline)) int same_second(int x)
{
    return mix(x, 77) + x;
}

int (*kept[])(int) = {same_first, same_second};
