/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* One stream's sequence numbers: duplicates, reordering and its extent, losses in
 * runs, delay variation. Exact as long as a packet is less than TRACK_WINDOW - 64
 * behind the newest. */
#pragma once
#include <linux/types.h>
#include <bpf/bpf_helpers.h>

#define TRACK_WORDS 16
#define TRACK_WINDOW (TRACK_WORDS * 64)
#define TRACK_GAPS 16     /* a power of two: gaps that reordered packets are looked up in */
#define TRACK_TRANSITS 16 /* a power of two: delays of the newest packets */
#define TRACK_RUNS 1024   /* longer ones are in a map of their own */

enum { TRACK_IN_ORDER, TRACK_REORDERED, TRACK_DUPLICATE };

/* A jump of the sequence: the packet before the end is late, or lost. */
struct track_gap {
	__u32 end;     /* the number of the packet that jumped ahead */
	__u32 arrival; /* its place in the order of arrival */
};

struct track {
	__u64 next;    /* the highest sequence number + 1: NextExp of RFC 4737 */
	__u64 transit; /* ns, of the packet before */
	__u64 jitter;  /* 1/16 ns, RFC 3550 clause 6.4.1 */
	__u64 run;     /* lost in a row right before the window */
	__u32 started; /* transit is set */
	__u32 arrived; /* packets, without duplicates */
	__u32 gap_count; /* since the trial began */
	__u16 trial;   /* that all of this is about */
	__u16 pad;
	__u64 window[TRACK_WORDS]; /* bit seq % TRACK_WINDOW: arrived */
	__u32 transits[TRACK_TRANSITS]; /* ns, of packet seq % TRACK_TRANSITS; all ones: longer */
	struct track_gap gaps[TRACK_GAPS];
};

/* What is found out by a packet that arrives right. It is in a map: so the verifier does
 * not follow each combination of what is known. */
struct track_finding {
	__u32 verdict;
	__u32 extent;  /* by which it is late, if it is; 0: not known */
	__u32 before, after, jittered; /* whether the following are known */
	__u32 count;   /* of words */
	__u64 difference[2]; /* ns, of its delay to those of the packets sent before and after */
	__u64 jitter;  /* 1/16 ns, the estimate after it */
	/* Words that have left the window. Their runs are counted later, outside of a lock, in
	 * which no map may be looked at. */
	__u64 words[TRACK_WORDS];
	__u64 run;     /* lost in a row right before the first of them */
};

/* How often so many packets of a stream were lost in a row. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, TRACK_RUNS);
	__type(key, __u32);
	__type(value, __u64);
} short_runs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u64);
	__type(value, __u64);
} long_runs SEC(".maps");

/* track_count_run counts one run. Not static: so it is verified once. Inline in the loop of
 * track_count_word, the verifier of Linux 6.1 follows each combination of short and long runs. */
__noinline int track_count_run(__u64 length)
{
	__u64 one = 1, *n;
	__u32 key = length;

	if (length < TRACK_RUNS) {
		n = bpf_map_lookup_elem(&short_runs, &key);
		if (n)
			(*n)++;
		return 0;
	}
	n = bpf_map_lookup_elem(&long_runs, &length);
	if (!n && bpf_map_update_elem(&long_runs, &length, &one, BPF_NOEXIST))
		n = bpf_map_lookup_elem(&long_runs, &length); /* another CPU has just made it */
	else if (!n)
		return 0;
	if (n)
		__sync_fetch_and_add(n, 1);
	return 0;
}

/* track_count_word counts the runs that end in a word which has left the window. Not
 * static: so it is verified once, not at each call. */
__noinline int track_count_word(struct track_finding *f, __u32 word)
{
	__u64 bits;

	if (!f)
		return 0;
	bits = f->words[word & (TRACK_WORDS - 1)];
	for (int i = 0; i < 64; i++) {
		if (!(bits & 1)) {
			f->run++;
		} else if (f->run) {
			track_count_run(f->run);
			f->run = 0;
		}
		bits >>= 1;
	}
	return 0;
}

/* track_count counts the runs of all words that have left the window. */
static __always_inline void track_count(struct track_finding *f)
{
	for (int i = 0; i < TRACK_WORDS; i++) {
		if (i >= f->count)
			break;
		if (f->run || ~f->words[i])
			track_count_word(f, i);
	}
}

/* track_leading is how many of the highest bits of a word, not 0, are 0. */
static __always_inline __u64 track_leading(__u64 bits)
{
	bits |= bits >> 1;
	bits |= bits >> 2;
	bits |= bits >> 4;
	bits |= bits >> 8;
	bits |= bits >> 16;
	bits |= bits >> 32;
	bits = ~bits; /* as many ones as there were leading zeros */
	bits -= (bits >> 1) & 0x5555555555555555ULL;
	bits = (bits & 0x3333333333333333ULL) + ((bits >> 2) & 0x3333333333333333ULL);
	bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
	return (bits * 0x0101010101010101ULL) >> 56;
}

/* track_advance moves the window on, so that it ends with the word of seq. Of a
 * jump beyond the window nothing in between has arrived. */
