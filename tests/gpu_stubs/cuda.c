/* libcuda.so.1 of the directory: contexts, and memory in RAM. These GPUs run no kernels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ffnvcodec/dynlink_cuda.h>

#include "fake_gpus.h"

/* ffmpeg's header has only the codes that ffmpeg uses. */
#define INVALID_VALUE ((CUresult)1)
#define OUT_OF_MEMORY ((CUresult)2)
#define NOT_INITIALIZED ((CUresult)3)
#define NO_DEVICE ((CUresult)100)
#define INVALID_DEVICE ((CUresult)101)
#define INVALID_CONTEXT ((CUresult)201)
#define NOT_SUPPORTED ((CUresult)801)
#define DRIVER_MISMATCH ((CUresult)803)

static const struct { CUresult code; const char *name, *words; } errors[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {DRIVER_MISMATCH, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
     "system has unsupported display driver / cuda driver combination"},
    {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

/* The GPUs that this process sees, in its order, fixed when it starts. */
static int seen[MOST_GPUS];
static int seen_count = -1;

static void see(int index) {
    struct fake_gpu gpu;
    if (!fake_gpus_read(index, &gpu) || gpu.lost) return;
    for (int i = 0; i < seen_count; i++)
        if (seen[i] == index) return;
    seen[seen_count++] = index;
}

static int find(const char *word) {
    struct fake_gpu gpu;
    char *end;
    long number = strtol(word, &end, 10);
    if (end != word && *end == '\0') return fake_gpus_read((int)number, &gpu) ? (int)number : -1;
    for (int i = 0, count = fake_gpus_count(); *word && i < count; i++)
        if (fake_gpus_read(i, &gpu) && strncmp(gpu.uuid, word, strlen(word)) == 0) return i;
    return -1;
}

EXPORTED tcuInit cuInit;
CUresult cuInit(unsigned flags) {
    (void)flags;
    switch (fake_gpus_driver(NULL, 0)) {
    case DRIVER_MISSING: return NO_DEVICE;
    case DRIVER_BROKEN: return DRIVER_MISMATCH;
    case DRIVER_LOADED: break;
    }
    if (seen_count < 0) {
        const char *chosen = getenv("CUDA_VISIBLE_DEVICES");
        seen_count = 0;
        if (!chosen) {
            for (int i = 0, count = fake_gpus_count(); i < count; i++) see(i);
        } else {
            char *words = strdup(chosen), *rest = words;
            /* As the driver does: everything after an invalid entry is ignored. */
            for (char *word; (word = strsep(&rest, ","));) {
                int index = find(word);
                if (index < 0) break;
                see(index);
            }
            free(words);
        }
    }
    return seen_count > 0 ? CUDA_SUCCESS : NO_DEVICE;
}

static CUresult gpu_of(CUdevice device, struct fake_gpu *gpu) {
    if (seen_count < 0) return NOT_INITIALIZED;
    if (device < 0 || device >= seen_count || !fake_gpus_read(seen[device], gpu)) return INVALID_DEVICE;
    return gpu->lost ? CUDA_ERROR_UNKNOWN : CUDA_SUCCESS;
}

EXPORTED tcuDeviceGetCount cuDeviceGetCount;
CUresult cuDeviceGetCount(int *count) {
    if (seen_count < 0) return NOT_INITIALIZED;
    *count = seen_count;
    return CUDA_SUCCESS;
}

EXPORTED tcuDeviceGet cuDeviceGet;
CUresult cuDeviceGet(CUdevice *device, int ordinal) {
    if (seen_count < 0) return NOT_INITIALIZED;
    if (ordinal < 0 || ordinal >= seen_count) return INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}

EXPORTED tcuDeviceGetAttribute cuDeviceGetAttribute;
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
    struct fake_gpu gpu;
    CUresult result = gpu_of(device, &gpu);
    switch ((int)attribute) {
    case CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT: *value = 512; break;
    case CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT: *value = 32; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = 8; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = 6; break;
    default: *value = 0;
    }
    return result;
}

EXPORTED tcuDeviceGetName cuDeviceGetName;
CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
    struct fake_gpu gpu;
    CUresult result = gpu_of(device, &gpu);
    if (result == CUDA_SUCCESS) snprintf(name, (size_t)length, "%s", gpu.name);
    return result;
}

