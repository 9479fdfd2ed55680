#!/usr/bin/env python3
"""jfr.py RECORDING MEGABYTES OUT - a large recording: the chunks of a small one again and again, each at a
later time, as a recording that runs for hours has them."""
import struct
import sys

path, megabytes, out = sys.argv[1], float(sys.argv[2]), sys.argv[3]
data = open(path, "rb").read()
chunks = []
at = 0
while at < len(data):
    size = struct.unpack_from(">q", data, at + 8)[0]
    chunks.append(data[at : at + size])
    at += size
start = struct.unpack_from(">q", chunks[0], 32)[0]
end = max(sum(struct.unpack_from(">qq", chunk, 32)) for chunk in chunks)
with open(out, "wb") as file:
    turn = 0
    while file.tell() < megabytes * 1e6:
        for chunk in chunks:
            begins = struct.unpack_from(">q", chunk, 32)[0] + turn * (end - start)
            file.write(chunk[:32] + struct.pack(">q", begins) + chunk[40:])
        turn += 1
