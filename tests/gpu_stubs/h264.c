/* H.264 by libx264. */
#include "coder.h"

#include <stdlib.h>
#include <string.h>

#include <x264.h>

struct state {
    x264_t *encoder;
    x264_param_t param;
    struct planes planes;
    int64_t count;
};

static bool is(const GUID *one, const GUID *other) { return memcmp(one, other, sizeof *one) == 0; }

static const char *profile_of(const GUID *wanted) {
    if (is(wanted, &NV_ENC_H264_PROFILE_BASELINE_GUID)) return "baseline";
    if (is(wanted, &NV_ENC_H264_PROFILE_MAIN_GUID)) return "main";
    return "high";
}

static void set_rate(x264_param_t *param, const NV_ENC_RC_PARAMS *wanted) {
    struct rate rate = rate_of(wanted);
    if (rate.constant_quantizer >= 0) {
        param->rc.i_rc_method = X264_RC_CQP;
        param->rc.i_qp_constant = rate.constant_quantizer;
    } else if (rate.quality >= 0) {
        param->rc.i_rc_method = X264_RC_CRF;
        param->rc.f_rf_constant = (float)rate.quality;
    } else {
        param->rc.i_rc_method = X264_RC_ABR;
        param->rc.i_bitrate = rate.kbits;
    }
    param->rc.i_vbv_max_bitrate = rate.most_kbits;
    param->rc.i_vbv_buffer_size = rate.buffer_kbits;
}

static void set_words(x264_param_t *param, const NV_ENC_CONFIG_H264_VUI_PARAMETERS *wanted) {
    if (wanted->videoSignalTypePresentFlag) {
        param->vui.i_vidformat = (int)wanted->videoFormat;
        param->vui.b_fullrange = (int)wanted->videoFullRangeFlag;
    }
    if (wanted->colourDescriptionPresentFlag) {
        param->vui.i_colorprim = (int)wanted->colourPrimaries;
        param->vui.i_transfer = (int)wanted->transferCharacteristics;
        param->vui.i_colmatrix = (int)wanted->colourMatrix;
    }
}

static void *open_h264(const NV_ENC_INITIALIZE_PARAMS *wanted) {
    struct state *state = calloc(1, sizeof *state);
    const NV_ENC_CONFIG *config = wanted->encodeConfig;
    const NV_ENC_CONFIG_H264 *h264 = &config->encodeCodecConfig.h264Config;
    x264_param_t *param = &state->param;
    if (x264_param_default_preset(param, "superfast", "zerolatency") < 0) return free(state), NULL;
    param->i_log_level = X264_LOG_NONE;
    param->i_threads = 1;
    param->b_sliced_threads = 0;
    param->i_width = (int)wanted->encodeWidth;
    param->i_height = (int)wanted->encodeHeight;
    param->i_csp = X264_CSP_I420;
    param->i_fps_num = wanted->frameRateNum;
    param->i_fps_den = wanted->frameRateDen;
    param->b_vfr_input = 0;
    param->vui.i_sar_width = (int)(wanted->darWidth * wanted->encodeHeight);
    param->vui.i_sar_height = (int)(wanted->darHeight * wanted->encodeWidth);
    param->i_keyint_max = config->gopLength == NVENC_INFINITE_GOPLENGTH ? X264_KEYINT_MAX_INFINITE
                                                                        : (int)config->gopLength;
    param->i_keyint_min = 1;
    param->i_scenecut_threshold = 0;
    param->b_repeat_headers = !h264->disableSPSPPS;
    param->b_aud = h264->outputAUD;
    param->b_annexb = 1;
    if (h264->level) param->i_level_idc = (int)h264->level;
    set_rate(param, &config->rcParams);
    set_words(param, &h264->h264VUIParameters);
    if (x264_param_apply_profile(param, profile_of(&config->profileGUID)) < 0) return free(state), NULL;
    state->encoder = x264_encoder_open(param);
    if (!state->encoder) return free(state), NULL;
    return state;
}

static bool headers_h264(void *pointer, struct coded *out) {
    struct state *state = pointer;
    x264_nal_t *units;
    int count, size = 0, whole = x264_encoder_headers(state->encoder, &units, &count);
    if (whole < 0) return false;
    /* The SEI unit that names libx264 comes last; a GPU writes none. */
    for (int i = 0; i < count && units[i].i_type != NAL_SEI; i++) size += units[i].i_payload;
    *out = (struct coded){.data = units[0].p_payload, .size = (size_t)size};
    return true;
}

static bool encode_h264(void *pointer, const struct picture *picture, enum kind kind, struct coded *out) {
    struct state *state = pointer;
    if (!planes_of(picture, &state->planes)) return false;
    x264_picture_t in, made;
    x264_nal_t *units;
    int count;
    x264_picture_init(&in);
    in.img.i_csp = X264_CSP_I420;
    in.img.i_plane = 3;
    for (int plane = 0; plane < 3; plane++) {
        in.img.plane[plane] = state->planes.plane[plane];
        in.img.i_stride[plane] = state->planes.stride[plane];
    }
    in.i_type = kind == KIND_IDR ? X264_TYPE_IDR : kind == KIND_INTRA ? X264_TYPE_I : X264_TYPE_AUTO;
    in.i_pts = state->count++;
    int size = x264_encoder_encode(state->encoder, &units, &count, &in, &made);
    if (size <= 0) return false;
    *out = (struct coded){
        .data = units[0].p_payload,
        .size = (size_t)size,
        .type = made.b_keyframe                                          ? NV_ENC_PIC_TYPE_IDR
                : made.i_type == X264_TYPE_I || made.i_type == X264_TYPE_IDR ? NV_ENC_PIC_TYPE_I
                                                                         : NV_ENC_PIC_TYPE_P,
        .quantizer = made.i_qpplus1 > 0 ? (unsigned)made.i_qpplus1 - 1 : 0,
    };
    return true;
}

static void close_h264(void *pointer) {
    struct state *state = pointer;
    x264_encoder_close(state->encoder);
    free(state->planes.apart);
    free(state);
}

const struct coder coder_h264 = {open_h264, headers_h264, encode_h264, close_h264};
