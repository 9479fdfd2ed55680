#!/usr/bin/env python3
"""A C++ program with much debug information: gen_templates.py COUNT > program.cpp

COUNT instances of a function over maps, sets, vectors, sort and shared pointers, each for a type of
its own, so that the compiler makes all of their templates anew. 25 of them, with g++ -O2 -g: 350,000
entries that a reader has to visit, 36,000 inlined copies that have code.

    program ROUNDS THREADS       10 rounds in one thread, when nothing is said"""
import sys

HEAD = """#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

template <int N> struct Key {
    int a;
    std::string s;
    bool operator<(const Key &o) const { return a < o.a || (a == o.a && s < o.s); }
    bool operator==(const Key &o) const { return a == o.a && s == o.s; }
};

template <int N> struct Hash {
    size_t operator()(const Key<N> &k) const { return std::hash<std::string>()(k.s) * N + k.a; }
};

template <int N> long work(long seed)
{
    std::map<Key<N>, std::vector<double>> map;
    std::unordered_map<Key<N>, std::shared_ptr<Key<N>>, Hash<N>> table;
    std::vector<Key<N>> keys;
    std::set<Key<N>> set;
    for (long i = 0; i < 20 + seed % 7; i++) {
        Key<N> k{(int)(i * N % 17), std::to_string(i ^ seed)};
        map[k].push_back(i * 0.5);
        table[k] = std::make_shared<Key<N>>(k);
        keys.push_back(k);
        set.insert(k);
    }
    std::sort(keys.begin(), keys.end(), [](const Key<N> &x, const Key<N> &y) { return y < x; });
    std::stable_sort(keys.begin(), keys.end());
    auto found = std::find_if(keys.begin(), keys.end(), [&](auto &k) { return k.a == seed % 17; });
    long sum = found == keys.end() ? 0 : found->a;
    std::function<long(long)> more = [&](long q) { return q + (long)map.size() * N; };
    for (auto &p : map)
        sum += more(std::accumulate(p.second.begin(), p.second.end(), 0.0));
    for (auto &p : table)
        sum += p.second->a;
    return sum + (long)set.size();
}

static long all(long s, int rounds)
{
    for (int r = 0; r < rounds; r++) {"""

TAIL = """    }
    return s;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 10, count = argc > 2 ? atoi(argv[2]) : 1;
    std::vector<long> sums(count);
    std::vector<std::thread> others;
    for (int i = 1; i < count; i++)
        others.emplace_back([&sums, i, rounds] { sums[i] = all(i, rounds); });
    sums[0] = all(argc, rounds);
    for (auto &other : others)
        other.join();
    printf("%ld\\n", std::accumulate(sums.begin(), sums.end(), 0L));
}"""

print(HEAD)
for number in range(1, int(sys.argv[1]) + 1):
    print(f"        s += work<{number}>(s);")
print(TAIL)