EXPORTED tcuDeviceGetUuid cuDeviceGetUuid;
CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
    struct fake_gpu gpu;
    CUresult result = gpu_of(device, &gpu);
    if (result != CUDA_SUCCESS) return result;
    memset(uuid, 0, sizeof *uuid);
    size_t digits = 0;
    for (const char *at = strncmp(gpu.uuid, "GPU-", 4) == 0 ? gpu.uuid + 4 : gpu.uuid; *at && digits < 32; at++) {
        const char *hex = "0123456789abcdef", *digit = strchr(hex, *at);
        if (!digit) continue;
        uuid->bytes[digits / 2] = (char)(uuid->bytes[digits / 2] << 4 | (digit - hex));
        digits++;
    }
    return CUDA_SUCCESS;
}

EXPORTED tcuDeviceComputeCapability cuDeviceComputeCapability;
CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
    struct fake_gpu gpu;
    *major = 8;
    *minor = 6;
    return gpu_of(device, &gpu);
}

/* --- Contexts --- */

static __thread struct context *stack[16];
static __thread int depth;

EXPORTED tcuCtxPushCurrent_v2 cuCtxPushCurrent_v2;
CUresult cuCtxPushCurrent_v2(CUcontext context) {
    if (!context || depth == sizeof stack / sizeof *stack) return INVALID_CONTEXT;
    stack[depth++] = (struct context *)context;
    return CUDA_SUCCESS;
}

EXPORTED tcuCtxPopCurrent_v2 cuCtxPopCurrent_v2;
CUresult cuCtxPopCurrent_v2(CUcontext *context) {
    if (depth == 0) return INVALID_CONTEXT;
    depth--;
    if (context) *context = (CUcontext)stack[depth];
    return CUDA_SUCCESS;
}

EXPORTED tcuCtxCreate_v2 cuCtxCreate_v2;
CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device) {
    (void)flags;
    struct fake_gpu gpu;
    CUresult result = gpu_of(device, &gpu);
    if (result != CUDA_SUCCESS) return result;
    struct context *made = malloc(sizeof *made);
    if (!made) return OUT_OF_MEMORY;
    made->gpu = gpu.index;
    *context = (CUcontext)made;
    return cuCtxPushCurrent_v2(*context);
}

EXPORTED tcuCtxDestroy_v2 cuCtxDestroy_v2;
CUresult cuCtxDestroy_v2(CUcontext context) {
    if (depth > 0 && stack[depth - 1] == (struct context *)context) depth--;
    free(context);
    return CUDA_SUCCESS;
}

static CUresult current(struct fake_gpu *gpu) {
    if (depth == 0) return INVALID_CONTEXT;
    if (!fake_gpus_read(stack[depth - 1]->gpu, gpu) || gpu->lost) return CUDA_ERROR_UNKNOWN;
    return CUDA_SUCCESS;
}

EXPORTED tcuCtxGetDevice cuCtxGetDevice;
CUresult cuCtxGetDevice(CUdevice *device) {
    struct fake_gpu gpu;
    CUresult result = current(&gpu);
    for (int i = 0; result == CUDA_SUCCESS && i < seen_count; i++)
        if (seen[i] == gpu.index) *device = i;
    return result;
}

EXPORTED tcuCtxSetLimit cuCtxSetLimit;
CUresult cuCtxSetLimit(CUlimit limit, size_t value) { return (void)limit, (void)value, CUDA_SUCCESS; }

static struct context primary[MOST_GPUS];

EXPORTED tcuDevicePrimaryCtxRetain cuDevicePrimaryCtxRetain;
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
    struct fake_gpu gpu;
    CUresult result = gpu_of(device, &gpu);
    if (result != CUDA_SUCCESS) return result;
    primary[gpu.index].gpu = gpu.index;
    *context = (CUcontext)&primary[gpu.index];
    return CUDA_SUCCESS;
}

EXPORTED tcuDevicePrimaryCtxRelease cuDevicePrimaryCtxRelease;
CUresult cuDevicePrimaryCtxRelease(CUdevice device) { return (void)device, CUDA_SUCCESS; }
EXPORTED tcuDevicePrimaryCtxReset cuDevicePrimaryCtxReset;
CUresult cuDevicePrimaryCtxReset(CUdevice device) { return (void)device, CUDA_SUCCESS; }
EXPORTED tcuDevicePrimaryCtxSetFlags cuDevicePrimaryCtxSetFlags;
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
    return (void)device, (void)flags, CUDA_SUCCESS;
}
EXPORTED tcuDevicePrimaryCtxGetState cuDevicePrimaryCtxGetState;
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active) {
    (void)device;
    *flags = 0;
    *active = 0;
    return CUDA_SUCCESS;
}

