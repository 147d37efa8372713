/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Windows of intended time, as package window has them: what was due in each is counted
 * apart, and user space decides later which windows count. One program writes a part of
 * the ring, so nothing needs to be atomic. */
#pragma once
#include <linux/types.h>
#include <bpf/bpf_helpers.h>
#include "histogram/histogram.h"

#define WINDOW_BITS 20
#define WINDOW_RING 512
#define WINDOW_REMEMBERED 262144

struct window_head {
	__u64 id;      /* 0: none */
	__u64 refused; /* the newest window that found the slot taken */
	__u32 partial; /* what came before the slot was free is missing */
	__u32 pad;
};

struct window_values {
	__u64 sum, most, least; /* least: in one's complement */
	__u64 used[5];          /* which lines of the buckets */
	__u32 buckets[HISTOGRAM_BUCKETS];
};

struct window_state {
	__u64 folded; /* all windows before this one were decided on */
	__u64 kept[WINDOW_REMEMBERED / 64];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct window_state);
} window_states SEC(".maps");

static __always_inline void window_add(struct window_values *v, __u64 x)
{
	__u32 b = histogram_bucket(x), word = b >> 10;
	__u64 line;

	v->sum += x;
	if (x > v->most)
		v->most = x;
	if (~x > v->least)
		v->least = ~x;
	asm volatile("" : "+r"(b), "+r"(word)); /* so that the verifier sees the bounds */
	if (word >= 5 || b >= HISTOGRAM_BUCKETS)
		return;
	line = 1ULL << ((b >> 4) & 63);
	if (!(v->used[word] & line))
		v->used[word] |= line;
	v->buckets[b]++;
}

static __always_inline void window_refuse(struct window_head *h, __u64 id)
{
	if (h->id == id)
		h->partial = 1;
	if (id > h->refused)
		h->refused = id;
}

static __always_inline int window_claim(struct window_head *h, __u64 id)
{
	if (h->id) {
		window_refuse(h, id);
		return 0;
	}
	h->partial = id <= h->refused;
	h->id = id;
	return 1;
}

/* window_was_kept is about a window that was folded. */
static __always_inline int window_was_kept(struct window_state *s, __u64 id)
{
	if (s->folded - id > WINDOW_REMEMBERED)
		return 0;
	return s->kept[(id >> 6) & (WINDOW_REMEMBERED / 64 - 1)] >> (id & 63) & 1;
}

/* window_find gives where to count what was due at a time: its window, or the late
 * packets of all windows that were kept. 0: nowhere, since the window was excluded, or
 * its slot is still taken, and then it will be. map has slots that begin with a head,
 * in so many parts. */
static __always_inline void *window_find(void *map, __u64 due, __u32 part, __u32 parts)
{
	__u64 id = due >> WINDOW_BITS;
	__u32 zero = 0, key = part * WINDOW_RING + (id & (WINDOW_RING - 1));
	struct window_head *h = bpf_map_lookup_elem(map, &key);
	struct window_state *s;

	if (!h || h->id == id)
		return h;
	s = bpf_map_lookup_elem(&window_states, &zero);
	if (!s)
		return 0;
	if (id < s->folded) {
		key = parts * WINDOW_RING + part;
		return window_was_kept(s, id) ? bpf_map_lookup_elem(map, &key) : 0;
	}
	return window_claim(h, id) ? h : 0;
}
