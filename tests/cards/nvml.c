/* libnvidia-ml.so.1 of the rack. Debian has no NVML header, so its types are declared here. */
#include <stdio.h>
#include <string.h>

#include "rack.h"

enum {
    SUCCESS = 0,
    UNINITIALIZED = 1,
    INVALID_ARGUMENT = 2,
    NOT_SUPPORTED = 3,
    NOT_FOUND = 6,
    INSUFFICIENT_SIZE = 7,
    DRIVER_NOT_LOADED = 9,
    GPU_IS_LOST = 15,
    LIB_RM_VERSION_MISMATCH = 18,
    NO_PERMISSION = 4,
    UNKNOWN = 999,
};

typedef int answer;
typedef struct device *device;
struct memory { unsigned long long total, free, used; };
struct memory_v2 { unsigned version; unsigned long long total, reserved, free, used; };
struct utilization { unsigned gpu, memory; };
struct pci { char legacy[16]; unsigned domain, bus, device, id, subsystem; char place[32]; };
struct process { unsigned pid; unsigned long long memory; unsigned gpu_instance, compute_instance; };

static int initialized;
/* A lost GPU stays lost until the library is initialized again, even if the GPU is back. */
static bool fallen[MOST_CARDS];
/* MIG instances have handles above those of the GPUs. */
#define INSTANCES 100
#define FIRST_FOREIGN_PID 4100000

static answer driver_answer(void) {
    char version[80] = "";
    switch (rack_driver(version, sizeof version)) {
    case DRIVER_MISSING: return DRIVER_NOT_LOADED;
    case DRIVER_BROKEN: return LIB_RM_VERSION_MISMATCH;
    case DRIVER_LOADED: break;
    }
    if (strcmp(version, "forbidden") == 0) return NO_PERMISSION;
    return strcmp(version, "unknown") == 0 ? UNKNOWN : SUCCESS;
}

static answer card_of(device handle, struct card *card) {
    int index = (int)(intptr_t)handle - 1;
    if (!initialized) return UNINITIALIZED;
    if (driver_answer() != SUCCESS) return UNKNOWN;
    if (index >= INSTANCES) index = (index - INSTANCES) / 10;
    if (!rack_card(index, card)) return INVALID_ARGUMENT;
    while (card->hang && rack_card(index, card)) rack_wait(10);
    fallen[index] |= card->lost;
    return fallen[index] ? GPU_IS_LOST : SUCCESS;
}

static answer text(char *out, unsigned size, const char *value) {
    if (strlen(value) >= size) return INSUFFICIENT_SIZE;
    strcpy(out, value);
    return SUCCESS;
}

/* --- The library --- */

EXPORTED answer nvmlInit_v2(void) {
    answer result = driver_answer();
    if (result == SUCCESS && initialized++ == 0) memset(fallen, 0, sizeof fallen);
    return result;
}
EXPORTED answer nvmlInitWithFlags(unsigned flags) { return (void)flags, nvmlInit_v2(); }
EXPORTED answer nvmlShutdown(void) { return initialized > 0 ? initialized--, SUCCESS : UNINITIALIZED; }

EXPORTED const char *nvmlErrorString(answer code) {
    switch (code) {
    case SUCCESS: return "Success";
    case UNINITIALIZED: return "Uninitialized";
    case INVALID_ARGUMENT: return "Invalid Argument";
    case NOT_SUPPORTED: return "Not Supported";
    case NO_PERMISSION: return "Insufficient Permissions";
    case NOT_FOUND: return "Not Found";
    case INSUFFICIENT_SIZE: return "Insufficient Size";
    case DRIVER_NOT_LOADED: return "Driver Not Loaded";
    case GPU_IS_LOST: return "GPU is lost";
    case LIB_RM_VERSION_MISMATCH: return "Driver/library version mismatch";
    default: return "Unknown Error";
    }
}

EXPORTED answer nvmlSystemGetDriverVersion(char *out, unsigned size) {
    char version[80] = "";
    if (!initialized) return UNINITIALIZED;
    rack_driver(version, sizeof version);
    return text(out, size, version);
}

/* --- Handles --- */

EXPORTED answer nvmlDeviceGetCount_v2(unsigned *count) {
    if (!initialized) return UNINITIALIZED;
    if (driver_answer() != SUCCESS) return UNKNOWN;
    *count = (unsigned)rack_count();
    return SUCCESS;
}

