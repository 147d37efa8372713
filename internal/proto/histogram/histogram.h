/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A log-linear histogram: 128 buckets for each power of two, so a bucket is at
 * most 1/128 (0.8 %) wide. The layout of histogram.go. */
#pragma once
#include <linux/types.h>
#include <bpf/bpf_helpers.h>

#define HISTOGRAM_SUB_BITS 7
#define HISTOGRAM_SUB (1 << HISTOGRAM_SUB_BITS)
#define HISTOGRAM_MAX_BITS 40 /* 2^40 ns = 18 min */
#define HISTOGRAM_BUCKETS ((HISTOGRAM_MAX_BITS - HISTOGRAM_SUB_BITS + 1) * HISTOGRAM_SUB)

static __always_inline __u32 histogram_log2(__u64 v)
{
	__u32 r = 0, s;

	s = (v > 0xffffffffULL) << 5; v >>= s; r |= s;
	s = (v > 0xffff) << 4; v >>= s; r |= s;
	s = (v > 0xff) << 3; v >>= s; r |= s;
	s = (v > 0xf) << 2; v >>= s; r |= s;
	s = (v > 0x3) << 1; v >>= s; r |= s;
	return r | (v >> 1);
}

static __always_inline __u32 histogram_bucket(__u64 v)
{
	__u32 log, shift;

	if (v < HISTOGRAM_SUB)
		return v;
	if (v >> HISTOGRAM_MAX_BITS)
		return HISTOGRAM_BUCKETS - 1;
	log = histogram_log2(v);
	shift = log - HISTOGRAM_SUB_BITS;
	return ((shift + 1) << HISTOGRAM_SUB_BITS) + ((v >> shift) & (HISTOGRAM_SUB - 1));
}
