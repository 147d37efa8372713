/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A log-linear histogram: 128 buckets for each power of two, so a bucket is at
 * most 1/128 (0.8 %) wide. The same as traffic.Histogram. */
#pragma once
#include <linux/types.h>

#define HIST_SUB_BITS 7
#define HIST_SUB (1 << HIST_SUB_BITS)
#define HIST_MAX_BITS 40 /* 2^40 ns = 18 min */
#define HIST_BUCKETS ((HIST_MAX_BITS - HIST_SUB_BITS + 1) * HIST_SUB)

static __always_inline __u32 hist_log2(__u64 v)
{
	__u32 r = 0, s;

	s = (v > 0xffffffffULL) << 5; v >>= s; r |= s;
	s = (v > 0xffff) << 4; v >>= s; r |= s;
	s = (v > 0xff) << 3; v >>= s; r |= s;
	s = (v > 0xf) << 2; v >>= s; r |= s;
	s = (v > 0x3) << 1; v >>= s; r |= s;
	return r | (v >> 1);
}

static __always_inline __u32 hist_bucket(__u64 v)
{
	__u32 log, shift;

	if (v < HIST_SUB)
		return v;
	if (v >> HIST_MAX_BITS)
		return HIST_BUCKETS - 1;
	log = hist_log2(v);
	shift = log - HIST_SUB_BITS;
	return ((shift + 1) << HIST_SUB_BITS) + ((v >> shift) & (HIST_SUB - 1));
}