EXPORTED answer nvmlDeviceGetHandleByIndex_v2(unsigned index, device *out) {
    struct card card;
    device handle = (device)((intptr_t)index + 1);
    if (index >= MOST_CARDS) return INVALID_ARGUMENT;
    answer result = card_of(handle, &card);
    if (result == SUCCESS) *out = handle;
    return result;
}

EXPORTED answer nvmlDeviceGetHandleByUUID(const char *uuid, device *out) {
    struct card card;
    if (!initialized) return UNINITIALIZED;
    for (int i = 0, count = rack_count(); i < count; i++)
        if (rack_card(i, &card) && strcmp(card.uuid, uuid) == 0) return nvmlDeviceGetHandleByIndex_v2((unsigned)i, out);
    return NOT_FOUND;
}

EXPORTED answer nvmlDeviceGetMigMode(device handle, unsigned *now, unsigned *later) {
    struct card card;
    answer result = card_of(handle, &card);
    if (result == SUCCESS) *now = *later = card.mig;
    return result;
}

EXPORTED answer nvmlDeviceGetMaxMigDeviceCount(device handle, unsigned *count) {
    struct card card;
    answer result = card_of(handle, &card);
    if (result == SUCCESS) *count = card.mig ? 7 : 0;
    return result;
}

EXPORTED answer nvmlDeviceGetMigDeviceHandleByIndex(device handle, unsigned index, device *out) {
    struct card card;
    answer result = card_of(handle, &card);
    if (result != SUCCESS) return result;
    if (!card.mig || index >= 2) return NOT_FOUND;
    *out = (device)((intptr_t)INSTANCES + card.index * 10 + (intptr_t)index + 1);
    return SUCCESS;
}

/* --- Identity --- */

EXPORTED answer nvmlDeviceGetName(device handle, char *out, unsigned size) {
    struct card card;
    answer result = card_of(handle, &card);
    if (result != SUCCESS) return result;
    if (!card.garbage) return text(out, size, card.name);
    memset(out, 0xff, size - 1);
    out[size - 1] = '\0';
    return SUCCESS;
}

EXPORTED answer nvmlDeviceGetUUID(device handle, char *out, unsigned size) {
    struct card card;
    answer result = card_of(handle, &card);
    intptr_t instance = (intptr_t)handle - 1 - INSTANCES;
    char name[128];
    if (result != SUCCESS) return result;
    if (instance < 0) return text(out, size, card.uuid);
    snprintf(name, sizeof name, "MIG-%.60s-%d", card.uuid + 4, (int)(instance % 10));
    return text(out, size, name);
}

EXPORTED answer nvmlDeviceGetIndex(device handle, unsigned *out) {
    struct card card;
    answer result = card_of(handle, &card);
    if (result == SUCCESS) *out = (unsigned)card.index;
    return result;
}
EXPORTED answer nvmlDeviceGetMinorNumber(device handle, unsigned *out) { return nvmlDeviceGetIndex(handle, out); }

EXPORTED answer nvmlDeviceGetPciInfo_v3(device handle, struct pci *out) {
    struct card card;
    answer result = card_of(handle, &card);
    if (result != SUCCESS) return result;
    *out = (struct pci){.bus = (unsigned)card.index + 1, .id = 0x250310de};
    snprintf(out->legacy, sizeof out->legacy, "0000:%02X:00.0", out->bus);
    snprintf(out->place, sizeof out->place, "00000000:%02X:00.0", out->bus);
    return SUCCESS;
}

/* --- Load --- */

static unsigned open_sessions(const struct card *card) {
    pid_t holders[MOST_SLOTS];
    return rack_holders(card, holders);
}

EXPORTED answer nvmlDeviceGetMemoryInfo_v2(device handle, struct memory_v2 *out) {
    struct card card;
    answer result = card_of(handle, &card);
    if (result != SUCCESS) return result;
    out->total = card.memory_total;
    out->reserved = 0;
    out->used = card.garbage ? UINT64_MAX : rack_memory_used(&card, open_sessions(&card));
    out->free = out->total - out->used;
    return SUCCESS;
}

EXPORTED answer nvmlDeviceGetMemoryInfo(device handle, struct memory *out) {
    struct memory_v2 whole;
    answer result = nvmlDeviceGetMemoryInfo_v2(handle, &whole);
    if (result == SUCCESS) *out = (struct memory){whole.total, whole.free, whole.used};
    return result;
}

