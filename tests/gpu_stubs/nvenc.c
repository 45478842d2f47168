/* libnvidia-encode.so.1 of the directory: sessions like those of the driver, frames from the encoders of coder.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coder.h"
#include "fake_gpus.h"

struct session {
    int gpu, slot;
    const struct coder *coder;
    void *state;
    unsigned pictures;
};

/* An input or an output buffer, and a registered or mapped resource: the API returns them all as pointers. */
struct surface {
    struct picture picture;
    NV_ENC_BUFFER_FORMAT format;
    void *owned;
};
struct output {
    uint8_t *data;
    size_t size, room;
    NV_ENC_PIC_TYPE type;
    uint64_t time, duration;
    uint32_t index, quantizer;
};

static bool is(GUID one, GUID other) { return memcmp(&one, &other, sizeof one) == 0; }

static NVENCSTATUS gpu_of(const struct session *session, struct fake_gpu *gpu) {
    return fake_gpus_read(session->gpu, gpu) && !gpu->lost ? NV_ENC_SUCCESS : NV_ENC_ERR_DEVICE_NOT_EXIST;
}

/* --- Sessions --- */

static NVENCSTATUS open_session(NV_ENC_OPEN_ENCODE_SESSION_EX_PARAMS *wanted, void **encoder) {
    struct fake_gpu gpu;
    const struct context *context = wanted->device;
    *encoder = NULL;
    if ((wanted->apiVersion & 0xff) > NVENCAPI_MAJOR_VERSION) return NV_ENC_ERR_INVALID_VERSION;
    if (wanted->deviceType != NV_ENC_DEVICE_TYPE_CUDA || !context) return NV_ENC_ERR_INVALID_DEVICE;
    if (!fake_gpus_read(context->gpu, &gpu) || gpu.lost) return NV_ENC_ERR_DEVICE_NOT_EXIST;
    if (gpu.mig) return NV_ENC_ERR_UNSUPPORTED_DEVICE;
    if (gpu.fail_open) return (NVENCSTATUS)gpu.fail_open;
    int slot = fake_gpus_take_slot(&gpu);
    if (slot < 0) return NV_ENC_ERR_OUT_OF_MEMORY;
    struct session *session = calloc(1, sizeof *session);
    session->gpu = gpu.index;
    session->slot = slot;
    *encoder = session;
    return NV_ENC_SUCCESS;
}

static NVENCSTATUS destroy(void *encoder) {
    struct session *session = encoder;
    if (session->state) session->coder->close(session->state);
    close(session->slot);
    free(session);
    return NV_ENC_SUCCESS;
}

static NVENCSTATUS initialize(void *encoder, NV_ENC_INITIALIZE_PARAMS *wanted) {
    struct session *session = encoder;
    struct fake_gpu gpu;
    NVENCSTATUS status = gpu_of(session, &gpu);
    if (status != NV_ENC_SUCCESS) return status;
    if (fake_gpus_memory_used(&gpu, 0) + SESSION_BYTES > gpu.memory_total) return NV_ENC_ERR_OUT_OF_MEMORY;
    if (!wanted->encodeConfig || session->state) return NV_ENC_ERR_INVALID_PARAM;
    session->coder = is(wanted->encodeGUID, NV_ENC_CODEC_HEVC_GUID) ? &coder_hevc : &coder_h264;
    session->state = session->coder->open(wanted);
    return session->state ? NV_ENC_SUCCESS : NV_ENC_ERR_INVALID_PARAM;
}

/* --- Capabilities --- */

static NVENCSTATUS guids(void *encoder, GUID *list, uint32_t room, uint32_t *count) {
    struct fake_gpu gpu = {0};
    NVENCSTATUS status = gpu_of(encoder, &gpu);
    *count = 0;
    if (gpu.h264 && *count < room) list[(*count)++] = NV_ENC_CODEC_H264_GUID;
    if (gpu.hevc && *count < room) list[(*count)++] = NV_ENC_CODEC_HEVC_GUID;
    return status;
}

static NVENCSTATUS guid_count(void *encoder, uint32_t *count) {
    GUID list[2];
    return guids(encoder, list, 2, count);
}

