/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A G-PDU for no tunnel is answered with an Error Indication (TS 29.281 clause
 * 7.3.1), which user space sends: a few of these packets are passed to it. */
#pragma once

#include "counters.h"

#define PUNT_PER_WINDOW 100
#define PUNT_WINDOW_SHIFT 30 /* a window is 2^30 ns, about a second */

volatile __u64 punt_window;
volatile __u32 punt_used;

static __noinline int punt_allowed(void)
{
	__u64 window = bpf_ktime_get_ns() >> PUNT_WINDOW_SHIFT;

	if (punt_window != window) {
		punt_window = window;
		punt_used = 0;
	}
	if (punt_used >= PUNT_PER_WINDOW)
		return 0;
	__sync_fetch_and_add(&punt_used, 1);
	return 1;
}

/* Counted as dropped also when user space gets to see it. */
static __always_inline int unknown_teid(struct counters *c)
{
	drop(c, DROP_UNKNOWN_TEID);
	return punt_allowed() ? XDP_PASS : XDP_DROP;
}
