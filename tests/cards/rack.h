/*
 * Stand-ins for NVIDIA cards: libnvidia-ml, libcuda and libnvidia-encode without a card, for tests.
 *
 * The programs under test load them as they load the driver's. What the cards are is told by text files beside the
 * libraries; the directory is called a rack. They are read at every call, so a test changes a card by writing a new
 * file and renaming it over the old one. Nothing is written here: an encoder may only read where its drivers are.
 *
 *   driver          version of the driver; `broken`: it does not fit the libraries; no such file: it is not loaded
 *   card0, card1 …  one card each, lines of `key value`; what is left out has the default below
 *   card0.slots/    files 0 to 31; a session holds a lock on one, so a process that dies leaves none behind
 *
 *   name TEXT             uuid TEXT              memory_total BYTES     memory_used BYTES, without sessions
 *   temperature CELSIUS   power WATTS            power_limit WATTS      throttle BITS
 *   encoder PERCENT       decoder PERCENT        compute PERCENT        (no `encoder`: 40 for each session)
 *   sessions LIMIT        codecs h264 hevc       max_side PIXELS        foreign PROCESSES BYTES
 *   lost 1                it fell off the bus
 *   mig 1                 it is divided into instances
 *   garbage 1             NVML tells nonsense of it
 *   hang 1                NVML calls for it return only when this is gone
 *   fail_open STATUS      no session opens: an NVENCSTATUS
 *   fail_encode N STATUS  picture N of each session fails, from 1 on
 *   hang_encode N         picture N of each session returns only when this is gone
 *   pace MILLISECONDS     a picture takes as long
 */
#ifndef RACK_H
#define RACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define EXPORTED __attribute__((visibility("default")))
#define MOST_CARDS 16
#define MOST_SLOTS 32
#define MIB (UINT64_C(1) << 20)
/* What a session takes of a card's memory. */
#define SESSION_BYTES (160 * MIB)

enum driver { DRIVER_LOADED, DRIVER_MISSING, DRIVER_BROKEN };

struct card {
    int index;
    char name[96];
    char uuid[80];
    uint64_t memory_total, memory_used;
    unsigned temperature, power, power_limit;
    int encoder; /* negative: as the sessions have it */
    unsigned decoder, compute;
    uint64_t throttle;
    unsigned sessions;
    unsigned foreign;
    uint64_t foreign_memory;
    bool lost, mig, garbage, hang;
    bool h264, hevc;
    unsigned max_side; /* 0: as usual for the codec */
    unsigned fail_open;
    unsigned fail_encode_at, fail_encode_status;
    unsigned hang_encode_at;
    unsigned pace;
};

/* What libcuda hands out as a CUcontext, and libnvidia-encode takes. */
struct context {
    int card;
};

enum driver rack_driver(char *version, size_t size);
int rack_count(void);
bool rack_card(int index, struct card *card);
/* Takes a slot and returns what to close at the end of the session; -1: all are taken. */
int rack_take_slot(const struct card *card);
/* The processes that hold sessions, one entry a session. */
unsigned rack_holders(const struct card *card, pid_t holders[MOST_SLOTS]);
uint64_t rack_memory_used(const struct card *card, unsigned sessions);
void rack_wait(unsigned milliseconds);

#endif
