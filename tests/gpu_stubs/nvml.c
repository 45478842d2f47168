/* libnvidia-ml.so.1 of the directory. Debian has no NVML header, so its types are declared here. */
#include <stdio.h>
#include <string.h>

#include "fake_gpus.h"

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
static bool fallen[MOST_GPUS];
/* MIG instances have handles above those of the GPUs. */
#define INSTANCES 100
#define FIRST_FOREIGN_PID 4100000

static answer driver_answer(void) {
    char version[80] = "";
    switch (fake_gpus_driver(version, sizeof version)) {
    case DRIVER_MISSING: return DRIVER_NOT_LOADED;
    case DRIVER_BROKEN: return LIB_RM_VERSION_MISMATCH;
    case DRIVER_LOADED: break;
    }
    if (strcmp(version, "forbidden") == 0) return NO_PERMISSION;
    return strcmp(version, "unknown") == 0 ? UNKNOWN : SUCCESS;
}

static answer gpu_of(device handle, struct fake_gpu *gpu) {
    int index = (int)(intptr_t)handle - 1;
    if (!initialized) return UNINITIALIZED;
    if (driver_answer() != SUCCESS) return UNKNOWN;
    if (index >= INSTANCES) index = (index - INSTANCES) / 10;
    if (!fake_gpus_read(index, gpu)) return INVALID_ARGUMENT;
    while (gpu->hang && fake_gpus_read(index, gpu)) fake_gpus_wait(10);
    fallen[index] |= gpu->lost;
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
    fake_gpus_driver(version, sizeof version);
    return text(out, size, version);
}

/* --- Handles --- */

EXPORTED answer nvmlDeviceGetCount_v2(unsigned *count) {
    if (!initialized) return UNINITIALIZED;
    if (driver_answer() != SUCCESS) return UNKNOWN;
    *count = (unsigned)fake_gpus_count();
    return SUCCESS;
}

EXPORTED answer nvmlDeviceGetHandleByIndex_v2(unsigned index, device *out) {
    struct fake_gpu gpu;
    device handle = (device)((intptr_t)index + 1);
    if (index >= MOST_GPUS) return INVALID_ARGUMENT;
    answer result = gpu_of(handle, &gpu);
    if (result == SUCCESS) *out = handle;
    return result;
}

EXPORTED answer nvmlDeviceGetHandleByUUID(const char *uuid, device *out) {
    struct fake_gpu gpu;
    if (!initialized) return UNINITIALIZED;
    for (int i = 0, count = fake_gpus_count(); i < count; i++)
        if (fake_gpus_read(i, &gpu) && strcmp(gpu.uuid, uuid) == 0) return nvmlDeviceGetHandleByIndex_v2((unsigned)i, out);
    return NOT_FOUND;
}

EXPORTED answer nvmlDeviceGetMigMode(device handle, unsigned *now, unsigned *later) {
    struct fake_gpu gpu;
    answer result = gpu_of(handle, &gpu);
    if (result == SUCCESS) *now = *later = gpu.mig;
    return result;
}

EXPORTED answer nvmlDeviceGetMaxMigDeviceCount(device handle, unsigned *count) {
    struct fake_gpu gpu;
    answer result = gpu_of(handle, &gpu);
    if (result == SUCCESS) *count = gpu.mig ? 7 : 0;
    return result;
}

EXPORTED answer nvmlDeviceGetMigDeviceHandleByIndex(device handle, unsigned index, device *out) {
    struct fake_gpu gpu;
    answer result = gpu_of(handle, &gpu);
    if (result != SUCCESS) return result;
    if (!gpu.mig || index >= 2) return NOT_FOUND;
    *out = (device)((intptr_t)INSTANCES + gpu.index * 10 + (intptr_t)index + 1);
    return SUCCESS;
}

/* --- Identity --- */

EXPORTED answer nvmlDeviceGetName(device handle, char *out, unsigned size) {
    struct fake_gpu gpu;
    answer result = gpu_of(handle, &gpu);
    if (result != SUCCESS) return result;
    if (!gpu.garbage) return text(out, size, gpu.name);
    memset(out, 0xff, size - 1);
    out[size - 1] = '\0';
    return SUCCESS;
}

EXPORTED answer nvmlDeviceGetUUID(device handle, char *out, unsigned size) {
    struct fake_gpu gpu;
    answer result = gpu_of(handle, &gpu);
    intptr_t instance = (intptr_t)handle - 1 - INSTANCES;
    char name[128];
    if (result != SUCCESS) return result;
    if (instance < 0) return text(out, size, gpu.uuid);
    snprintf(name, sizeof name, "MIG-%.60s-%d", gpu.uuid + 4, (int)(instance % 10));
    return text(out, size, name);
}

EXPORTED answer nvmlDeviceGetIndex(device handle, unsigned *out) {
    struct fake_gpu gpu;
    answer result = gpu_of(handle, &gpu);
    if (result == SUCCESS) *out = (unsigned)gpu.index;
    return result;
}
EXPORTED answer nvmlDeviceGetMinorNumber(device handle, unsigned *out) { return nvmlDeviceGetIndex(handle, out); }

EXPORTED answer nvmlDeviceGetPciInfo_v3(device handle, struct pci *out) {
    struct fake_gpu gpu;
    answer result = gpu_of(handle, &gpu);
    if (result != SUCCESS) return result;
    *out = (struct pci){.bus = (unsigned)gpu.index + 1, .id = 0x250310de};
    snprintf(out->legacy, sizeof out->legacy, "0000:%02X:00.0", out->bus);
    snprintf(out->place, sizeof out->place, "00000000:%02X:00.0", out->bus);
    return SUCCESS;
}

