/* Reads the files of the rack; see rack.h. */
#define _GNU_SOURCE
#include "rack.h"

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

static char rack[PATH_MAX];

/* The programs under test clear their environment: the rack is found by the library's own path. */
__attribute__((constructor)) static void find_rack(void) {
    Dl_info self;
    char place[PATH_MAX];
    if (!dladdr(rack, &self) || !realpath(self.dli_fname, place)) return;
    char *last = strrchr(place, '/');
    if (!last) return;
    *last = '\0';
    memcpy(rack, place, sizeof rack);
}

static bool read_file(const char *name, char *text, size_t size) {
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", rack, name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    ssize_t length = read(file, text, size - 1);
    close(file);
    text[length > 0 ? length : 0] = '\0';
    return length >= 0;
}

enum driver rack_driver(char *version, size_t size) {
    char text[80];
    if (!read_file("driver", text, sizeof text)) return DRIVER_MISSING;
    text[strcspn(text, "\n")] = '\0';
    if (version) snprintf(version, size, "%s", text);
    return strcmp(text, "broken") == 0 ? DRIVER_BROKEN : DRIVER_LOADED;
}

int rack_count(void) {
    struct card card;
    int count = 0;
    while (count < MOST_CARDS && rack_card(count, &card)) count++;
    return count;
}

static void take_line(struct card *card, const char *key, const char *value) {
    const struct { const char *key; unsigned *field; } numbers[] = {
        {"temperature", &card->temperature}, {"power", &card->power}, {"power_limit", &card->power_limit},
        {"decoder", &card->decoder}, {"compute", &card->compute}, {"sessions", &card->sessions},
        {"max_side", &card->max_side}, {"fail_open", &card->fail_open}, {"hang_encode", &card->hang_encode_at},
        {"pace", &card->pace},
    };
    const struct { const char *key; bool *field; } switches[] = {
        {"lost", &card->lost}, {"mig", &card->mig}, {"garbage", &card->garbage}, {"hang", &card->hang},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(key, numbers[i].key) == 0) *numbers[i].field = (unsigned)strtoul(value, NULL, 0);
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        if (strcmp(key, switches[i].key) == 0) *switches[i].field = atoi(value) != 0;
    if (strcmp(key, "name") == 0) snprintf(card->name, sizeof card->name, "%s", value);
    if (strcmp(key, "uuid") == 0) snprintf(card->uuid, sizeof card->uuid, "%s", value);
    if (strcmp(key, "memory_total") == 0) card->memory_total = strtoull(value, NULL, 0);
    if (strcmp(key, "memory_used") == 0) card->memory_used = strtoull(value, NULL, 0);
    if (strcmp(key, "throttle") == 0) card->throttle = strtoull(value, NULL, 0);
    if (strcmp(key, "encoder") == 0) card->encoder = atoi(value);
    if (strcmp(key, "foreign") == 0) sscanf(value, "%u %" SCNu64, &card->foreign, &card->foreign_memory);
    if (strcmp(key, "fail_encode") == 0)
        sscanf(value, "%u %u", &card->fail_encode_at, &card->fail_encode_status);
    if (strcmp(key, "codecs") == 0) {
        card->h264 = strstr(value, "h264") != NULL;
        card->hevc = strstr(value, "hevc") != NULL;
    }
}

bool rack_card(int index, struct card *card) {
    char name[16], text[4096];
    snprintf(name, sizeof name, "card%d", index);
    if (!read_file(name, text, sizeof text)) return false;
    *card = (struct card){
        .index = index, .name = "Stand-in card", .memory_total = 8192 * MIB, .memory_used = 300 * MIB,
        .temperature = 45, .power = 60, .power_limit = 200, .encoder = -1, .sessions = 3, .h264 = true, .hevc = true,
    };
    snprintf(card->uuid, sizeof card->uuid, "GPU-00000000-0000-0000-0000-%012d", index);
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n"));) {
        char *value = line;
        char *key = strsep(&value, " ");
        if (value) take_line(card, key, value);
    }
    return true;
}

static void slot_path(const struct card *card, unsigned slot, char *path, size_t size) {
    snprintf(path, size, "%s/card%d.slots/%u", rack, card->index, slot);
}

int rack_take_slot(const struct card *card) {
    for (unsigned slot = 0; slot < card->sessions && slot < MOST_SLOTS; slot++) {
        char path[PATH_MAX + 64];
        slot_path(card, slot, path, sizeof path);
        int file = open(path, O_RDONLY | O_CLOEXEC);
        if (file < 0) continue;
        if (flock(file, LOCK_EX | LOCK_NB) == 0) return file;
        close(file);
    }
    return -1;
}

/* Reads the locks from the kernel: trying them would take a slot for a moment, and a session could fail. */
unsigned rack_holders(const struct card *card, pid_t holders[MOST_SLOTS]) {
    ino_t slots[MOST_SLOTS] = {0};
    for (unsigned slot = 0; slot < MOST_SLOTS; slot++) {
        char path[PATH_MAX + 64];
        struct stat status;
        slot_path(card, slot, path, sizeof path);
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

uint64_t rack_memory_used(const struct card *card, unsigned sessions) {
    uint64_t used = card->memory_used + card->foreign_memory + sessions * SESSION_BYTES;
    return used < card->memory_total ? used : card->memory_total;
}

void rack_wait(unsigned milliseconds) {
    struct timespec time = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000};
    nanosleep(&time, NULL);
}
