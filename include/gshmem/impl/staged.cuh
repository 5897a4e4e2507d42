/* staged.cuh - copies by the copy engine, which one thread keeps busy: global memory, a stage
 * of shared memory, global memory.
 *
 * Its stages are GSHMEM_STAGING bytes of shared memory in each kernel that can come here, 0
 * for none: then all copies are made by loads and stores. They and the __shared__ variables of
 * the kernel have 48 KiB together. A copy of a constant number of bytes below engine_from<Group>
 * does not come here.
 *
 * The block has one set of stages. Who finds it taken copies a piece by loads and stores and
 * asks again. The word `owner` has any value when a kernel starts, as nobody can know who
 * is first. That does no harm: it is taken by changing it to TAKEN from whatever it was but
 * TAKEN, and only its owner writes it until it is free again. So there is never a second
 * owner, and if chance had left TAKEN there, only time is lost.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_IMPL_STAGED_CUH
#define GSHMEM_IMPL_STAGED_CUH

#include <gshmem/impl/group.cuh>

#ifndef GSHMEM_STAGING
#define GSHMEM_STAGING 8192
#endif

namespace gsh_impl {

constexpr unsigned STAGES = 4,
                   STAGE = GSHMEM_STAGING < 512 ? 128 : GSHMEM_STAGING / STAGES / 128 * 128;
constexpr unsigned LEAST_PIECE = 512; /* of a copy that is spread over the stages */
constexpr uint32_t FREE = 0, TAKEN = 0x9a7e5eed;

struct stages {
    alignas(128) char stage[STAGES][STAGE];
    uint64_t loaded[STAGES];
    uint32_t owner;
};

GSH_DEVICE stages &stages_of_block()
{
    __shared__ stages of_block;

    return of_block;
}

GSH_DEVICE bool take_stages()
{
    uint32_t *owner = &stages_of_block().owner, was = load(owner);

    if (was == TAKEN || atomicCAS_block(owner, was, (uint32_t)TAKEN) != was)
        return false;
    __threadfence_block();
    return true;
}

GSH_DEVICE void give_stages()
{
    __threadfence_block();
    store(&stages_of_block().owner, (uint32_t)FREE);
}

/* By the owner of the stages; addresses and bytes are multiples of 16. Piece k passes through
 * stage k % STAGES. A stage is loaded again one turn after its store was started, when the
 * engine has read it. On return the copy is complete. */
GSH_DEVICE_LARGE void copy_by_engine(char *to, const char *from, size_t bytes)
{
    stages &s = stages_of_block();
    size_t even = (bytes / STAGES + 15) / 16 * 16;
    unsigned piece = even > STAGE ? STAGE : even < LEAST_PIECE ? LEAST_PIECE : (unsigned)even;
    size_t ahead = 0, done = 0;
    unsigned in = 0, out = 0, turn = 0;

    GSH_UNROLL
    for (unsigned k = 0; k < STAGES; k++)
        engine_init(&s.loaded[k]);
    engine_sees();
    while (done < bytes) {
        /* All stages at first, later the one that was stored a turn ago. */
        while (ahead < bytes && ahead - done < (done ? STAGES - 1 : STAGES) * (size_t)piece) {
            size_t left = bytes - ahead;

            if (done)
                engine_read_but_last();
            engine_load(s.stage[in], from + ahead, left < piece ? (unsigned)left : piece,
                        &s.loaded[in]);
            in = in + 1 < STAGES ? in + 1 : 0;
            ahead += piece;
        }
        while (!engine_loaded(&s.loaded[out], turn))
            continue;
        size_t left = bytes - done;
        engine_store(to + done, s.stage[out], left < piece ? (unsigned)left : piece);
        out = out + 1 < STAGES ? out + 1 : 0;
        turn += out == 0;
        done += piece;
    }
    engine_stored();
    GSH_UNROLL
    for (unsigned k = 0; k < STAGES; k++)
        engine_end(&s.loaded[k]);
}

} // namespace gsh_impl

#endif /* GSHMEM_IMPL_STAGED_CUH */
