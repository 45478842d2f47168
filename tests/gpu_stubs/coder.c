/* Shared by both encoders; see coder.h. */
#include "coder.h"

#include <stdlib.h>

bool planes_of(const struct picture *picture, struct planes *planes) {
    uint32_t columns = (picture->width + 1) / 2, rows = (picture->height + 1) / 2;
    uint8_t *colour = picture->data + (size_t)picture->pitch * picture->height;
    planes->plane[0] = picture->data;
    planes->stride[0] = (int)picture->pitch;
    if (!picture->interleaved) {
        size_t stride = picture->pitch / 2;
        planes->plane[2] = colour;
        planes->plane[1] = colour + stride * rows;
        planes->stride[1] = planes->stride[2] = (int)stride;
        return true;
    }
    if (!planes->apart && !(planes->apart = malloc((size_t)columns * rows * 2))) return false;
    planes->plane[1] = planes->apart;
    planes->plane[2] = planes->apart + (size_t)columns * rows;
    planes->stride[1] = planes->stride[2] = (int)columns;
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t column = 0; column < columns; column++) {
            const uint8_t *pair = colour + (size_t)row * picture->pitch + (size_t)column * 2;
            planes->plane[1][(size_t)row * columns + column] = pair[0];
            planes->plane[2][(size_t)row * columns + column] = pair[1];
        }
    return true;
}

struct rate rate_of(const NV_ENC_RC_PARAMS *wanted) {
    struct rate rate = {.constant_quantizer = -1, .quality = -1};
    if (wanted->rateControlMode == NV_ENC_PARAMS_RC_CONSTQP) {
        rate.constant_quantizer = (int)wanted->constQP.qpInterP;
        return rate;
    }
    if (wanted->targetQuality > 0) rate.quality = wanted->targetQuality;
    rate.kbits = (int)(wanted->averageBitRate / 1000);
    rate.most_kbits = (int)(wanted->maxBitRate / 1000);
    rate.buffer_kbits = (int)(wanted->vbvBufferSize / 1000);
    if (rate.most_kbits && rate.most_kbits < rate.kbits) rate.most_kbits = rate.kbits;
    if (rate.most_kbits && !rate.buffer_kbits) rate.buffer_kbits = rate.most_kbits * 2;
    if (!rate.kbits && rate.quality < 0) rate.kbits = 2000;
    return rate;
}
