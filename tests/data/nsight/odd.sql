-- odd.sqlite: sqlite3 odd.sqlite < odd.sql
-- 22 warnings, and a call whose stack has a number that no exporter writes.
PRAGMA page_size = 512;
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO StringIds VALUES (1, 'main'), (2, 'poll');
CREATE TABLE OSRT_API (start INT NOT NULL, end INT NOT NULL, globalTid INT NOT NULL, nameId INT NOT NULL, callchainId INT NOT NULL);
INSERT INTO OSRT_API VALUES (10, 40, 281476654432356, 2, 4294967296), (50, 90, 281476654432356, 2, 1);
CREATE TABLE OSRT_CALLCHAINS (id INT NOT NULL, symbol INT NOT NULL, module INT, stackDepth INT NOT NULL);
INSERT INTO OSRT_CALLCHAINS VALUES (1, 2, NULL, 0), (1, 1, NULL, 1);
CREATE TABLE DIAGNOSTIC_EVENT (timestamp INT, severity INT, text TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 22)
INSERT INTO DIAGNOSTIC_EVENT SELECT i, 2, 'lost ' || i FROM n;
