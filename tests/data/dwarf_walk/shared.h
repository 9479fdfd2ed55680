extern volatile int sink;
struct Failure {
    int why;
};
int second(int x);
extern "C" int plain(int x);

inline int mix(int a, int b)
{
    for (int i = 0; i < (b & 7); i++)
        a = a * 31 + i;
    return a;
}

template <class T> struct Box {
    T t;
    explicit Box(T x) : t(x)
    {
    }
    __attribute__((noinline)) T get() const
    {
        return (T)mix((int)t, sink) + t;
    }
};
