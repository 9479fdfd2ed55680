#!/usr/bin/env python3
"""callgrind.py FILE COPIES OUT - a large callgrind file: the body of a small one again and again, each time with
other numbers and other names of functions, as a program of so many times the code has them."""
import re
import sys

path, copies, out = sys.argv[1], int(sys.argv[2]), sys.argv[3]
text = open(path).read()
begin = text.index("\n\n", text.index("\nevents:"))
end = text.find("\ntotals:", begin)
head, body, tail = text[:begin], text[begin : end + 1], text[end + 1 :]
ids = [int(found) for found in re.findall(r"=\((\d+)\)", body)]
most = max(ids, default=0) + 1
pieces = re.split(r"(?m)^(c?fn=|c?(?:fl|fi|fe|ob)=)\((\d+)\)(.*)$", body)
with open(out, "w") as file:
    file.write(re.sub(r"(?m)^summary:.*\n", "", head))
    for copy in range(copies):
        parts = [pieces[0]]
        for key, number, name, rest in zip(*(iter(pieces[1:]),) * 4):
            is_function = key in ("fn=", "cfn=")
            parts.append(f"{key}({int(number) + copy * most}){name}{f'_{copy}' if name and is_function else ''}{rest}")
        file.write("".join(parts))