/* Varies a little with every call, as on real GPUs. */
static unsigned encoder_percent(const struct card *card) {
    static unsigned looks;
    unsigned sessions = open_sessions(card);
    if (card->encoder >= 0) return (unsigned)card->encoder;
    unsigned percent = 40 * sessions + (sessions ? looks++ * 7 % 9 : 0);
    return percent < 100 ? percent : 100;
}

static answer percent(device handle, unsigned *out, unsigned *period, unsigned (*of)(const struct card *)) {
    struct card card;
    answer result = card_of(handle, &card);
    if (result != SUCCESS) return result;
    if (card.mig) return NOT_SUPPORTED;
    *out = card.garbage ? 300 : of(&card);
    *period = 167000;
    return SUCCESS;
}
static unsigned decoder_percent(const struct card *card) { return card->decoder; }

EXPORTED answer nvmlDeviceGetEncoderUtilization(device handle, unsigned *out, unsigned *period) {
    return percent(handle, out, period, encoder_percent);
}
EXPORTED answer nvmlDeviceGetDecoderUtilization(device handle, unsigned *out, unsigned *period) {
    return percent(handle, out, period, decoder_percent);
}

EXPORTED answer nvmlDeviceGetUtilizationRates(device handle, struct utilization *out) {
    struct card card;
    answer result = card_of(handle, &card);
    if (result != SUCCESS) return result;
    if (card.mig) return NOT_SUPPORTED;
    *out = (struct utilization){card.garbage ? 300 : card.compute, 0};
    return SUCCESS;
}

EXPORTED answer nvmlDeviceGetEncoderStats(device handle, unsigned *sessions, unsigned *fps, unsigned *latency) {
    struct card card;
    answer result = card_of(handle, &card);
    if (result != SUCCESS) return result;
    *sessions = card.garbage ? UINT32_MAX : open_sessions(&card);
    *fps = *latency = 0;
    return SUCCESS;
}

static answer number(device handle, unsigned *out, size_t field, unsigned factor) {
    struct card card;
    answer result = card_of(handle, &card);
    if (result != SUCCESS) return result;
    *out = card.garbage ? UINT32_MAX : *(unsigned *)((char *)&card + field) * factor;
    return SUCCESS;
}

EXPORTED answer nvmlDeviceGetTemperature(device handle, int sensor, unsigned *out) {
    return (void)sensor, number(handle, out, offsetof(struct card, temperature), 1);
}
EXPORTED answer nvmlDeviceGetPowerUsage(device handle, unsigned *out) {
    return number(handle, out, offsetof(struct card, power), 1000);
}
EXPORTED answer nvmlDeviceGetEnforcedPowerLimit(device handle, unsigned *out) {
    return number(handle, out, offsetof(struct card, power_limit), 1000);
}

EXPORTED answer nvmlDeviceGetCurrentClocksThrottleReasons(device handle, unsigned long long *out) {
    struct card card;
    answer result = card_of(handle, &card);
    if (result == SUCCESS) *out = card.garbage ? UINT64_MAX : card.throttle;
    return result;
}
EXPORTED answer nvmlDeviceGetCurrentClocksEventReasons(device handle, unsigned long long *out) {
    return nvmlDeviceGetCurrentClocksThrottleReasons(handle, out);
}

EXPORTED answer nvmlDeviceGetComputeRunningProcesses_v3(device handle, unsigned *count, struct process *out) {
    struct card card;
    pid_t holders[MOST_SLOTS];
    answer result = card_of(handle, &card);
    if (result != SUCCESS) return result;
    unsigned room = *count, sessions = rack_holders(&card, holders), processes = 0;
    struct process list[MOST_SLOTS];
    for (unsigned i = 0; i < sessions; i++) {
        unsigned known = 0;
        while (known < processes && list[known].pid != (unsigned)holders[i]) known++;
        if (known == processes) list[processes++] = (struct process){.pid = (unsigned)holders[i]};
        list[known].memory += SESSION_BYTES;
    }
    *count = processes + card.foreign;
    if (room < *count) return INSUFFICIENT_SIZE;
    memcpy(out, list, processes * sizeof *list);
    for (unsigned i = 0; i < card.foreign; i++)
        out[processes + i] = (struct process){FIRST_FOREIGN_PID + i, card.foreign_memory / card.foreign, ~0U, ~0U};
    return SUCCESS;
}

EXPORTED answer nvmlDeviceGetGraphicsRunningProcesses_v3(device handle, unsigned *count, struct process *out) {
    struct card card;
    (void)out;
    *count = 0;
    return card_of(handle, &card);
}
