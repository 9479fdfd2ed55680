-- old.sqlite: sqlite3 old.sqlite < old.sql
-- No processes in the tables of the GPU; calls with stacks are there twice, and the numbers of their
-- stacks are too small by one, as Nsight Systems 2022.2 wrote them.
PRAGMA page_size = 512;
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO StringIds VALUES (1, 'main'), (2, 'cudaMalloc'), (3, 'cudaMalloc_v3020'), (4, 'cudaMemcpy'), (5, 'cudaMemcpy_v3020'), (6, '/opt/app');
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT NOT NULL, end INT NOT NULL, eventClass INT NOT NULL, globalTid INT NOT NULL,
    correlationId INT NOT NULL, nameId INT NOT NULL, callchainId INT);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10, 40, 67, 281476654432356, 1, 2, 0), (11, 39, 0, 281476654432356, 1, 3, NULL),
    (50, 90, 67, 281476654432356, 2, 4, 1), (51, 89, 0, 281476654432356, 2, 5, NULL);
CREATE TABLE CUDA_CALLCHAINS (id INT NOT NULL, symbol INT NOT NULL, module INT NOT NULL, unresolved INT, originalIP INT, stackDepth INT NOT NULL);
INSERT INTO CUDA_CALLCHAINS VALUES (2, 4, 6, NULL, 1, 0), (2, 1, 6, NULL, 1, 1), (1, 1, 6, NULL, 2, 1), (1, 2, 6, NULL, 2, 0);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT NOT NULL, end INT NOT NULL, deviceId INT NOT NULL, streamId INT NOT NULL,
    correlationId INT NOT NULL, bytes INT NOT NULL, copyKind INT NOT NULL);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (60, 80, 1, 7, 2, 8, 2);
CREATE TABLE COMPOSITE_EVENTS (id INT NOT NULL PRIMARY KEY, start INT NOT NULL, cpu INT NOT NULL, threadState INT NOT NULL, globalTid INT NOT NULL, cpuCycles INT NOT NULL);
INSERT INTO COMPOSITE_EVENTS VALUES (1, 20, 0, 1, 281476654432356, 1000), (2, 30, 0, 1, 281476654432356, 2000);
