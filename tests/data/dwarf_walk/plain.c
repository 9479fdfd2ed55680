extern volatile int sink;

static inline int square(int x)
{
    return x * x + sink;
}

static int helper(int x)
{
    return square(x) + square(x + 1);
}

int plain(int x)
{
    int s = 0;
    for (int i = 0; i < x; i++)
        s += helper(i) + square(i);
    return s;
}
