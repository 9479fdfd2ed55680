// work.cpp - C++ whose stacks are sampled: templates, virtual calls, exceptions, the standard library.
#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

struct shape {
    virtual ~shape() = default;
    virtual double area(int depth) const = 0;
};

struct square : shape {
    double side;
    explicit square(double s) : side(s) {}
    double area(int depth) const override
    {
        double sum = side * side;
        for (int i = 0; i < 400; i++)
            sum = sum * 1.0000001 + i;
        return depth ? sum + square(side / 2).area(depth - 1) : sum;
    }
};

static int throwing(int depth)
{
    std::string kept(40, 'x');
    if (depth == 0)
        throw std::runtime_error("enough of " + kept);
    return throwing(depth - 1) + static_cast<int>(kept.size());
}

int main()
{
    volatile double sink = 0;
    auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(250)) {
        std::map<std::string, int> words;
        for (int i = 0; i < 300; i++)
            words["word" + std::to_string(i * 7919 % 301)] += i;
        std::vector<int> numbers(4000);
        std::iota(numbers.begin(), numbers.end(), 0);
        std::sort(numbers.begin(), numbers.end(),
                  [](int a, int b) { return a * 7919 % 4001 < b * 7919 % 4001; });
        std::unique_ptr<shape> one = std::make_unique<square>(numbers[5]);
        sink = sink + one->area(20) + words.size();
        std::function<int(int)> deep = [&](int n) { return n ? deep(n - 1) + 1 : numbers[7]; };
        sink = sink + deep(30);
        for (int i = 0; i < 20; i++) {
            try {
                sink = sink + throwing(12);
            } catch (const std::exception &e) {
                sink = sink + e.what()[0];
            }
        }
        std::regex pattern("(a|b)*c(d+)");
        sink = sink + std::regex_search(std::string(60, 'a') + "bcddd", pattern);
        std::ostringstream out;
        for (int i = 0; i < 200; i++)
            out << i * 1.25 << ' ';
        sink = sink + out.str().size();
    }
}