/* --- Memory --- */

EXPORTED tcuMemAlloc_v2 cuMemAlloc_v2;
CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes) {
    struct fake_gpu gpu;
    CUresult result = current(&gpu);
    if (result != CUDA_SUCCESS) return result;
    /* A process that cannot see the locks of others sees no sessions, so it runs out of memory a little later. */
    pid_t holders[MOST_SLOTS];
    if (bytes > gpu.memory_total - fake_gpus_memory_used(&gpu, fake_gpus_holders(&gpu, holders))) return OUT_OF_MEMORY;
    void *memory = aligned_alloc(512, (bytes + 511) & ~(size_t)511);
    if (!memory) return OUT_OF_MEMORY;
    *pointer = (CUdeviceptr)(uintptr_t)memory;
    return CUDA_SUCCESS;
}

EXPORTED tcuMemAllocPitch_v2 cuMemAllocPitch_v2;
CUresult cuMemAllocPitch_v2(CUdeviceptr *pointer, size_t *pitch, size_t width, size_t height, unsigned element) {
    (void)element;
    *pitch = (width + 511) & ~(size_t)511;
    return cuMemAlloc_v2(pointer, *pitch * height);
}

EXPORTED tcuMemAllocManaged cuMemAllocManaged;
CUresult cuMemAllocManaged(CUdeviceptr *pointer, size_t bytes, unsigned flags) {
    (void)flags;
    return cuMemAlloc_v2(pointer, bytes);
}

EXPORTED tcuMemFree_v2 cuMemFree_v2;
CUresult cuMemFree_v2(CUdeviceptr pointer) {
    free((void *)(uintptr_t)pointer);
    return CUDA_SUCCESS;
}

static CUresult copy(void *to, const void *from, size_t bytes) {
    struct fake_gpu gpu;
    CUresult result = current(&gpu);
    if (result == CUDA_SUCCESS) memcpy(to, from, bytes);
    return result;
}

#define AT(pointer) ((void *)(uintptr_t)(pointer))
EXPORTED tcuMemcpy cuMemcpy;
CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t n) { return copy(AT(to), AT(from), n); }
EXPORTED tcuMemcpyAsync cuMemcpyAsync;
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s) {
    return (void)s, copy(AT(to), AT(from), n);
}
EXPORTED tcuMemcpyHtoD_v2 cuMemcpyHtoD_v2;
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t n) { return copy(AT(to), from, n); }
EXPORTED tcuMemcpyHtoDAsync_v2 cuMemcpyHtoDAsync_v2;
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t n, CUstream s) {
    return (void)s, copy(AT(to), from, n);
}
EXPORTED tcuMemcpyDtoH_v2 cuMemcpyDtoH_v2;
CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t n) { return copy(to, AT(from), n); }
EXPORTED tcuMemcpyDtoHAsync_v2 cuMemcpyDtoHAsync_v2;
CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t n, CUstream s) {
    return (void)s, copy(to, AT(from), n);
}
EXPORTED tcuMemcpyDtoD_v2 cuMemcpyDtoD_v2;
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t n) { return copy(AT(to), AT(from), n); }
EXPORTED tcuMemcpyDtoDAsync_v2 cuMemcpyDtoDAsync_v2;
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s) {
    return (void)s, copy(AT(to), AT(from), n);
}

EXPORTED tcuMemsetD8Async cuMemsetD8Async;
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char byte, size_t n, CUstream s) {
    (void)s;
    memset(AT(to), byte, n);
    return CUDA_SUCCESS;
}

