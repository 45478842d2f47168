/* HEVC by libx265. */
#include "coder.h"

#include <stdlib.h>

#include <x265.h>

struct state {
    x265_encoder *encoder;
    x265_param *param;
    struct planes planes;
    int64_t count;
};

static void set_rate(x265_param *param, const NV_ENC_RC_PARAMS *wanted) {
    struct rate rate = rate_of(wanted);
    if (rate.constant_quantizer >= 0) {
        param->rc.rateControlMode = X265_RC_CQP;
        param->rc.qp = rate.constant_quantizer;
    } else if (rate.quality >= 0) {
        param->rc.rateControlMode = X265_RC_CRF;
        param->rc.rfConstant = rate.quality;
    } else {
        param->rc.rateControlMode = X265_RC_ABR;
        param->rc.bitrate = rate.kbits;
    }
    param->rc.vbvMaxBitrate = rate.most_kbits;
    param->rc.vbvBufferSize = rate.buffer_kbits;
}

static void set_words(x265_param *param, const NV_ENC_CONFIG_HEVC_VUI_PARAMETERS *wanted) {
    param->vui.bEnableVideoSignalTypePresentFlag = (int)wanted->videoSignalTypePresentFlag;
    param->vui.videoFormat = (int)wanted->videoFormat;
    param->vui.bEnableVideoFullRangeFlag = (int)wanted->videoFullRangeFlag;
    param->vui.bEnableColorDescriptionPresentFlag = (int)wanted->colourDescriptionPresentFlag;
    param->vui.colorPrimaries = (int)wanted->colourPrimaries;
    param->vui.transferCharacteristics = (int)wanted->transferCharacteristics;
    param->vui.matrixCoeffs = (int)wanted->colourMatrix;
}

static void close_hevc(void *pointer) {
    struct state *state = pointer;
    if (state->encoder) x265_encoder_close(state->encoder);
    if (state->param) x265_param_free(state->param);
    free(state->planes.apart);
    free(state);
}

static void *open_hevc(const NV_ENC_INITIALIZE_PARAMS *wanted) {
    struct state *state = calloc(1, sizeof *state);
    const NV_ENC_CONFIG *config = wanted->encodeConfig;
    const NV_ENC_CONFIG_HEVC *hevc = &config->encodeCodecConfig.hevcConfig;
    x265_param *param = state->param = x265_param_alloc();
    if (!param || x265_param_default_preset(param, "ultrafast", "zerolatency") < 0) return close_hevc(state), NULL;
    param->logLevel = X265_LOG_NONE;
    x265_param_parse(param, "pools", "none");
    param->frameNumThreads = 1;
    param->bEnableWavefront = 0;
    param->sourceWidth = (int)wanted->encodeWidth;
    param->sourceHeight = (int)wanted->encodeHeight;
    param->internalCsp = X265_CSP_I420;
    param->fpsNum = wanted->frameRateNum;
    param->fpsDenom = wanted->frameRateDen;
    param->keyframeMax = config->gopLength == NVENC_INFINITE_GOPLENGTH ? -1 : (int)config->gopLength;
    param->keyframeMin = 1;
    param->scenecutThreshold = 0;
    param->bOpenGOP = 0;
    param->bRepeatHeaders = !hevc->disableSPSPPS;
    param->bEnableAccessUnitDelimiters = hevc->outputAUD;
    param->bEmitInfoSEI = 0;
    param->bAnnexB = 1;
    set_rate(param, &config->rcParams);
    set_words(param, &hevc->hevcVUIParameters);
    state->encoder = x265_encoder_open(param);
    if (!state->encoder) return close_hevc(state), NULL;
    return state;
}

static bool headers_hevc(void *pointer, struct coded *out) {
    struct state *state = pointer;
    x265_nal *units;
    uint32_t count;
    int size = x265_encoder_headers(state->encoder, &units, &count);
    if (size < 0) return false;
    *out = (struct coded){.data = units[0].payload, .size = (size_t)size};
    return true;
}

static bool encode_hevc(void *pointer, const struct picture *picture, enum kind kind, struct coded *out) {
    struct state *state = pointer;
    if (!planes_of(picture, &state->planes)) return false;
    x265_picture in, made;
    x265_nal *units = NULL;
    uint32_t count = 0;
    size_t size = 0;
    x265_picture_init(state->param, &in);
    for (int plane = 0; plane < 3; plane++) {
        in.planes[plane] = state->planes.plane[plane];
        in.stride[plane] = state->planes.stride[plane];
    }
    in.sliceType = kind == KIND_IDR ? X265_TYPE_IDR : kind == KIND_INTRA ? X265_TYPE_I : X265_TYPE_AUTO;
    in.pts = state->count++;
    if (x265_encoder_encode(state->encoder, &units, &count, &in, &made) <= 0) return false;
    for (uint32_t i = 0; i < count; i++) size += units[i].sizeBytes;
    *out = (struct coded){
        .data = units[0].payload,
        .size = size,
        .type = made.sliceType == X265_TYPE_IDR ? NV_ENC_PIC_TYPE_IDR
                : made.sliceType == X265_TYPE_I ? NV_ENC_PIC_TYPE_I
                                                : NV_ENC_PIC_TYPE_P,
        .quantizer = made.frameData.qp > 0 ? (unsigned)made.frameData.qp : 0,
    };
    return true;
}

const struct coder coder_hevc = {open_hevc, headers_hevc, encode_hevc, close_hevc};
