#!/usr/bin/env python3
"""serve_kill.py FLAMEL [ROUNDS [PUSHERS]]: kills flamel serve with SIGKILL, ROUNDS times (100), while PUSHERS (8) push.

Each profile is a stack of its own with the value 1, and has an id; what was not acknowledged is sent again, with the same id,
until it is. At the end each must be there once: a loss, or one that was counted twice, is the exit status 1. Server and pushers
share the machine, whatever else runs on it.
"""
import http.client, os, random, signal, socket, subprocess, sys, tempfile, threading, time

flamel, rounds, pushers = sys.argv[1], int((sys.argv[2:] or [100])[0]), int((sys.argv[3:] or [8])[0])
random.seed(7)
folder = tempfile.mkdtemp(prefix="flamel-kill-")
with socket.socket() as one:
    one.bind(("127.0.0.1", 0))
    port = one.getsockname()[1]
acknowledged, again, is_over = [0] * pushers, [0] * pushers, threading.Event()


def start():
    """Started again at once: the port may be taken for a moment by what was killed."""
    while True:
        server = subprocess.Popen([flamel, "serve", "--data", folder, "--listen", f"127.0.0.1:{port}"],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if server.stdout.readline():
            threading.Thread(target=server.stderr.read, daemon=True).start()
            return server
        said = server.stderr.read().decode()
        server.wait()
        if "in use" not in said:
            sys.exit(f"it does not start again: {said}")
        time.sleep(0.05)


def push(number):
    connection, n = None, 0
    while not is_over.is_set():
        path = f"/api/v1/push?service=s{number}&id={number}-{n}"
        try:
            connection = connection or http.client.HTTPConnection("127.0.0.1", port, timeout=20)
            connection.request("POST", path, f"main;p{number};n{n} 1\n")
            response = connection.getresponse()
            response.read()
            if response.status != 200:
                raise OSError(f"status {response.status}")
        except (OSError, http.client.HTTPException):
            if connection:
                connection.close()
            connection = None
            again[number] += 1
            time.sleep(0.01)
            continue
        n += 1
        acknowledged[number] = n


server = start()
threads = [threading.Thread(target=push, args=(i,)) for i in range(pushers)]
for thread in threads:
    thread.start()
begun = time.monotonic()
for _ in range(rounds):
    before = sum(acknowledged)
    time.sleep(random.uniform(0.02, 0.3))
    while sum(acknowledged) < before + pushers:  # it takes some between two rounds
        time.sleep(0.01)
    server.send_signal(signal.SIGKILL)
    server.wait()
    server = start()
is_over.set()
for thread in threads:
    thread.join()
connection = http.client.HTTPConnection("127.0.0.1", port)
connection.request("GET", "/api/v1/merge?format=folded")
found = dict(line.rsplit(" ", 1) for line in connection.getresponse().read().decode().splitlines())
connection.request("GET", "/metrics")
repeated = [line for line in connection.getresponse().read().decode().splitlines() if line.startswith("flamel_repeated")]
server.send_signal(signal.SIGTERM)
server.wait()
lost = sum(f"main;p{p};n{n}" not in found for p in range(pushers) for n in range(acknowledged[p]))
twice = sum(value != "1" for value in found.values())
print(f"{rounds} kills in {time.monotonic() - begun:.0f} s, {sum(acknowledged)} acknowledged, {sum(again)} sent again "
      f"or not taken ({repeated[0]} since the last start), {lost} lost, {twice} counted twice")
subprocess.run(["rm", "-r", folder], check=True)
sys.exit(1 if lost or twice or len(found) < sum(acknowledged) else 0)
