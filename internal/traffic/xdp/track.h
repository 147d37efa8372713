/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* One stream's sequence numbers: duplicates and reordering, exact as long as a
 * packet is less than TRACK_WINDOW - 64 behind the newest. */
#pragma once
#include <linux/types.h>

#define TRACK_WORDS 16
#define TRACK_WINDOW (TRACK_WORDS * 64)

enum { TRACK_IN_ORDER, TRACK_REORDERED, TRACK_DUPLICATE };

struct track {
	__u64 next;    /* the highest sequence number + 1: NextExp of RFC 4737 */
	__u64 transit; /* ns, of the packet before */
	__u64 jitter;  /* 1/16 ns, RFC 3550 clause 6.4.1 */
	__u32 started; /* transit is set */
	__u16 trial;   /* that all of this is about */
	__u16 pad;
	__u64 window[TRACK_WORDS]; /* bit seq % TRACK_WINDOW: arrived */
};

/* track_forget clears the words that come into the window as it moves on. */
static __always_inline void track_advance(struct track *k, __u64 seq)
{
	__u64 word = (k->next + 63) >> 6, last = seq >> 6;

	if (last - word >= TRACK_WORDS && last >= word)
		word = last - TRACK_WORDS + 1;
	for (int i = 0; i < TRACK_WORDS; i++) {
		if (word > last)
			break;
		k->window[word & (TRACK_WORDS - 1)] = 0;
		word++;
	}
	k->next = seq + 1;
}

static __always_inline void track_reset(struct track *k, __u16 trial)
{
	for (int i = 0; i < TRACK_WORDS; i++)
		k->window[i] = 0;
	k->next = 0;
	k->jitter = 0;
	k->started = 0;
	k->trial = trial;
}

static __always_inline int track_sequence(struct track *k, __u64 seq, __u16 trial)
{
	__u64 *word, bit = 1ULL << (seq & 63);
	int verdict = TRACK_IN_ORDER;

	if (k->trial != trial)
		track_reset(k, trial);
	word = &k->window[(seq >> 6) & (TRACK_WORDS - 1)];
	if (seq >= k->next) {
		track_advance(k, seq);
	} else {
		if (k->next - seq > TRACK_WINDOW - 64)
			return TRACK_REORDERED; /* too far back to tell a copy */
		if (*word & bit)
			return TRACK_DUPLICATE;
		verdict = TRACK_REORDERED;
	}
	*word |= bit;
	return verdict;
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
