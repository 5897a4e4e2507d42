/* event.c - what the program tells the checker, as accesses, releases and acquires: see the
 * rules in race.h. */
// SPDX-License-Identifier: BSD-3-Clause
#include "core/state.h"
#include "gpu/cpu/preempt.h"
#include "heap/data.h"
#include "race/race.h"

enum { FLAG_BYTES = 8 }; /* a put of up to so many bytes may be waited for */

GSH_CPU_TLS const void *gsh_race_host;

static struct gsh_race_actor *begin(const void **where)
{
    if (!*where && gsh_cpu_fiber)
        *where = gsh_cpu_fiber->where;
    else if (gsh_race_host)
        *where = gsh_race_host;
    return gsh_race_self();
}

/* All that comes before what self does now. */
static struct gsh_race_know *past_of(const struct gsh_race_actor *self)
{
    struct gsh_race_know *past = gsh_race_know_use(self->know);

    gsh_race_know_raise(&past, self->key, self->clock);
    return past;
}

static void check(struct gsh_race_actor *self, enum gsh_race_domain domain, const void *at,
                  size_t bytes, enum gsh_race_kind kind, const void *where)
{
    if (domain != GSH_RACE_THREAD)
        self->last_async = self->clock;
    self->has_payload |= domain == GSH_RACE_PAYLOAD;
    gsh_race_shadow_check(self, domain, at, bytes, kind, where);
}

void gsh_race_access(const void *at, size_t bytes, enum gsh_race_kind kind, const void *where)
{
    gsh_race_shadow_check(gsh_race_self(), GSH_RACE_THREAD, at, bytes, kind, where);
}

void gsh_race_volatile_read(const void *at, size_t bytes, const void *where)
{
    gsh_race_self()->read = (struct gsh_race_read){ at, bytes, where };
}

void gsh_race_tell_read(struct gsh_race_actor *self)
{
    struct gsh_race_read read = self->read;

    self->read.at = NULL;
    gsh_race_shadow_check(self, GSH_RACE_THREAD, read.at, read.bytes, GSH_RACE_ATOMIC_READ,
                          read.where);
    gsh_race_sync_acquire(gsh_race_place(read.at), &self->pending);
}

void gsh_race_step_begin(const void *word)
{
    gsh_cpu_preempt_hold(true);
    gsh_race_sync_lock(gsh_race_place(word));
}

void gsh_race_step_end(const void *word)
{
    gsh_race_sync_unlock(gsh_race_place(word));
    gsh_cpu_preempt_hold(false);
}