static NVENCSTATUS capability(void *encoder, GUID codec, NV_ENC_CAPS_PARAM *asked, int *value) {
    struct fake_gpu gpu;
    NVENCSTATUS status = gpu_of(encoder, &gpu);
    unsigned side = is(codec, NV_ENC_CODEC_HEVC_GUID) ? 8192 : 4096;
    if (status == NV_ENC_SUCCESS && gpu.max_side) side = gpu.max_side;
    switch (asked->capsToQuery) {
    case NV_ENC_CAPS_WIDTH_MAX:
    case NV_ENC_CAPS_HEIGHT_MAX: *value = (int)side; break;
    case NV_ENC_CAPS_NUM_MAX_BFRAMES: *value = 4; break;
    case NV_ENC_CAPS_SUPPORT_BFRAME_REF_MODE: *value = 3; break;
    case NV_ENC_CAPS_SUPPORT_CABAC:
    case NV_ENC_CAPS_SUPPORT_LOOKAHEAD:
    case NV_ENC_CAPS_SUPPORT_TEMPORAL_AQ:
    case NV_ENC_CAPS_SUPPORT_WEIGHTED_PREDICTION:
    case NV_ENC_CAPS_SUPPORT_MULTIPLE_REF_FRAMES:
    case NV_ENC_CAPS_SUPPORT_CUSTOM_VBV_BUF_SIZE: *value = 1; break;
    default: *value = 0;
    }
    return status;
}

static NVENCSTATUS preset_ex(void *encoder, GUID codec, GUID preset, NV_ENC_TUNING_INFO tuning,
                             NV_ENC_PRESET_CONFIG *out) {
    (void)preset, (void)tuning;
    struct fake_gpu gpu;
    NV_ENC_CONFIG *config = &out->presetCfg;
    config->gopLength = NVENC_INFINITE_GOPLENGTH;
    config->frameIntervalP = 1;
    config->frameFieldMode = NV_ENC_PARAMS_FRAME_FIELD_MODE_FRAME;
    config->rcParams.rateControlMode = NV_ENC_PARAMS_RC_VBR;
    if (is(codec, NV_ENC_CODEC_H264_GUID)) config->encodeCodecConfig.h264Config.chromaFormatIDC = 1;
    return gpu_of(encoder, &gpu);
}

static NVENCSTATUS preset_of(void *encoder, GUID codec, GUID preset, NV_ENC_PRESET_CONFIG *out) {
    return preset_ex(encoder, codec, preset, NV_ENC_TUNING_INFO_HIGH_QUALITY, out);
}

/* --- Buffers --- */

static bool takes(NV_ENC_BUFFER_FORMAT format) {
    return format == NV_ENC_BUFFER_FORMAT_NV12 || format == NV_ENC_BUFFER_FORMAT_YV12;
}

static NVENCSTATUS create_input(void *encoder, NV_ENC_CREATE_INPUT_BUFFER *wanted) {
    struct fake_gpu gpu;
    NVENCSTATUS status = gpu_of(encoder, &gpu);
    if (status != NV_ENC_SUCCESS) return status;
    if (!takes(wanted->bufferFmt)) return NV_ENC_ERR_UNSUPPORTED_PARAM;
    struct surface *surface = calloc(1, sizeof *surface);
    uint32_t pitch = (wanted->width + 63) & ~UINT32_C(63), height = (wanted->height + 1) & ~UINT32_C(1);
    surface->format = wanted->bufferFmt;
    surface->owned = malloc((size_t)pitch * height * 3 / 2);
    surface->picture = (struct picture){wanted->bufferFmt == NV_ENC_BUFFER_FORMAT_NV12, surface->owned,
                                        wanted->width, wanted->height, pitch};
    wanted->inputBuffer = surface;
    return NV_ENC_SUCCESS;
}

static NVENCSTATUS destroy_surface(void *encoder, void *pointer) {
    struct surface *surface = pointer;
    (void)encoder;
    if (surface) free(surface->owned);
    free(surface);
    return NV_ENC_SUCCESS;
}