static __always_inline void track_advance(struct track *k, __u64 seq, struct track_finding *f)
{
	__u64 word = (k->next + 63) >> 6, last = seq >> 6, bits, run = k->run;

	f->run = run;
	for (int i = 0; i < TRACK_WORDS; i++) {
		__u32 slot = (word + i) & (TRACK_WORDS - 1);

		if (word + i > last)
			break;
		bits = word + i < TRACK_WORDS ? ~0ULL : k->window[slot]; /* none has left the first window */
		run = bits ? track_leading(bits) : run + 64;
		f->words[i] = bits;
		f->count = i + 1;
		k->window[slot] = 0;
	}
	if (last >= word + TRACK_WORDS)
		run += 64 * (last - word - (TRACK_WORDS - 1));
	k->run = run;
	k->next = seq + 1;
}

static __always_inline void track_reset(struct track *k, __u16 trial)
{
	for (int i = 0; i < TRACK_WORDS; i++)
		k->window[i] = 0;
	k->next = 0;
	k->jitter = 0;
	k->run = 0;
	k->started = 0;
	k->arrived = 0;
	k->gap_count = 0;
	k->trial = trial;
}

static __always_inline void track_jump(struct track *k, __u64 seq)
{
	struct track_gap *g = &k->gaps[k->gap_count & (TRACK_GAPS - 1)];

	g->end = seq;
	g->arrival = k->arrived;
	k->gap_count++;
}

/* track_sequence follows a packet's number. */
static __always_inline int track_sequence(struct track *k, __u64 seq, __u16 trial, struct track_finding *f)
{
	__u64 *word, bit = 1ULL << (seq & 63);
	int verdict = TRACK_IN_ORDER;

	if (k->trial != trial)
		track_reset(k, trial);
	word = &k->window[(seq >> 6) & (TRACK_WORDS - 1)];
	if (seq >= k->next) {
		if (seq > k->next)
			track_jump(k, seq);
		track_advance(k, seq, f);
	} else {
		verdict = TRACK_REORDERED;
		if (k->next - seq <= TRACK_WINDOW - 64) { /* else too far back to tell a copy */
			if (*word & bit)
				return TRACK_DUPLICATE;
		} else {
			k->arrived++;
			return verdict;
		}
	}
	*word |= bit;
	k->arrived++;
	return verdict;
}

/* track_extent is by how many arrivals the reordered packet that has just come is
 * late: since the first one with a higher number (RFC 4737 clause 4.2.2). That one
 * made the first of the gaps which end above the packet. 0: it is forgotten. */
static __always_inline __u32 track_extent(struct track *k, __u64 seq)
{
	__u32 extent = 0;

	if (k->next - seq > TRACK_WINDOW - 64)
		return 0; /* it may be a copy */
	for (__u32 i = 1; i <= TRACK_GAPS; i++) {
		struct track_gap *g = &k->gaps[(k->gap_count - i) & (TRACK_GAPS - 1)];

		if (i > k->gap_count || (__s32)(g->end - (__u32)seq) <= 0)
			return extent;
		extent = k->arrived - 1 - g->arrival;
	}
	return k->gap_count > TRACK_GAPS ? 0 : extent;
}

/* track_jitter updates the estimate with a packet's transit time; 0 for a
 * stream's first packet. */
static __always_inline int track_jitter(struct track *k, __u64 transit)
{
	__s64 d = (__s64)(transit - k->transit);
	__u32 started = k->started;

	k->transit = transit;
	k->started = 1;
	if (!started)
		return 0;
	if (d < 0)
		d = -d;
	k->jitter += d - ((k->jitter + 8) >> 4);
	return 1;
}

#define TRACK_LONG 0xffffffffU

/* track_transit keeps a packet's delay for those sent right before and after. */
static __always_inline void track_transit(struct track *k, __u64 seq, __u64 transit)
{
	if (k->next - seq <= TRACK_TRANSITS)
		k->transits[seq & (TRACK_TRANSITS - 1)] = transit < TRACK_LONG ? transit : TRACK_LONG;
}

/* track_variation gives the absolute difference of a delay and that of packet
 * other, the neighbour in the sending order; 0 if that one is not known. */
static __always_inline int track_variation(struct track *k, __u64 other, __u64 transit, __u64 *difference)
{
	__u64 before = k->transits[other & (TRACK_TRANSITS - 1)];

	if (other >= k->next || k->next - other > TRACK_TRANSITS)
		return 0; /* ~0, the one before the first, too */
	if (!(k->window[(other >> 6) & (TRACK_WORDS - 1)] >> (other & 63) & 1))
		return 0;
	if (before == TRACK_LONG || transit >= TRACK_LONG)
		return 0;
	*difference = transit > before ? transit - before : before - transit;
	return 1;
}

/* track_arrival follows a packet: all that a session remembers. */
static __always_inline void track_arrival(struct track *k, __u64 seq, __u64 transit, __u16 trial, struct track_finding *f)
{
	int verdict;

	f->count = f->before = f->after = f->jittered = 0;
	verdict = track_sequence(k, seq, trial, f);
	f->verdict = verdict;
	if (verdict == TRACK_DUPLICATE)
		return;
	f->before = track_variation(k, seq - 1, transit, &f->difference[0]);
	if (verdict == TRACK_REORDERED) {
		f->extent = track_extent(k, seq);
		f->after = track_variation(k, seq + 1, transit, &f->difference[1]);
	}
	track_transit(k, seq, transit);
	f->jittered = track_jitter(k, transit);
	f->jitter = k->jitter;
}