EXPORTED tcuMemcpy2D_v2 cuMemcpy2D_v2;
CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *plan) {
    struct fake_gpu gpu;
    CUresult result = current(&gpu);
    if (result != CUDA_SUCCESS) return result;
    if (plan->srcMemoryType == CU_MEMORYTYPE_ARRAY || plan->dstMemoryType == CU_MEMORYTYPE_ARRAY) return NOT_SUPPORTED;
    const char *from = plan->srcMemoryType == CU_MEMORYTYPE_HOST ? plan->srcHost : AT(plan->srcDevice);
    char *to = plan->dstMemoryType == CU_MEMORYTYPE_HOST ? plan->dstHost : AT(plan->dstDevice);
    for (size_t row = 0; row < plan->Height; row++)
        memcpy(to + (plan->dstY + row) * plan->dstPitch + plan->dstXInBytes,
               from + (plan->srcY + row) * plan->srcPitch + plan->srcXInBytes, plan->WidthInBytes);
    return CUDA_SUCCESS;
}
EXPORTED tcuMemcpy2DAsync_v2 cuMemcpy2DAsync_v2;
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *plan, CUstream s) { return (void)s, cuMemcpy2D_v2(plan); }

/* --- Streams and events: everything is synchronous --- */

EXPORTED tcuStreamCreate cuStreamCreate;
CUresult cuStreamCreate(CUstream *s, unsigned flags) { return (void)flags, *s = NULL, CUDA_SUCCESS; }
EXPORTED tcuStreamQuery cuStreamQuery;
CUresult cuStreamQuery(CUstream s) { return (void)s, CUDA_SUCCESS; }
EXPORTED tcuStreamSynchronize cuStreamSynchronize;
CUresult cuStreamSynchronize(CUstream s) { return (void)s, CUDA_SUCCESS; }
EXPORTED tcuStreamDestroy_v2 cuStreamDestroy_v2;
CUresult cuStreamDestroy_v2(CUstream s) { return (void)s, CUDA_SUCCESS; }
EXPORTED tcuStreamAddCallback cuStreamAddCallback;
CUresult cuStreamAddCallback(CUstream s, CUstreamCallback *callback, void *data, unsigned flags) {
    (void)flags;
    callback(s, CUDA_SUCCESS, data);
    return CUDA_SUCCESS;
}
EXPORTED tcuEventCreate cuEventCreate;
CUresult cuEventCreate(CUevent *event, unsigned flags) { return (void)flags, *event = NULL, CUDA_SUCCESS; }
EXPORTED tcuEventDestroy_v2 cuEventDestroy_v2;
CUresult cuEventDestroy_v2(CUevent event) { return (void)event, CUDA_SUCCESS; }
EXPORTED tcuEventSynchronize cuEventSynchronize;
CUresult cuEventSynchronize(CUevent event) { return (void)event, CUDA_SUCCESS; }
EXPORTED tcuEventQuery cuEventQuery;
CUresult cuEventQuery(CUevent event) { return (void)event, CUDA_SUCCESS; }
EXPORTED tcuEventRecord cuEventRecord;
CUresult cuEventRecord(CUevent event, CUstream s) { return (void)event, (void)s, CUDA_SUCCESS; }

/* --- Errors --- */

EXPORTED tcuGetErrorName cuGetErrorName;
CUresult cuGetErrorName(CUresult error, const char **name) {
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].code == error) return *name = errors[i].name, CUDA_SUCCESS;
    return *name = NULL, INVALID_VALUE;
}
EXPORTED tcuGetErrorString cuGetErrorString;
CUresult cuGetErrorString(CUresult error, const char **words) {
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].code == error) return *words = errors[i].words, CUDA_SUCCESS;
    return *words = NULL, INVALID_VALUE;
}

/* --- Functions that ffmpeg looks up but these GPUs do not support; they ignore their arguments --- */

#define REFUSED(function) \
    EXPORTED CUresult function(void); \
    CUresult function(void) { return NOT_SUPPORTED; }
REFUSED(cuLaunchKernel)
REFUSED(cuLinkCreate)
REFUSED(cuLinkAddData)
REFUSED(cuLinkComplete)
REFUSED(cuLinkDestroy)
REFUSED(cuModuleLoadData)
REFUSED(cuModuleUnload)
REFUSED(cuModuleGetFunction)
REFUSED(cuModuleGetGlobal)
REFUSED(cuTexObjectCreate)
REFUSED(cuTexObjectDestroy)
REFUSED(cuGLGetDevices_v2)
REFUSED(cuGraphicsGLRegisterImage)
REFUSED(cuGraphicsUnregisterResource)
REFUSED(cuGraphicsMapResources)
REFUSED(cuGraphicsUnmapResources)
REFUSED(cuGraphicsSubResourceGetMappedArray)
REFUSED(cuGraphicsResourceGetMappedPointer_v2)
REFUSED(cuArray3DCreate_v2)
REFUSED(cuArrayDestroy)