/* --- Load --- */

static unsigned open_sessions(const struct fake_gpu *gpu) {
    pid_t holders[MOST_SLOTS];
    return fake_gpus_holders(gpu, holders);
}

EXPORTED answer nvmlDeviceGetMemoryInfo_v2(device handle, struct memory_v2 *out) {
    struct fake_gpu gpu;
    answer result = gpu_of(handle, &gpu);
    if (result != SUCCESS) return result;
    out->total = gpu.memory_total;
    out->reserved = 0;
    out->used = gpu.garbage ? UINT64_MAX : fake_gpus_memory_used(&gpu, open_sessions(&gpu));
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
static unsigned encoder_percent(const struct fake_gpu *gpu) {
    static unsigned looks;
    unsigned sessions = open_sessions(gpu);
    if (gpu->encoder >= 0) return (unsigned)gpu->encoder;
    unsigned percent = 40 * sessions + (sessions ? looks++ * 7 % 9 : 0);
    return percent < 100 ? percent : 100;
}

static answer percent(device handle, unsigned *out, unsigned *period, unsigned (*of)(const struct fake_gpu *)) {
    struct fake_gpu gpu;
    answer result = gpu_of(handle, &gpu);
    if (result != SUCCESS) return result;
    if (gpu.mig) return NOT_SUPPORTED;
    *out = gpu.garbage ? 300 : of(&gpu);
    *period = 167000;
    return SUCCESS;
}
static unsigned decoder_percent(const struct fake_gpu *gpu) { return gpu->decoder; }

EXPORTED answer nvmlDeviceGetEncoderUtilization(device handle, unsigned *out, unsigned *period) {
    return percent(handle, out, period, encoder_percent);
}
EXPORTED answer nvmlDeviceGetDecoderUtilization(device handle, unsigned *out, unsigned *period) {
    return percent(handle, out, period, decoder_percent);
}

EXPORTED answer nvmlDeviceGetUtilizationRates(device handle, struct utilization *out) {
    struct fake_gpu gpu;
    answer result = gpu_of(handle, &gpu);
    if (result != SUCCESS) return result;
    if (gpu.mig) return NOT_SUPPORTED;
    *out = (struct utilization){gpu.garbage ? 300 : gpu.compute, 0};
    return SUCCESS;
}

EXPORTED answer nvmlDeviceGetEncoderStats(device handle, unsigned *sessions, unsigned *fps, unsigned *latency) {
    struct fake_gpu gpu;
    answer result = gpu_of(handle, &gpu);
    if (result != SUCCESS) return result;
    *sessions = gpu.garbage ? UINT32_MAX : open_sessions(&gpu);
    *fps = *latency = 0;
    return SUCCESS;
}

static answer number(device handle, unsigned *out, size_t field, unsigned factor) {
    struct fake_gpu gpu;
    answer result = gpu_of(handle, &gpu);
    if (result != SUCCESS) return result;
    *out = gpu.garbage ? UINT32_MAX : *(unsigned *)((char *)&gpu + field) * factor;
    return SUCCESS;
}

EXPORTED answer nvmlDeviceGetTemperature(device handle, int sensor, unsigned *out) {
    return (void)sensor, number(handle, out, offsetof(struct fake_gpu, temperature), 1);
}
EXPORTED answer nvmlDeviceGetPowerUsage(device handle, unsigned *out) {
    return number(handle, out, offsetof(struct fake_gpu, power), 1000);
}
EXPORTED answer nvmlDeviceGetEnforcedPowerLimit(device handle, unsigned *out) {
    return number(handle, out, offsetof(struct fake_gpu, power_limit), 1000);
}

EXPORTED answer nvmlDeviceGetCurrentClocksThrottleReasons(device handle, unsigned long long *out) {
    struct fake_gpu gpu;
    answer result = gpu_of(handle, &gpu);
    if (result == SUCCESS) *out = gpu.garbage ? UINT64_MAX : gpu.throttle;
    return result;
}
EXPORTED answer nvmlDeviceGetCurrentClocksEventReasons(device handle, unsigned long long *out) {
    return nvmlDeviceGetCurrentClocksThrottleReasons(handle, out);
}

EXPORTED answer nvmlDeviceGetComputeRunningProcesses_v3(device handle, unsigned *count, struct process *out) {
    struct fake_gpu gpu;
    pid_t holders[MOST_SLOTS];
    answer result = gpu_of(handle, &gpu);
    if (result != SUCCESS) return result;
    unsigned room = *count, sessions = fake_gpus_holders(&gpu, holders), processes = 0;
    struct process list[MOST_SLOTS];
    for (unsigned i = 0; i < sessions; i++) {
        unsigned known = 0;
        while (known < processes && list[known].pid != (unsigned)holders[i]) known++;
        if (known == processes) list[processes++] = (struct process){.pid = (unsigned)holders[i]};
        list[known].memory += SESSION_BYTES;
    }
    *count = processes + gpu.foreign;
    if (room < *count) return INSUFFICIENT_SIZE;
    memcpy(out, list, processes * sizeof *list);
    for (unsigned i = 0; i < gpu.foreign; i++)
        out[processes + i] = (struct process){FIRST_FOREIGN_PID + i, gpu.foreign_memory / gpu.foreign, ~0U, ~0U};
    return SUCCESS;
}

EXPORTED answer nvmlDeviceGetGraphicsRunningProcesses_v3(device handle, unsigned *count, struct process *out) {
    struct fake_gpu gpu;
    (void)out;
    *count = 0;
    return gpu_of(handle, &gpu);
}