static bool releases(int order)
{
    return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

static bool acquires(int order)
{
    return order == __ATOMIC_ACQUIRE || order == __ATOMIC_CONSUME || order == __ATOMIC_ACQ_REL ||
           order == __ATOMIC_SEQ_CST;
}

void gsh_race_atomic_release(const void *at, int order)
{
    struct gsh_race_actor *self = gsh_race_self();
    struct gsh_race_entry own = { .key = self->key, .clock = self->clock };

    if (releases(order)) {
        gsh_race_sync_release(gsh_race_place(at), self->know, (struct gsh_race_list){ &own, 1 });
        gsh_race_tick(self);
    } else if (self->release) {
        gsh_race_sync_release(gsh_race_place(at), self->release, (struct gsh_race_list){ 0 });
    }
}

void gsh_race_atomic_acquire(const void *at, int order)
{
    struct gsh_race_actor *self = gsh_race_self();

    gsh_race_sync_acquire(gsh_race_place(at), acquires(order) ? &self->know : &self->pending);
}

void gsh_race_atomic_fence(int order)
{
    struct gsh_race_actor *self = gsh_race_self();

    if (acquires(order)) {
        gsh_race_know_add(&self->know, self->pending);
        gsh_race_know_drop(self->pending);
        self->pending = NULL;
    }
    if (releases(order)) {
        gsh_race_know_drop(self->release);
        self->release = past_of(self);
        gsh_race_tick(self);
    }
}

/* The place by which the threads of a host know of each other. */
static uint64_t own_host(void)
{
    return UINT64_C(3) << 62 | gsh_race_key(gsh_race.pe, 0, 0, 0);
}

/* Whoever sees the word learns what came before this, what was fenced, and the payload. */
static void post(struct gsh_race_actor *self, const void *word)
{
    struct gsh_race_entry own[] = {
        { .key = self->key, .clock = self->clock },
        { .key = gsh_race_in_domain(self->key, GSH_RACE_PAYLOAD), .clock = self->clock },
    };
    struct gsh_race_know *know;

    if (gsh_race_one_of_many(self))
        gsh_race_sync_acquire(own_host(), &self->know);
    know = gsh_race_know_use(self->know);
    gsh_race_know_add(&know, self->fenced);
    gsh_race_sync_release(gsh_race_place(word), know,
                          (struct gsh_race_list){ own, self->has_payload ? 2 : 1 });
    gsh_race_know_drop(know);
    if (gsh_race_one_of_many(self)) {
        know = past_of(self);
        gsh_race_sync_release(own_host(), know, (struct gsh_race_list){ 0 });
        gsh_race_know_drop(know);
    }
    gsh_race_tick(self);
}

static void learn(struct gsh_race_actor *self, const void *word)
{
    gsh_race_sync_acquire(gsh_race_place(word), &self->know);
    if (gsh_race_one_of_many(self))
        gsh_race_sync_release(own_host(), self->know, (struct gsh_race_list){ 0 });
}

static enum gsh_race_domain source_domain(enum gsh_race_form form)
{
    return form == GSH_RACE_NBI ? GSH_RACE_ASYNC : GSH_RACE_THREAD;
}

void gsh_race_put(const void *to, const void *source, size_t bytes, const void *where,
                  enum gsh_race_form form)
{
    struct gsh_race_actor *self = begin(&where);

    check(self, source_domain(form), source, bytes, GSH_RACE_READ, where);
    check(self, GSH_RACE_ASYNC, to, bytes, GSH_RACE_PUT, where);
    if (bytes <= FLAG_BYTES && bytes)
        post(self, to);
}

/* Who learns that the payload has come knows that the source has been read. */
void gsh_race_payload(const void *to, const void *source, size_t bytes, const void *where,
                      enum gsh_race_form form)
{
    struct gsh_race_actor *self = begin(&where);

    check(self, form == GSH_RACE_NBI ? GSH_RACE_PAYLOAD : GSH_RACE_THREAD, source, bytes,
          GSH_RACE_READ, where);
    check(self, GSH_RACE_PAYLOAD, to, bytes, GSH_RACE_PUT, where);
}

void gsh_race_get(const void *dest, const void *from, size_t bytes, const void *where,
                  enum gsh_race_form form)
{
    struct gsh_race_actor *self = begin(&where);

    check(self, source_domain(form), from, bytes, GSH_RACE_READ, where);
    check(self, source_domain(form), dest, bytes, GSH_RACE_WRITE, where);
}

void gsh_race_post(const void *to, size_t bytes, int fetches, const void *where)
{
    struct gsh_race_actor *self = begin(&where);

    gsh_race_step_begin(to);
    check(self, fetches ? GSH_RACE_THREAD : GSH_RACE_ASYNC, to, bytes,
          fetches ? GSH_RACE_UPDATE : GSH_RACE_POST, where);
    post(self, to);
}

void gsh_race_posted(const void *to, int fetches)
{
    if (fetches)
        learn(gsh_race_self(), to);
    gsh_race_step_end(to);
}

void gsh_race_observe(const void *word, size_t bytes, const void *where)
{
    struct gsh_race_actor *self = begin(&where);
    size_t off;

    /* A static variable is in the window as well, where others write it. */
    if (gsh_data_offset(word, bytes, &off))
        word = gsh.base + off;
    learn(self, word);
    gsh_race_shadow_seen(word, bytes);
    check(self, GSH_RACE_THREAD, word, bytes, GSH_RACE_WAIT, where);
}

void gsh_race_fence(void)
{
    struct gsh_race_actor *self = gsh_race_self();

    gsh_race_know_drop(self->fenced);
    self->fenced = past_of(self);
    gsh_race_know_complete(&self->fenced, gsh_race.pe);
    gsh_race_tick(self);
}

void gsh_race_quiet(void)
{
    struct gsh_race_actor *self = gsh_race_self();
    struct gsh_race_know *past = past_of(self);

    gsh_race_know_complete(&past, gsh_race.pe);
    gsh_race_know_drop(self->know);
    self->know = past;
    gsh_race_tick(self);
}

void gsh_race_touch(const void *at, size_t bytes, int writes, const void *where)
{
    struct gsh_race_actor *self = begin(&where);

    check(self, GSH_RACE_THREAD, at, bytes, writes ? GSH_RACE_WRITE : GSH_RACE_READ, where);
}

void gsh_race_release(const void *key)
{
    post(gsh_race_self(), key);
}

void gsh_race_acquire(const void *key)
{
    learn(gsh_race_self(), key);
}

void gsh_race_pass(const void *from, const void *to)
{
    struct gsh_race_know *know = NULL;

    gsh_race_sync_acquire(gsh_race_place(from), &know);
    gsh_race_sync_release(gsh_race_place(to), know, (struct gsh_race_list){ 0 });
    gsh_race_know_drop(know);
}

void gsh_race_forget(const void *key)
{
    gsh_race_sync_forget(gsh_race_place(key));
}
