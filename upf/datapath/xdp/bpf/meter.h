/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Maximum bit rates: the virtual scheduling algorithm (GCRA), with times in 2^-16 ns that
 * wrap after three days. One word is the whole state, so that all CPUs share a meter
 * without a lock. The same as upf/datapath/forward/meter.go. */
#pragma once

#include "chain.h"

#define METER_SHIFT 16
#define METER_PACKET 65536 /* octets that one packet adds at most */

/* Where a rate has the depth of its bucket, in ms, as in upf/datapath/plan/meter.go. */
#define METER_DEPTH_SHIFT 44
#define METER_MILLISECOND (1000000ull << METER_SHIFT)

struct meter {
	__u64 next; /* when the next packet conforms */
	__u64 rate; /* the cost of an octet, and the depth of the bucket above it */
};

PAGED(meters, struct meter);

/* How much earlier a packet may come. */
static __always_inline __u64 meter_depth(const struct meter *m)
{
	return (m->rate >> METER_DEPTH_SHIFT) * METER_MILLISECOND;
}

static __always_inline __u64 meter_cost(const struct meter *m)
{
	return m->rate & ((1ull << METER_DEPTH_SHIFT) - 1);
}

/* How far the meter is ahead of the clock; negative when it was idle. */
static __always_inline __s64 meter_ahead(const struct meter *m, __u64 next, __u64 now)
{
	__s64 ahead = next - now;

	return ahead > 0 && (__u64)ahead > meter_depth(m) + METER_PACKET * meter_cost(m) ? -1 : ahead;
}

static __always_inline bool meter_conforms(const struct meter *m, __u64 now)
{
	__s64 ahead = meter_ahead(m, m->next, now);

	return ahead < 0 || (__u64)ahead <= meter_depth(m);
}

/* Count a packet. Of two CPUs that find the meter idle one sets it, the other adds. */
static __always_inline void meter_take(struct meter *m, __u32 octets, __u64 now)
{
	__u64 charge = octets * meter_cost(m), next = m->next;

	if (meter_ahead(m, next, now) < 0 &&
	    __sync_val_compare_and_swap(&m->next, next, now + charge) == next)
		return;
	__sync_fetch_and_add(&m->next, charge);
}

static __always_inline struct meter *meter_get(__u32 id)
{
	__u32 page = page_of(id), at = place_in_page(id);
	void *list = id ? bpf_map_lookup_elem(&meters, &page) : NULL;

	return list ? bpf_map_lookup_elem(list, &at) : NULL;
}

/* A meter takes the packet, or refuses it. Two CPUs at once may each take one that leaves no
 * room for the other: it is missing from the next. */
static __always_inline int meter_admit(struct meter *m, __u32 octets, __u64 now)
{
	if (!meter_conforms(m, now))
		return 0;
	meter_take(m, octets, now);
	return 1;
}

static __always_inline __u64 meter_clock(void)
{
	return bpf_ktime_get_ns() << METER_SHIFT;
}

/* All meters of the row take the packet, or none does. */
__noinline int several_admit(const struct row *r, __u32 octets)
{
	struct meter *a, *b, *c;
	__u64 now;

	if (!r)
		return 1;
	now = meter_clock();
	a = meter_get(r->meters[0]);
	b = meter_get(r->meters[1]);
	c = meter_get(r->meters[2]);
	if ((a && !meter_conforms(a, now)) || (b && !meter_conforms(b, now)) ||
	    (c && !meter_conforms(c, now)))
		return 0;
	if (a)
		meter_take(a, octets, now);
	if (b)
		meter_take(b, octets, now);
	if (c)
		meter_take(c, octets, now);
	return 1;
}

/* The row's rates have room for the packet. One meter takes no call: where returns are
 * guarded against speculation a call costs some 8 ns. */
static __always_inline int meters_admit(const struct row *r, __u32 octets)
{
	struct meter *m;

	if (!r->meters[0])
		return 1;
	if (r->meters[1])
		return several_admit(r, octets);
	m = meter_get(r->meters[0]);
	return !m || meter_admit(m, octets, meter_clock());
}
