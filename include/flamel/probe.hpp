// probe.hpp - C++20 coroutines as tasks (probe_tasks.h): a call is the time from one suspension to the
// next, on whatever thread; scopes inside are suspended with the coroutine.
//
//     struct promise_type : flm::task_promise<"fetch"> {      what it adds: await_transform
//         auto initial_suspend() { return flm_first(std::suspend_always{}); }
//         auto final_suspend() noexcept { return flm_last(std::suspend_always{}); }
//         ...
//     };
//
// What the coroutines of a promise do is told apart by FLM_FUNC() in them.
//
// A promise that has an await_transform of its own says  return flm_measured(mine(x));  in it. A
// coroutine that is destroyed before its end was canceled; its scopes end then.
#ifndef FLAMEL_PROBE_HPP
#define FLAMEL_PROBE_HPP

#include <coroutine>
#include <cstddef>
#include <exception>
#include <type_traits>
#include <utility>

#include "flamel/probe_tasks.h"

namespace flm
{

template <std::size_t size> struct text {
    char at[size];
    constexpr text(const char (&from)[size])
    {
        for (std::size_t i = 0; i < size; i++)
            at[i] = from[i];
    }
};

// What an expression is awaited with: what its operator co_await returns, or itself, which lives as
// long as the expression.
template <class T> decltype(auto) awaiter_of(T &&awaited)
{
    if constexpr (requires { std::forward<T>(awaited).operator co_await(); })
        return std::forward<T>(awaited).operator co_await();
    else if constexpr (requires { operator co_await(std::forward<T>(awaited)); })
        return operator co_await(std::forward<T>(awaited));
    else
        return static_cast<T &&>(awaited);
}

// It is destroyed before the variables of a coroutine that is: then their scopes are opened again, for
// them to end.
template <class Awaiter> struct measured {
    struct flm_task &task;
    Awaiter awaiter;
    bool is_away = false;

    template <class T>
    measured(struct flm_task &of, T &&awaited)
        : task(of), awaiter(awaiter_of(std::forward<T>(awaited)))
    {
    }
    measured(const measured &) = delete;
    measured &operator=(const measured &) = delete;
    ~measured()
    {
        if (is_away)
            flm_task_resume(task);
    }
    bool await_ready()
    {
        return awaiter.await_ready();
    }
    // Before it is handed over: another thread may have it at once.
    template <class Promise>
    auto await_suspend(std::coroutine_handle<Promise> handle)
    {
        is_away = true;
        flm_task_suspend(task);
        using result = decltype(awaiter.await_suspend(handle));
        if constexpr (std::is_same_v<result, bool>) {
            bool is_suspended = awaiter.await_suspend(handle);
            if (!is_suspended)
                come_back();
            return is_suspended;
        } else {
            return awaiter.await_suspend(handle);
        }
    }
    decltype(auto) await_resume()
    {
        come_back();
        return awaiter.await_resume();
    }
    void come_back() noexcept
    {
        if (is_away) {
            is_away = false;
            flm_task_resume(task);
        }
    }
};
template <class T>
measured(struct flm_task &, T &&) -> measured<decltype(awaiter_of(std::declval<T>()))>;

// Before the body, where it is not resumed yet; and after it, when its variables are gone.
template <class Awaiter> struct first {
    struct flm_task &task;
    Awaiter awaiter;
    bool await_ready() noexcept
    {
        return awaiter.await_ready();
    }
    template <class Promise> auto await_suspend(std::coroutine_handle<Promise> handle) noexcept
    {
        return awaiter.await_suspend(handle);
    }
    decltype(auto) await_resume() noexcept
    {
        flm_task_resume(task);
        return awaiter.await_resume();
    }
};

template <class Awaiter> struct last : Awaiter {
    last(struct flm_task &task, Awaiter &&awaiter) noexcept : Awaiter(std::move(awaiter))
    {
        flm_task_end(task);
        task.task = nullptr;
    }
};

template <text name> struct task_promise {
    struct flm_task flm_task_here;

    task_promise() : flm_task_here(flm_task_named(name.at))
    {
    }
    task_promise(const task_promise &) = delete;
    task_promise &operator=(const task_promise &) = delete;
    ~task_promise()
    {
        flm_task_cancel(flm_task_here);
    }

    template <class Awaiter> auto flm_first(Awaiter &&awaiter)
    {
        return first<std::decay_t<Awaiter>>{flm_task_here, std::forward<Awaiter>(awaiter)};
    }
    template <class Awaiter> auto flm_last(Awaiter &&awaiter) noexcept
    {
        return last<std::decay_t<Awaiter>>(flm_task_here, std::forward<Awaiter>(awaiter));
    }
    template <class T> auto flm_measured(T &&awaited)
    {
        return measured{flm_task_here, std::forward<T>(awaited)};
    }
    template <class T> auto await_transform(T &&awaited)
    {
        return flm_measured(std::forward<T>(awaited));
    }
};

} // namespace flm

#endif
