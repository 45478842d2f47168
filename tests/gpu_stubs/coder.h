/* Encodes in place of the GPU: an encoder that returns each frame as soon as it is submitted. */
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

/* Valid until the next call. */
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

/* Three planes of a frame as the encoders need them; interleaved chroma is split into `apart`. */
struct planes {
    uint8_t *plane[3];
    int stride[3];
    uint8_t *apart;
};
bool planes_of(const struct picture *picture, struct planes *planes);

/* Rate control for both encoders, from the parameters of the program. */
struct rate {
    int constant_quantizer; /* negative: unset */
    int quality;            /* negative: unset */
    int kbits, most_kbits, buffer_kbits;
};
struct rate rate_of(const NV_ENC_RC_PARAMS *wanted);

#endif