static NVENCSTATUS lock_input(void *encoder, NV_ENC_LOCK_INPUT_BUFFER *lock) {
    struct fake_gpu gpu;
    const struct surface *surface = lock->inputBuffer;
    lock->bufferDataPtr = surface->picture.data;
    lock->pitch = surface->picture.pitch;
    return gpu_of(encoder, &gpu);
}

static NVENCSTATUS nothing_to_do(void *encoder, void *pointer) { return (void)encoder, (void)pointer, NV_ENC_SUCCESS; }

static NVENCSTATUS register_resource(void *encoder, NV_ENC_REGISTER_RESOURCE *wanted) {
    struct fake_gpu gpu;
    NVENCSTATUS status = gpu_of(encoder, &gpu);
    if (status != NV_ENC_SUCCESS) return status;
    if (wanted->resourceType != NV_ENC_INPUT_RESOURCE_TYPE_CUDADEVICEPTR || !takes(wanted->bufferFormat))
        return NV_ENC_ERR_UNSUPPORTED_PARAM;
    struct surface *surface = calloc(1, sizeof *surface);
    surface->format = wanted->bufferFormat;
    surface->picture = (struct picture){wanted->bufferFormat == NV_ENC_BUFFER_FORMAT_NV12,
                                        wanted->resourceToRegister, wanted->width, wanted->height, wanted->pitch};
    wanted->registeredResource = surface;
    return NV_ENC_SUCCESS;
}

static NVENCSTATUS map_resource(void *encoder, NV_ENC_MAP_INPUT_RESOURCE *map) {
    struct fake_gpu gpu;
    map->mappedResource = map->registeredResource;
    map->mappedBufferFmt = ((struct surface *)map->registeredResource)->format;
    return gpu_of(encoder, &gpu);
}

static NVENCSTATUS create_output(void *encoder, NV_ENC_CREATE_BITSTREAM_BUFFER *wanted) {
    (void)encoder;
    wanted->bitstreamBuffer = calloc(1, sizeof(struct output));
    return NV_ENC_SUCCESS;
}

static NVENCSTATUS destroy_output(void *encoder, void *pointer) {
    struct output *output = pointer;
    (void)encoder;
    if (output) free(output->data);
    free(output);
    return NV_ENC_SUCCESS;
}

/* --- Frames --- */

static NVENCSTATUS encode(void *encoder, NV_ENC_PIC_PARAMS *wanted) {
    struct session *session = encoder;
    struct fake_gpu gpu;
    NVENCSTATUS status = gpu_of(session, &gpu);
    if (status != NV_ENC_SUCCESS) return status;
    if (!session->state) return NV_ENC_ERR_ENCODER_NOT_INITIALIZED;
    if (wanted->encodePicFlags & NV_ENC_PIC_FLAG_EOS) return NV_ENC_SUCCESS;
    const unsigned number = ++session->pictures;
    if (gpu.pace) fake_gpus_wait(gpu.pace);
    while (gpu.hang_encode_at == number && fake_gpus_read(session->gpu, &gpu)) fake_gpus_wait(10);
    if (gpu.fail_encode_at == number) return (NVENCSTATUS)gpu.fail_encode_status;

    const struct surface *surface = wanted->inputBuffer;
    struct output *output = wanted->outputBitstream;
    enum kind kind = wanted->encodePicFlags & NV_ENC_PIC_FLAG_FORCEIDR     ? KIND_IDR
                     : wanted->encodePicFlags & NV_ENC_PIC_FLAG_FORCEINTRA ? KIND_INTRA
                                                                           : KIND_ANY;
    struct coded coded;
    if (!session->coder->encode(session->state, &surface->picture, kind, &coded)) return NV_ENC_ERR_GENERIC;
    if (coded.size > output->room) {
        free(output->data);
        output->room = coded.size;
        output->data = malloc(coded.size);
    }
    memcpy(output->data, coded.data, coded.size);
    output->size = coded.size;
    output->type = coded.type;
    output->quantizer = coded.quantizer;
    output->time = wanted->inputTimeStamp;
    output->duration = wanted->inputDuration;
    output->index = number - 1;
    return NV_ENC_SUCCESS;
}

