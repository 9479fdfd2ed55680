-- full.db: sqlite3 full.db < full.sql; tables and columns as rocprofv3 of ROCm 7 makes them, those that are read.
PRAGMA page_size = 512;
CREATE TABLE "rocpd_metadata_r1" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "tag" TEXT NOT NULL, "value" TEXT NOT NULL);
INSERT INTO rocpd_metadata_r1 VALUES (1, 'schema_version', '3');
CREATE TABLE `rocpd_string_r1` ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "guid" TEXT DEFAULT "r1" NOT NULL, "string" TEXT NOT NULL);
INSERT INTO rocpd_string_r1 (id, string) VALUES (1, 'HIP_RUNTIME_API'), (2, 'hipLaunchKernel'), (3, 'hipMemcpy'), (4, 'MARKER_CORE_RANGE_API'),
    (5, 'roctxThreadRangeA'), (6, 'KERNEL_DISPATCH'), (7, 'MEMORY_COPY'), (8, 'MEMORY_COPY_HOST_TO_DEVICE'), (9, 'roctxMarkA');
CREATE TABLE `rocpd_info_node_r1` ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "guid" TEXT, "hostname" TEXT);
INSERT INTO rocpd_info_node_r1 VALUES (1, 'r1', 'mi300');
CREATE TABLE `rocpd_info_process_r1` ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "guid" TEXT, "nid" INTEGER NOT NULL, "ppid" INTEGER,
    "pid" INTEGER NOT NULL, "name" TEXT, "command" TEXT);
INSERT INTO rocpd_info_process_r1 VALUES (1, 'r1', 1, 1, 4711, NULL, './app --gpu');
CREATE TABLE `rocpd_info_thread_r1` ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "guid" TEXT, "nid" INTEGER NOT NULL, "ppid" INTEGER,
    "pid" INTEGER NOT NULL, "tid" INTEGER NOT NULL, "name" TEXT);
INSERT INTO rocpd_info_thread_r1 VALUES (1, 'r1', 1, 1, 1, 4711, 'main');
CREATE TABLE `rocpd_info_agent_r1` ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "guid" TEXT, "type" TEXT CHECK ("type" IN ('CPU', 'GPU')),
    "absolute_index" INTEGER, "type_index" INTEGER, "name" TEXT);
INSERT INTO rocpd_info_agent_r1 VALUES (1, 'r1', 'CPU', 0, 0, 'EPYC'), (2, 'r1', 'GPU', 1, 0, 'gfx942');
CREATE TABLE `rocpd_info_kernel_symbol_r1` ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "guid" TEXT, "kernel_name" TEXT, "display_name" TEXT);
INSERT INTO rocpd_info_kernel_symbol_r1 VALUES (16, 'r1', '_Z5saxpyPf.kd', 'saxpy(float*)'), (17, 'r1', 'fill.kd', NULL);
CREATE TABLE `rocpd_event_r1` ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "guid" TEXT, "category_id" INTEGER, "stack_id" INTEGER,
    "parent_stack_id" INTEGER, "correlation_id" INTEGER, "call_stack" JSONB DEFAULT "{}" NOT NULL, "extdata" JSONB DEFAULT "{}" NOT NULL);
INSERT INTO rocpd_event_r1 (id, category_id, stack_id, parent_stack_id, correlation_id, extdata) VALUES (1, 4, 1, 0, 0, '{"message":"step \"1\""}'),
    (2, 1, 2, 0, 0, '{}'), (3, 1, 3, 0, 0, '{}'), (4, 6, 2, 2, 0, '{}'), (5, 7, 3, 3, 0, '{}'), (6, 6, 0, 0, 0, '{}'), (7, 4, 7, 0, 0, '{"message":"here"}');
CREATE TABLE `rocpd_region_r1` ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "guid" TEXT, "nid" INTEGER NOT NULL, "pid" INTEGER NOT NULL,
    "tid" INTEGER NOT NULL, "start" BIGINT NOT NULL, "end" BIGINT NOT NULL, "name_id" INTEGER NOT NULL, "event_id" INTEGER);
INSERT INTO rocpd_region_r1 VALUES (1, 'r1', 1, 1, 1, 1000, 9000, 5, 1), (2, 'r1', 1, 1, 1, 2000, 2500, 2, 2), (3, 'r1', 1, 1, 1, 5000, 8000, 3, 3),
    (4, 'r1', 1, 1, 1, 1500, 1500, 9, 7);
CREATE TABLE `rocpd_kernel_dispatch_r1` ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "guid" TEXT, "nid" INTEGER NOT NULL, "pid" INTEGER NOT NULL,
    "tid" INTEGER, "agent_id" INTEGER NOT NULL, "kernel_id" INTEGER NOT NULL, "dispatch_id" INTEGER NOT NULL, "queue_id" INTEGER NOT NULL,
    "stream_id" INTEGER NOT NULL, "start" BIGINT NOT NULL, "end" BIGINT NOT NULL, "event_id" INTEGER);
INSERT INTO rocpd_kernel_dispatch_r1 VALUES (1, 'r1', 1, 1, 1, 2, 16, 1, 1, 3, 3000, 4000, 4), (2, 'r1', 1, 1, 1, 2, 17, 2, 1, 3, 4000, 4070, 6);
CREATE TABLE `rocpd_memory_copy_r1` ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "guid" TEXT, "nid" INTEGER NOT NULL, "pid" INTEGER NOT NULL,
    "tid" INTEGER, "start" BIGINT NOT NULL, "end" BIGINT NOT NULL, "name_id" INTEGER NOT NULL, "dst_agent_id" INTEGER, "src_agent_id" INTEGER,
    "size" INTEGER NOT NULL, "queue_id" INTEGER, "stream_id" INTEGER, "event_id" INTEGER);
INSERT INTO rocpd_memory_copy_r1 VALUES (1, 'r1', 1, 1, 1, 6000, 6600, 8, 2, 1, 4096, 1, 3, 5);
CREATE TABLE `rocpd_pmc_event_r1` ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "guid" TEXT, "event_id" INTEGER, "pmc_id" INTEGER NOT NULL, "value" REAL);
INSERT INTO rocpd_pmc_event_r1 VALUES (1, 'r1', 4, 1, 12.5);
CREATE TABLE `rocpd_event_r2` ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "category_id" INTEGER, "stack_id" INTEGER, "extdata" JSONB);
INSERT INTO rocpd_event_r2 VALUES (1, 1, 2, '{}');
CREATE TABLE `rocpd_info_kernel_symbol_r2` ("id" INTEGER NOT NULL PRIMARY KEY, "display_name" TEXT);
INSERT INTO rocpd_info_kernel_symbol_r2 VALUES (1, 'other');
CREATE TABLE `rocpd_kernel_dispatch_r2` ("id" INTEGER NOT NULL PRIMARY KEY, "pid" INTEGER, "agent_id" INTEGER, "kernel_id" INTEGER, "stream_id" INTEGER,
    "start" BIGINT NOT NULL, "end" BIGINT NOT NULL, "event_id" INTEGER);
INSERT INTO rocpd_kernel_dispatch_r2 VALUES (1, 1, 2, 1, 0, 100, 107, 1);
CREATE VIEW rocpd_event AS SELECT * FROM rocpd_event_r1;
