/*
 * Fake NVIDIA GPUs: libnvidia-ml, libcuda and libnvidia-encode without hardware, for tests.
 *
 * The programs under test load them in place of the driver's libraries. Text files next to the libraries describe the
 * GPUs; the Rust tests call it `FakeGpus`. The files are read at every call, so a test changes a GPU by writing a new
 * file and renaming it over the old one. Nothing is written here: an encoder may only read where its drivers are.
 *
 *   driver          version of the driver; `broken`: it does not match the libraries; no such file: it is not loaded
 *   gpu0, gpu1 …    one GPU each, lines of `key value`; omitted keys have a default
 *   gpu0.slots/     files 0 to 31; a session locks one of them, so a process that dies releases its sessions
 *
 *   name TEXT             uuid TEXT              memory_total BYTES     memory_used BYTES, without sessions
 *   temperature CELSIUS   power WATTS            power_limit WATTS      throttle BITS
 *   encoder PERCENT       decoder PERCENT        compute PERCENT        (no `encoder`: 40 for each session)
 *   sessions LIMIT        codecs h264 hevc       max_side PIXELS        foreign PROCESSES BYTES
 *   lost 1                the GPU has fallen off the bus
 *   mig 1                 MIG splits it into instances
 *   garbage 1             NVML reports invalid values for it
 *   hang 1                NVML calls for it return only when this key is removed
 *   fail_open STATUS      opening a session fails with this NVENCSTATUS
 *   fail_encode N STATUS  frame N of each session fails, counted from 1
 *   hang_encode N         frame N of each session returns only when this key is removed
 *   pace MILLISECONDS     time that each frame takes
 */
#ifndef FAKE_GPUS_H
#define FAKE_GPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define EXPORTED __attribute__((visibility("default")))
#define MOST_GPUS 16
#define MOST_SLOTS 32
#define MIB (UINT64_C(1) << 20)
/* GPU memory that a session takes. */
#define SESSION_BYTES (160 * MIB)

enum driver { DRIVER_LOADED, DRIVER_MISSING, DRIVER_BROKEN };

struct fake_gpu {
    int index;
    char name[96];
    char uuid[80];
    uint64_t memory_total, memory_used;
    unsigned temperature, power, power_limit;
    int encoder; /* negative: derived from the sessions */
    unsigned decoder, compute;
    uint64_t throttle;
    unsigned sessions;
    unsigned foreign;
    uint64_t foreign_memory;
    bool lost, mig, garbage, hang;
    bool h264, hevc;
    unsigned max_side; /* 0: the default of the codec */
    unsigned fail_open;
    unsigned fail_encode_at, fail_encode_status;
    unsigned hang_encode_at;
    unsigned pace;
};

/* What libcuda returns as a CUcontext, and libnvidia-encode accepts. */
struct context {
    int gpu;
};

enum driver fake_gpus_driver(char *version, size_t size);
int fake_gpus_count(void);
bool fake_gpus_read(int index, struct fake_gpu *gpu);
/* Takes a slot and returns the descriptor to close at the end of the session; -1: all are in use. */
int fake_gpus_take_slot(const struct fake_gpu *gpu);
/* The processes that hold sessions, one entry per session. */
unsigned fake_gpus_holders(const struct fake_gpu *gpu, pid_t holders[MOST_SLOTS]);
uint64_t fake_gpus_memory_used(const struct fake_gpu *gpu, unsigned sessions);
void fake_gpus_wait(unsigned milliseconds);

#endif
