# threads.py - a program of which it is known what its threads and tasks do: python.sh compares.
#
#     two tasks of asyncio in the main thread     large and small: the CPU time of each
#     thread "holder"                             computes in C, and keeps the GIL meanwhile
#     thread "waiter"                             releases the GIL and takes it again, in give_and_take()
#
# Prints the share of `large` in the CPU time of both tasks, and the share of give_and_take() in the time of
# the waiter. Nothing else in the waiter blocks.
import asyncio
import os
import threading
import time


def spin(rounds):
    x = 0
    for i in range(rounds):
        x = x * 7 + i & 0xFFFF
    return x


used = {}


async def task(rounds):
    name = asyncio.current_task().get_name()
    for _ in range(60):
        start = time.thread_time()
        spin(rounds)
        used[name] = used.get(name, 0) + time.thread_time() - start
        await asyncio.sleep(0)


async def tasks():
    await asyncio.gather(asyncio.create_task(task(300000), name="large"), asyncio.create_task(task(100000), name="small"))


def hold(end):
    while not end.is_set():
        sum(range(300000))


def give_and_take():
    os.fstat(0)


def demand(result):
    start, waited, now = time.monotonic(), 0, time.monotonic()
    while now - start < 3:
        spin(20000)
        before = time.monotonic()
        give_and_take()
        now = time.monotonic()
        waited += now - before
    result.append(waited / (now - start))


asyncio.run(tasks())
end, result = threading.Event(), []
holder = threading.Thread(target=hold, args=(end,), name="holder")
waiter = threading.Thread(target=demand, args=(result,), name="waiter")
holder.start()
waiter.start()
waiter.join()
end.set()
holder.join()
print(used["large"] / (used["large"] + used["small"]), result[0])
