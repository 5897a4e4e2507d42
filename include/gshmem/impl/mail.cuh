/* mail.cuh - small messages among all members of a team, for which nobody waits but for the
 * data: each word of a message carries its flag.
 *
 * A member has two letters from each member, used by turns. A word of a letter is four bytes
 * of data below the number of the exchange. In an exchange each member
 *
 *     sends     its words to the letters of all others; no fence, the word is its own flag
 *     receives  the words of all others, as they come
 *
 * so that it costs one way, not the two of phases (sync.cuh), and no barrier of memory.
 *
 * Why two letters suffice: who sends in exchange k + 2 has received all of k + 1, which the
 * others sent after they had received all of k. An exchange without data is none. Numbers repeat
 * after MAIL_PERIOD exchanges; there all meet and empty their letters, so that none is taken for
 * one of the period before.
 *
 * Words are read and written two at a time; each word for itself is one access.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_IMPL_MAIL_CUH
#define GSHMEM_IMPL_MAIL_CUH

#include <gshmem/impl/sync.cuh>

namespace gsh_impl {

enum {
    MAIL_UNIT = 8,      /* bytes of data that are sent at once, in two words */
    MAIL_IN_FLIGHT = 4, /* units that a thread waits for at once, of one member or several */
    MAIL_PERIOD = 1 << 20,
    LETTER_WORDS = GSH_MAIL_BYTES / 4
};

/* What a group sends and awaits at once; members call with groups of one kind. */
template <class Group> struct mail_most {
    enum { bytes = GSH_MAIL_BYTES };
};
template <> struct mail_most<thread> {
    enum { bytes = 64 };
};
template <> struct mail_most<warp> {
    enum { bytes = 512 };
};

template <class Group> GSH_DEVICE bool goes_by_mail(members team, size_t bytes)
{
    return team.mail() && bytes <= mail_most<Group>::bytes;
}

/* Eight bytes from where `left` elements are; T is what the address is aligned to. */
template <class T> struct unit {
    enum { PER = MAIL_UNIT / sizeof(T) };
    struct pack {
        T v[PER];
    };

    static GSH_DEVICE uint64_t read(const T *from, size_t left)
    {
        pack p;

        GSH_UNROLL
        for (int e = 0; e < PER; e++)
            p.v[e] = from[(size_t)e < left ? e : 0];
        return bits<uint64_t>(p);
    }

    static GSH_DEVICE void write(T *to, uint64_t data, size_t left)
    {
        pack p = bits<pack>(data);

        GSH_UNROLL
        for (int e = 0; e < PER; e++)
            if ((size_t)e < left)
                to[e] = p.v[e];
    }
};

/* One exchange, made by all threads of the group. Mail is a class with
 *
 *     uint64_t read(size_t unit, int rank)              what goes to a member, or is its own
 *     void take(size_t unit, int rank, uint64_t data)   what came from a member
 *
 * For each unit take() is called by one thread, for all members in the order of ranks, the own
 * one included. */
template <class Group, class Mail> class exchange {
  public:
    GSH_DEVICE exchange(collective<Group> &c, Mail &mail, size_t units)
        : team(c.team), mail(mail), units(units)
    {
        const uint64_t round = c.next_mail();

        mark = (round % MAIL_PERIOD + 1) << 32;
        letters = team.mail() + round % 2 * LETTER_WORDS;
        if (round % MAIL_PERIOD == 0)
            empty(c);
        note_letters(true);
        if (Group::rank() < units)
            send();
        for (slot at = { Group::rank(), next_rank(-1) }; at.which < units;)
            receive(c.call, at);
        note_letters(false);
        Group::sync();
    }

  private:
    const members team;
    Mail &mail;
    const size_t units;
    uint64_t *letters; /* of this exchange, on any member */
    uint64_t mark;     /* above the data in each word */

    GSH_DEVICE uint64_t *letter_from(int rank) const { return letters + rank * 2 * LETTER_WORDS; }
    GSH_DEVICE int next_rank(int rank) const { return rank + 1 == team.my() ? rank + 2 : rank + 1; }

    /* What a thread receives: unit by unit, each of them from all others in turn. */
    struct slot {
        size_t which; /* unit */
        int rank;
    };

    GSH_DEVICE void next(slot &at) const
    {
        at.rank = next_rank(at.rank);
        if (at.rank < team.n())
            return;
        at.rank = next_rank(-1);
        at.which += Group::size();
    }

    GSH_DEVICE void empty(collective<Group> &c)
    {
        c.meet();
        for (int i = Group::rank(); i < team.n() * 2 * LETTER_WORDS; i += Group::size())
            store(team.mail() + i, (uint64_t)0);
        c.meet();
    }

    GSH_DEVICE void send()
    {
        GSH_ROLL
        for (int rank = next_rank(-1); rank < team.n(); rank = next_rank(rank)) {
            uint64_t *there = at(letter_from(team.my()), team_pe(team, rank));

            GSH_ROLL
            for (size_t u = Group::rank(); u < units; u += Group::size()) {
                uint64_t data = mail.read(u, rank);

                store_pair(there + 2 * u, mark | (uint32_t)data, mark | data >> 32);
            }
        }
    }

    /* The next few, which are under way at once. */
    GSH_DEVICE void receive(const char *call, slot &at)
    {
        uint64_t low[MAIL_IN_FLIGHT], high[MAIL_IN_FLIGHT];

        for (waiting w(call, letters, NVSHMEM_CMP_GE, mark); !have_come(low, high, at);)
            w.pause();
        GSH_UNROLL
        for (int i = 0; i < MAIL_IN_FLIGHT; i++) {
            if (at.which < units)
                take(at, (uint32_t)low[i] | high[i] << 32);
            next(at);
        }
    }

    GSH_DEVICE bool have_come(uint64_t *low, uint64_t *high, slot at) const
    {
        uint64_t wrong = 0;

        GSH_UNROLL
        for (int i = 0; i < MAIL_IN_FLIGHT; i++) {
            if (at.which < units) {
                load_pair(letter_from(at.rank) + 2 * at.which, &low[i], &high[i]);
                wrong |= (low[i] ^ mark) >> 32 | (high[i] ^ mark) >> 32;
            }
            next(at);
        }
        return !wrong;
    }

    /* With the own one in its turn. */
    GSH_DEVICE void take(slot at, uint64_t data)
    {
        if (at.rank == team.my() + 1)
            mail.take(at.which, team.my(), mail.read(at.which, team.my()));
        mail.take(at.which, at.rank, data);
        if (at.rank == team.n() - 2 && team.my() == team.n() - 1)
            mail.take(at.which, team.my(), mail.read(at.which, team.my()));
    }

    /* For the race checker: the words hand on what came before them. */
    GSH_DEVICE void note_letters(bool sent) const
    {
        if (!leads<Group>())
            return;
        for (int rank = next_rank(-1); rank < team.n(); rank = next_rank(rank)) {
            if (sent)
                note_release(at(letter_from(team.my()), team_pe(team, rank)));
            else
                note_acquire(letter_from(rank));
        }
    }
};

} // namespace gsh_impl

#endif /* GSHMEM_IMPL_MAIL_CUH */