static NVENCSTATUS lock_output(void *encoder, NV_ENC_LOCK_BITSTREAM *lock) {
    struct fake_gpu gpu;
    NVENCSTATUS status = gpu_of(encoder, &gpu);
    if (status != NV_ENC_SUCCESS) return status;
    const struct output *output = lock->outputBitstream;
    lock->bitstreamBufferPtr = output->data;
    lock->bitstreamSizeInBytes = (uint32_t)output->size;
    lock->outputTimeStamp = output->time;
    lock->outputDuration = output->duration;
    lock->pictureType = output->type;
    lock->pictureStruct = NV_ENC_PIC_STRUCT_FRAME;
    lock->frameAvgQP = output->quantizer;
    lock->frameIdx = output->index;
    return NV_ENC_SUCCESS;
}

static NVENCSTATUS sequence(void *encoder, NV_ENC_SEQUENCE_PARAM_PAYLOAD *wanted) {
    struct session *session = encoder;
    struct fake_gpu gpu;
    struct coded coded;
    NVENCSTATUS status = gpu_of(session, &gpu);
    if (status != NV_ENC_SUCCESS) return status;
    if (!session->state) return NV_ENC_ERR_ENCODER_NOT_INITIALIZED;
    if (!session->coder->headers(session->state, &coded)) return NV_ENC_ERR_GENERIC;
    if (coded.size > wanted->inBufferSize) return NV_ENC_ERR_NOT_ENOUGH_BUFFER;
    memcpy(wanted->spsppsBuffer, coded.data, coded.size);
    *wanted->outSPSPPSPayloadSize = (uint32_t)coded.size;
    return NV_ENC_SUCCESS;
}

static NVENCSTATUS reconfigure(void *encoder, NV_ENC_RECONFIGURE_PARAMS *wanted) {
    (void)encoder, (void)wanted;
    return NV_ENC_ERR_UNSUPPORTED_PARAM;
}

static NVENCSTATUS streams(void *encoder, void *in, void *out) {
    return (void)encoder, (void)in, (void)out, NV_ENC_SUCCESS;
}

static const char *last_error(void *encoder) { return (void)encoder, "EncodeAPI Internal Error."; }

EXPORTED NVENCSTATUS NvEncodeAPIGetMaxSupportedVersion(uint32_t *version) {
    *version = NVENCAPI_MAJOR_VERSION << 4 | NVENCAPI_MINOR_VERSION;
    return NV_ENC_SUCCESS;
}

EXPORTED NVENCSTATUS NvEncodeAPICreateInstance(NV_ENCODE_API_FUNCTION_LIST *list) {
    if (list->version != NV_ENCODE_API_FUNCTION_LIST_VER) return NV_ENC_ERR_INVALID_VERSION;
    list->nvEncOpenEncodeSessionEx = open_session;
    list->nvEncDestroyEncoder = destroy;
    list->nvEncInitializeEncoder = initialize;
    list->nvEncReconfigureEncoder = reconfigure;
    list->nvEncGetEncodeGUIDCount = guid_count;
    list->nvEncGetEncodeGUIDs = guids;
    list->nvEncGetEncodeCaps = capability;
    list->nvEncGetEncodePresetConfig = preset_of;
    list->nvEncGetEncodePresetConfigEx = preset_ex;
    list->nvEncCreateInputBuffer = create_input;
    list->nvEncDestroyInputBuffer = destroy_surface;
    list->nvEncLockInputBuffer = lock_input;
    list->nvEncUnlockInputBuffer = nothing_to_do;
    list->nvEncRegisterResource = register_resource;
    list->nvEncUnregisterResource = destroy_surface;
    list->nvEncMapInputResource = map_resource;
    list->nvEncUnmapInputResource = nothing_to_do;
    list->nvEncCreateBitstreamBuffer = create_output;
    list->nvEncDestroyBitstreamBuffer = destroy_output;
    list->nvEncEncodePicture = encode;
    list->nvEncLockBitstream = lock_output;
    list->nvEncUnlockBitstream = nothing_to_do;
    list->nvEncGetSequenceParams = sequence;
    list->nvEncSetIOCudaStreams = streams;
    list->nvEncGetLastErrorString = last_error;
    return NV_ENC_SUCCESS;
}
