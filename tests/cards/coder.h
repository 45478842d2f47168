/* What makes the pictures in place of the card: an encoder that gives out each picture as it takes it. */
#ifndef CODER_H
#define CODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ffnvcodec/nvEncodeAPI.h>

struct picture {
    bool interleaved; /* NV12; otherwise three planes, V before U */
    uint8_t *data;
    uint32_t width, height, pitch;
};

enum kind { KIND_ANY, KIND_INTRA, KIND_IDR };

/* Stays as it is until the next call. */
struct coded {
    const uint8_t *data;
    size_t size;
    NV_ENC_PIC_TYPE type;
    unsigned quantizer;
};

struct coder {
    void *(*open)(const NV_ENC_INITIALIZE_PARAMS *wanted);
    bool (*headers)(void *state, struct coded *out);
    bool (*encode)(void *state, const struct picture *picture, enum kind kind, struct coded *out);
    void (*close)(void *state);
};

extern const struct coder coder_h264, coder_hevc;

/* Three planes of a picture as encoders take them; interleaved colour is pulled apart into `apart`. */
struct planes {
    uint8_t *plane[3];
    int stride[3];
    uint8_t *apart;
};
bool planes_of(const struct picture *picture, struct planes *planes);

/* Rate control that both encoders understand, from what the program asked for. */
struct rate {
    int constant_quantizer; /* negative: not wanted */
    int quality;            /* negative: not wanted */
    int kbits, most_kbits, buffer_kbits;
};
struct rate rate_of(const NV_ENC_RC_PARAMS *wanted);

#endif
