/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* For benchmarks: makes a fresh frame, of one session of many, out of whatever
 * the program under test left of the one before, and calls that program. */
#include "checksum/checksum.h"
#include "parse.h"

#define HEAD 96

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} target SEC(".maps");

const volatile __u32 frame_length;
const volatile __u64 head[HEAD / 8]; /* the frame's first octets */
const volatile __u32 teid_at;        /* where the TEID goes; 0: nowhere */
const volatile __u32 ue_at;          /* where the UE address goes */
const volatile __u32 check_at;       /* where the checksum of that header goes */
const volatile __u32 header_sum;     /* of the header without the two */
const volatile __u32 first_ue;
const volatile __u32 sessions;

__u32 turn;

SEC("xdp")
int bench_next(struct xdp_md *ctx)
{
	int length = bpf_xdp_get_buff_len(ctx);
	__u64 *frame;
	__u32 n;

	if (bpf_xdp_adjust_head(ctx, length - (int)frame_length))
		return XDP_ABORTED;
	frame = (void *)(long)ctx->data;
	if ((void *)frame + HEAD > (void *)(long)ctx->data_end)
		return XDP_ABORTED;
#pragma unroll
	for (int i = 0; i < HEAD / 8; i++)
		frame[i] = head[i];
	/* A walk over all sessions that no prefetcher follows. */
	turn = turn * 1664525u + 1013904223u;
	n = ((__u64)turn * sessions) >> 32;
	if (teid_at && teid_at <= HEAD - 4)
		*(__be32 *)((void *)frame + teid_at) = bpf_htonl(n + 1);
	if (ue_at <= HEAD - 4)
		*(__be32 *)((void *)frame + ue_at) = bpf_htonl(first_ue + n);
	if (check_at <= HEAD - 2)
		*(__u16 *)((void *)frame + check_at) = checksum_finish((__u64)header_sum + bpf_htonl(first_ue + n));
	bpf_tail_call(ctx, &target, 0);
	return XDP_ABORTED;
}

/* What a benchmark subtracts. */
SEC("xdp")
int bench_nothing(struct xdp_md *ctx)
{
	return XDP_REDIRECT;
}

char _license[] SEC("license") = "Dual BSD/GPL";
