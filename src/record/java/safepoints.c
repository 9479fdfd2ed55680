#include "record/java/safepoints.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number/number.h"

enum {
    HEADER = 32,       /* bytes */
    ENTRY = 20,        /* bytes, in front of the name */
    LARGEST = 1 << 22, /* the usual file has 32 KiB */
    FIRST_APART = 14,  /* Java since which the time to stop is no part of the time stopped */
    WANTED = 6
};

enum counter { COUNT, TIME, SYNC_TIME, FREQUENCY, BEGUN, VERSION };

static const char *const names[WANTED] = {
    [COUNT] = "sun.rt.safepoints",
    [TIME] = "sun.rt.safepointTime",
    [SYNC_TIME] = "sun.rt.safepointSyncTime",
    [FREQUENCY] = "sun.os.hrt.frequency",
    [BEGUN] = "sun.rt.createVmEndTime", /* 0 until then */
    [VERSION] = "java.property.java.vm.specification.version",
};

struct flm_safepoints {
    int file;
    off_t offset[WANTED];
    double ns_per_tick;
    bool sync_is_apart;
};

/* ---- The file -------------------------------------------------------------------------------- */

/* In the folder of its user, whose name there need not be known here. The file must be the VM's. */
static int open_in(int temporary, const char *folder_name, const struct flm_java_vm_identity *vm)
{
    char number[16];
    struct stat status;
    int folder = openat(temporary, folder_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return -1;
    snprintf(number, sizeof number, "%d", vm->process_in_itself);
    int file = openat(folder, number, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    close(folder);
    if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_uid == vm->user)
        return file;
    if (file >= 0)
        close(file);
    return -1;
}

static int open_counters(const struct flm_java_vm_identity *vm)
{
    int temporary = openat(vm->folder, "root/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC), file = -1;
    DIR *folder = temporary >= 0 ? fdopendir(temporary) : NULL;
    if (temporary >= 0 && !folder)
        close(temporary);
    for (struct dirent *entry; folder && file < 0 && (entry = readdir(folder));)
        if (strncmp(entry->d_name, "hsperfdata_", 11) == 0)
            file = open_in(temporary, entry->d_name, vm);
    if (folder)
        closedir(folder);
    return file;
}

static bool read_at(int file, off_t offset, void *to, size_t size)
{
    return pread(file, to, size, offset) == (ssize_t)size;
}

static bool read_integer(int file, off_t offset, int64_t *value)
{
    return read_at(file, offset, value, sizeof *value);
}

/* ---- Entries --------------------------------------------------------------------------------- */

static uint32_t load32(const char *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* Takes the offset of the value, if it is one of ours. */
static void take_entry(struct flm_safepoints *s, const char *entry, uint32_t size, off_t start)
{
    uint32_t name = load32(entry + 4), vector = load32(entry + 8), data = load32(entry + 16);
    if (name < ENTRY || name >= size || data >= size || !memchr(entry + name, 0, size - name))
        return;
    for (int i = 0; i < WANTED; i++) {
        bool is_text = i == VERSION;
        if (strcmp(entry + name, names[i]) == 0 && entry[12] == (is_text ? 'B' : 'J') &&
            (is_text ? vector > 0 && vector <= size - data : size - data >= sizeof(int64_t)))
            s->offset[i] = start + data;
    }
}

static bool has_own_byte_order(const char *header)
{
    const uint16_t one = 1;
    return (header[4] != 0) == (*(const char *)&one != 0);
}

static bool read_entries(struct flm_safepoints *s)
{
    static const unsigned char magic[4] = {0xca, 0xfe, 0xc0, 0xc0};
    struct stat status;
    char header[HEADER], *bytes = NULL;
    if (!read_at(s->file, 0, header, sizeof header) || memcmp(header, magic, sizeof magic) != 0 ||
        !has_own_byte_order(header) || header[5] != 2 || header[7] == 0 ||
        fstat(s->file, &status) != 0 || status.st_size > LARGEST)
        return false;
    size_t size = (size_t)status.st_size;
    uint32_t at = load32(header + 24), count = load32(header + 28);
    bytes = malloc(size);
    bool good = bytes && read_at(s->file, 0, bytes, size);
    for (uint32_t i = 0; good && i < count && at <= size && size - at >= ENTRY; i++) {
        uint32_t length = load32(bytes + at);
        if (length < ENTRY || length > size - at)
            break;
        take_entry(s, bytes + at, length, at);
        at += length;
    }
    free(bytes);
    for (int i = 0; good && i < WANTED; i++)
        good = s->offset[i] > 0;
    return good;
}

/* "1.8", "11", "17". */
static uint64_t java_version(const struct flm_safepoints *s)
{
    char text[8] = "";
    uint64_t version = 0;
    for (size_t i = 0; i + 1 < sizeof text; i++)
        if (!read_at(s->file, s->offset[VERSION] + (off_t)i, &text[i], 1) || !text[i])
            break;
    const char *from = strncmp(text, "1.", 2) == 0 ? text + 2 : text;
    flm_number_parse_uint((struct flm_bytes){from, strspn(from, "0123456789")}, &version);
    return version;
}

/* ---- For the caller -------------------------------------------------------------------------- */

struct flm_safepoints *flm_safepoints_open(const struct flm_java_vm_identity *vm)
{
    struct flm_safepoints *s = calloc(1, sizeof *s);
    int64_t frequency = 0;
    struct flm_stopped stopped;
    if (!s)
        return NULL;
    s->file = open_counters(vm);
    if (s->file >= 0 && read_entries(s) &&
        read_integer(s->file, s->offset[FREQUENCY], &frequency) && frequency > 0) {
        s->ns_per_tick = 1e9 / (double)frequency;
        s->sync_is_apart = java_version(s) >= FIRST_APART;
        if (flm_safepoints_read(s, &stopped))
            return s;
    }
    flm_safepoints_close(s);
    return NULL;
}

void flm_safepoints_close(struct flm_safepoints *s)
{
    if (!s)
        return;
    if (s->file >= 0)
        close(s->file);
    free(s);
}

bool flm_safepoints_read(const struct flm_safepoints *s, struct flm_stopped *stopped)
{
    int64_t count, time, sync;
    if (!read_integer(s->file, s->offset[COUNT], &count) ||
        !read_integer(s->file, s->offset[TIME], &time) ||
        !read_integer(s->file, s->offset[SYNC_TIME], &sync) || count < 0 || time < 0 || sync < 0)
        return false;
    stopped->count = (uint64_t)count;
    stopped->ns =
        (int64_t)(((double)time + (s->sync_is_apart ? (double)sync : 0)) * s->ns_per_tick);
    return true;
}

bool flm_safepoints_vm_has_begun(const struct flm_safepoints *s)
{
    int64_t time;
    return read_integer(s->file, s->offset[BEGUN], &time) && time > 0;
}
