# types.sqlite: python3 types.py (sqlite3 3.40). Trees of several levels, overflow pages, and every way in which a
# column can be declared.
import os
import sqlite3

os.path.exists('types.sqlite') and os.remove('types.sqlite')
db = sqlite3.connect('types.sqlite')
db.execute('PRAGMA page_size = 512')
db.execute('''CREATE TABLE "the numbers" ( -- a comment, with a comma and a )
    [start] INTEGER NOT NULL DEFAULT (1 + 2), /* another ( */ `the end` BIGINT CHECK ("the end" IN (1, 2) OR 1),
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, twice INT GENERATED ALWAYS AS (start * 2) VIRTUAL,
    thrice INT AS (start * 3) STORED, real REAL, text TEXT, blob, UNIQUE (start, id))''')
numbers = [0, 1, -1, 127, -128, 32767, -8388608, 2147483647, -140737488355328, 9223372036854775807, -9223372036854775808]
for i, number in enumerate(numbers):
    db.execute('INSERT INTO "the numbers" (start, "the end", id, real, text, blob) VALUES (?, ?, ?, ?, ?, ?)',
               (number // 4, number, 10 * i + 7, number / 2, 'x' * (i * i * 20), bytes([i]) if i else None))
db.execute('CREATE TABLE keyed (a TEXT, id INTEGER, PRIMARY KEY (id))')
db.executemany('INSERT INTO keyed VALUES (?, ?)', [('row %d' % i, i * 3) for i in range(1, 2001)])
db.execute('CREATE TABLE late (id INT PRIMARY KEY, a)')
db.execute('INSERT INTO late VALUES (5, 6)')
db.execute('ALTER TABLE late ADD COLUMN b TEXT')
db.execute("INSERT INTO late VALUES (7, 8, 'nine')")
db.execute('CREATE TABLE apart (a PRIMARY KEY) WITHOUT ROWID')
db.execute('CREATE TABLE empty (a)')
db.execute('CREATE VIEW seen AS SELECT * FROM late')
db.commit()
