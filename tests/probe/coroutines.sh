#!/bin/sh
# C++20 coroutines that go from thread to thread, await each other, and are destroyed: coroutines.sh BUILD.
build=$1 cc=${CC:-gcc}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH="$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
bad=0
complain()
{
    echo "$1"
    bad=1
}
echo '#include <coroutine>
std::suspend_never nothing;' > "$work/try.cc"
g++ -std=c++20 -fsyntax-only "$work/try.cc" 2> /dev/null || { echo "g++ has no coroutines"; exit 77; }
$cc -O1 -Iinclude tests/probe/programs/figures.c -o "$work/dump" || exit 1

cat > "$work/app.cc" << 'END'
#include <condition_variable>
#include <deque>
#include <flamel/probe.hpp>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex lock;
static std::condition_variable ready;
static std::deque<std::coroutine_handle<>> runnable;
static int left;

static void schedule(std::coroutine_handle<> handle)
{
    std::lock_guard<std::mutex> held(lock);
    runnable.push_back(handle);
    ready.notify_one();
}

struct reschedule {
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle) { schedule(handle); }
    int await_resume() const noexcept { return 1; }
};
struct maybe {
    bool suspends;
    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> handle)
    {
        bool was_asked = suspends; /* once it is scheduled, this may be gone */
        if (was_asked)
            schedule(handle);
        return was_asked;
    }
    void await_resume() const noexcept {}
};

template <flm::text name> struct coroutine {
    struct promise_type : flm::task_promise<name> {
        std::coroutine_handle<> awaited_by = std::noop_coroutine();
        int value = 0;
        coroutine get_return_object() { return coroutine{std::coroutine_handle<promise_type>::from_promise(*this)}; }
        auto initial_suspend() { return this->flm_first(std::suspend_always{}); }
        struct finish {
            bool await_ready() noexcept { return false; }
            std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> handle) noexcept
            {
                return handle.promise().awaited_by;
            }
            void await_resume() noexcept {}
        };
        auto final_suspend() noexcept { return this->flm_last(finish{}); }
        void return_value(int v) { value = v; }
        void unhandled_exception() { std::terminate(); }
    };
    std::coroutine_handle<promise_type> handle;
    explicit coroutine(std::coroutine_handle<promise_type> h) : handle(h) {}
    coroutine(coroutine &&from) : handle(from.handle) { from.handle = nullptr; }
    ~coroutine() { if (handle) handle.destroy(); }

    struct awaiter {
        std::coroutine_handle<promise_type> handle;
        bool await_ready() { return false; }
        std::coroutine_handle<> await_suspend(std::coroutine_handle<> from)
        {
            handle.promise().awaited_by = from;
            return handle;
        }
        int await_resume() { return handle.promise().value; }
    };
    awaiter operator co_await() { return awaiter{handle}; }
};

static coroutine<"child"> read_some(int n)
{
    FLM_FUNC();
    int sum = 0;
    for (int i = 0; i < n; i++) {
        FLM_SCOPE("wait");
        sum += co_await reschedule{};
    }
    co_await maybe{n % 2 == 0};
    co_return sum;
}

static coroutine<"parent"> fetch(int n)
{
    FLM_FUNC();
    int sum = 0;
    for (int i = 0; i < n; i++) {
        FLM_SCOPE("round");
        reschedule again;
        sum += co_await again;
        { FLM_SCOPE("read"); sum += co_await read_some(i); }
    }
    {
        std::lock_guard<std::mutex> held(lock);
        left--;
        ready.notify_all();
    }
    co_return sum;
}

static void run()
{
    FLM_SCOPE("run");
    for (;;) {
        std::coroutine_handle<> handle;
        {
            std::unique_lock<std::mutex> held(lock);
            ready.wait(held, [] { return !runnable.empty() || left == 0; });
            if (runnable.empty())
                return;
            handle = runnable.front();
            runnable.pop_front();
        }
        handle.resume();
    }
}

static coroutine<"thrown away"> wait_forever()
{
    FLM_FUNC();
    FLM_SCOPE("forever");
    co_await std::suspend_always{};
    co_return 0;
}

int main()
{
    enum { COROUTINES = 20, ROUNDS = 6, THREADS = 3 };
    FLM_FUNC();
    {
        std::vector<coroutine<"parent">> all;
        std::vector<std::thread> threads;
        left = COROUTINES;
        for (int i = 0; i < COROUTINES; i++) {
            all.push_back(fetch(ROUNDS));
            schedule(all[i].handle);
        }
        for (int i = 0; i < THREADS; i++)
            threads.emplace_back(run);
        for (auto &thread : threads)
            thread.join();
        for (auto &one : all)
            if (!one.handle.done() || one.handle.promise().value != ROUNDS + ROUNDS * (ROUNDS - 1) / 2)
                return 1;
    }
    for (int i = 0; i < 5; i++) {
        FLM_SCOPE("around");
        coroutine<"thrown away"> one = wait_forever();
        one.handle.resume();
        FLM_SCOPE("after");
    }
    { coroutine<"never run"> none = [](int n) -> coroutine<"never run"> { co_return n; }(1); }
    return 0;
}
END
cat > "$work/expected" << 'END'
main 1
main;around 5
main;around;after 5
main;around;thrown away 10 5 amount 5 errors
main;around;thrown away;wait_forever 5
main;around;thrown away;wait_forever;forever 5
main;never run 0 1 amount 1 errors
main;parent 0 20 amount
run 3
run;child N
run;child;read_some 120
run;child;read_some;wait 300
run;parent N
run;parent;fetch 20
run;parent;fetch;round 120
run;parent;fetch;round;child 0 120 amount
run;parent;fetch;round;read 120
END
check()
{
    what=$1
    shift
    "$@" -std=c++20 -Wall -Wextra -Wshadow -Werror -Iinclude "$work/app.cc" -o "$work/app" -pthread -L"$build" \
        -lflamel-probe || { complain "$what: does not compile"; return; }
    FLAMEL=file:$work/out,no-locks,no-io,no-memory "$work/app" || complain "$what: it fails"
    "$work/dump" "$work/out" > "$work/dumped"
    grep '^node' "$work/dumped" | sed 's/^node //; s/ calls [0-9]* ns//; s/^\(run;[a-z]*\) [0-9]*/\1 N/' |
        sed 's/;read;child/;child/' | LC_ALL=C sort | diff "$work/expected" - || complain "$what: other counts"
    grep -q '^meter parent WHOLE 20 ' "$work/dumped" && grep -q '^meter child WHOLE 120 ' "$work/dumped" ||
        complain "$what: $(grep WHOLE "$work/dumped")"
    grep -q '^left 0' "$work/dumped" || complain "$what: $(grep left "$work/dumped")"
    "$work/app" || complain "$what: it fails where nothing is measured"
}
check "g++" g++ -O2
check "g++ -O0" g++ -O0
g++ -std=c++20 -Wall -Wextra -Werror -DFLM_PROBE=0 -Iinclude "$work/app.cc" -o "$work/app" -pthread &&
    "$work/app" || complain "compiled out: it fails"
exit $bad
