/* Reads the files of the directory; see fake_gpus.h. */
#define _GNU_SOURCE
#include "fake_gpus.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char directory[PATH_MAX];

/* The programs under test clear their environment: the directory is found by the library's own path. */
__attribute__((constructor)) static void find_directory(void) {
    Dl_info self;
    char place[PATH_MAX];
    if (!dladdr(directory, &self) || !realpath(self.dli_fname, place)) return;
    char *last = strrchr(place, '/');
    if (!last) return;
    *last = '\0';
    memcpy(directory, place, sizeof directory);
}

static bool read_file(const char *name, char *text, size_t size) {
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    ssize_t length = read(file, text, size - 1);
    close(file);
    text[length > 0 ? length : 0] = '\0';
    return length >= 0;
}

enum driver fake_gpus_driver(char *version, size_t size) {
    char text[80];
    if (!read_file("driver", text, sizeof text)) return DRIVER_MISSING;
    text[strcspn(text, "\n")] = '\0';
    if (version) snprintf(version, size, "%s", text);
    return strcmp(text, "broken") == 0 ? DRIVER_BROKEN : DRIVER_LOADED;
}

int fake_gpus_count(void) {
    struct fake_gpu gpu;
    int count = 0;
    while (count < MOST_GPUS && fake_gpus_read(count, &gpu)) count++;
    return count;
}

static void take_line(struct fake_gpu *gpu, const char *key, const char *value) {
    const struct { const char *key; unsigned *field; } numbers[] = {
        {"temperature", &gpu->temperature}, {"power", &gpu->power}, {"power_limit", &gpu->power_limit},
        {"decoder", &gpu->decoder}, {"compute", &gpu->compute}, {"sessions", &gpu->sessions},
        {"max_side", &gpu->max_side}, {"fail_open", &gpu->fail_open}, {"hang_encode", &gpu->hang_encode_at},
        {"pace", &gpu->pace},
    };
    const struct { const char *key; bool *field; } switches[] = {
        {"lost", &gpu->lost}, {"mig", &gpu->mig}, {"garbage", &gpu->garbage}, {"hang", &gpu->hang},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(key, numbers[i].key) == 0) *numbers[i].field = (unsigned)strtoul(value, NULL, 0);
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        if (strcmp(key, switches[i].key) == 0) *switches[i].field = atoi(value) != 0;
    if (strcmp(key, "name") == 0) snprintf(gpu->name, sizeof gpu->name, "%s", value);
    if (strcmp(key, "uuid") == 0) snprintf(gpu->uuid, sizeof gpu->uuid, "%s", value);
    if (strcmp(key, "memory_total") == 0) gpu->memory_total = strtoull(value, NULL, 0);
    if (strcmp(key, "memory_used") == 0) gpu->memory_used = strtoull(value, NULL, 0);
    if (strcmp(key, "throttle") == 0) gpu->throttle = strtoull(value, NULL, 0);
    if (strcmp(key, "encoder") == 0) gpu->encoder = atoi(value);
    if (strcmp(key, "foreign") == 0) sscanf(value, "%u %" SCNu64, &gpu->foreign, &gpu->foreign_memory);
    if (strcmp(key, "fail_encode") == 0)
        sscanf(value, "%u %u", &gpu->fail_encode_at, &gpu->fail_encode_status);
    if (strcmp(key, "codecs") == 0) {
        gpu->h264 = strstr(value, "h264") != NULL;
        gpu->hevc = strstr(value, "hevc") != NULL;
    }
}

bool fake_gpus_read(int index, struct fake_gpu *gpu) {
    char name[16], text[4096];
    snprintf(name, sizeof name, "gpu%d", index);
    if (!read_file(name, text, sizeof text)) return false;
    *gpu = (struct fake_gpu){
        .index = index, .name = "Stand-in GPU", .memory_total = 8192 * MIB, .memory_used = 300 * MIB,
        .temperature = 45, .power = 60, .power_limit = 200, .encoder = -1, .sessions = 3, .h264 = true, .hevc = true,
    };
    snprintf(gpu->uuid, sizeof gpu->uuid, "GPU-00000000-0000-0000-0000-%012d", index);
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n"));) {
        char *value = line;
        char *key = strsep(&value, " ");
        if (value) take_line(gpu, key, value);
    }
    return true;
}

static void slot_path(const struct fake_gpu *gpu, unsigned slot, char *path, size_t size) {
    snprintf(path, size, "%s/gpu%d.slots/%u", directory, gpu->index, slot);
}

int fake_gpus_take_slot(const struct fake_gpu *gpu) {
    for (unsigned slot = 0; slot < gpu->sessions && slot < MOST_SLOTS; slot++) {
        char path[PATH_MAX + 64];
        slot_path(gpu, slot, path, sizeof path);
        int file = open(path, O_RDONLY | O_CLOEXEC);
        if (file < 0) continue;
        if (flock(file, LOCK_EX | LOCK_NB) == 0) return file;
        close(file);
    }
    return -1;
}

/* Reads the locks from the kernel: trying them would take a slot for a moment, and a session could fail. */
unsigned fake_gpus_holders(const struct fake_gpu *gpu, pid_t holders[MOST_SLOTS]) {
    ino_t slots[MOST_SLOTS] = {0};
    for (unsigned slot = 0; slot < MOST_SLOTS; slot++) {
        char path[PATH_MAX + 64];
        struct stat status;
        slot_path(gpu, slot, path, sizeof path);
        if (stat(path, &status) == 0) slots[slot] = status.st_ino;
    }
    FILE *locks = fopen("/proc/locks", "re");
    if (!locks) return 0;
    unsigned count = 0;
    char line[256];
    while (count < MOST_SLOTS && fgets(line, sizeof line, locks)) {
        int pid;
        uintmax_t inode;
        /* A process that waits for a lock has an arrow before the kind. */
        if (sscanf(line, "%*d: FLOCK %*s %*s %d %*x:%*x:%ju", &pid, &inode) != 2) continue;
        for (unsigned slot = 0; slot < MOST_SLOTS; slot++)
            if (slots[slot] && slots[slot] == inode) holders[count++] = pid;
    }
    fclose(locks);
    return count;
}

uint64_t fake_gpus_memory_used(const struct fake_gpu *gpu, unsigned sessions) {
    uint64_t used = gpu->memory_used + gpu->foreign_memory + sessions * SESSION_BYTES;
    return used < gpu->memory_total ? used : gpu->memory_total;
}

void fake_gpus_wait(unsigned milliseconds) {
    struct timespec time = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000};
    nanosleep(&time, NULL);
}
