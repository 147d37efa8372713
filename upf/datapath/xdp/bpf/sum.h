/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The Internet checksum's sum over a part of a frame. */
#pragma once

#include "ipv6.h"

#define SUM_CHUNK 256 /* octets at once; the helper takes 512 at most */

struct summing {
	struct xdp_md *ctx;
	__u32 at, left, sum;
};

struct sum_rest {
	__u8 octets[SUM_CHUNK + 4];
};

/* What is less than a chunk, per CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct sum_rest);
} sum_rests SEC(".maps");

static long sum_chunk(__u32 i, struct summing *s)
{
	void *data = (void *)(long)s->ctx->data, *end = (void *)(long)s->ctx->data_end;
	void *p = data + (s->at & (FRAME_MAX - 1));

	if (s->left < SUM_CHUNK || p + SUM_CHUNK > end)
		return 1;
	s->sum = bpf_csum_diff(NULL, 0, p, SUM_CHUNK, s->sum);
	s->at += SUM_CHUNK;
	s->left -= SUM_CHUNK;
	return 0;
}

/* The octets after the last whole chunk, with zeros up to a multiple of four. */
static __always_inline __u32 sum_rest(struct summing *s)
{
	__u32 zero = 0, n = s->left;
	struct sum_rest *rest = bpf_map_lookup_elem(&sum_rests, &zero);

	if (!rest || n >= SUM_CHUNK)
		return s->sum;
	n--; /* 0 becomes more than a chunk: the verifier of Linux 6.1 learns nothing from "not 0" */
	SEPARATE_BOUNDS(n);
	if (n >= SUM_CHUNK - 1 || bpf_xdp_load_bytes(s->ctx, s->at, rest->octets, n + 1))
		return s->sum;
	n++;
	rest->octets[n] = rest->octets[n + 1] = rest->octets[n + 2] = 0;
	return bpf_csum_diff(NULL, 0, (__be32 *)rest->octets, (n + 3) & ~3u, s->sum);
}

/* The sum of octets from an offset in the frame on. Not static, for the verifier. */
__noinline __u32 sum_octets(struct xdp_md *ctx, __u32 at, __u32 length)
{
	struct summing s = {.ctx = ctx, .at = at, .left = length};

	bpf_loop(FRAME_MAX / SUM_CHUNK, sum_chunk, &s, 0);
	return sum_rest(&s);
}
