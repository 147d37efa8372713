/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Packets that are forwarded, with all their headers, and that user space has the kernel send: the
 * neighbour that they go to is not resolved, or they do not fit the link and are to be fragmented. */
#pragma once

#include "counters.h"
#include "ipv6.h"

#define SLOW_MAX 4096 /* octets of a packet, more than a frame has that a native driver hands over */

struct slow {
	__u32 length;
	__u32 how; /* SLOW_... of counters.h */
	__u8 packet[SLOW_MAX];
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 21);
} slow_packets SEC(".maps");

static __always_inline bool is_slow(int verdict)
{
	return verdict <= SLOW_VERDICT(0);
}

/* Hands on a packet that was counted as forwarded, with the verdict SLOW_VERDICT; the program's own is
 * XDP_DROP then. What finds no room is lost, and counted as that, too: 0. Not static, for the verifier. */
__noinline int slow_packet(struct xdp_md *ctx, struct counters *c, int verdict)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct iphdr *ip = frame_ipv4(data, end);
	struct ipv6hdr *six = frame_ipv6(data, end);
	__u32 how = SLOW_VERDICT(0) - verdict, length = ip ? bpf_ntohs(ip->tot_len) : six ? ipv6_length(six) : 0;
	struct slow *s;

	if (!c)
		return 0;
	s = bpf_ringbuf_reserve(&slow_packets, sizeof(*s), 0);
	if (!s) {
		drop(c, how == SLOW_UNRESOLVED ? DROP_NO_ROUTE : DROP_TOO_BIG);
		return 0;
	}
	if (length < sizeof(struct iphdr))
		goto lost;
	SEPARATE_BOUNDS(length);
	if (length > SLOW_MAX || bpf_xdp_load_bytes(ctx, ETH_HLEN, s->packet, length))
		goto lost;
	s->length = length;
	s->how = how;
	bpf_ringbuf_submit(s, 0);
	return 1;
lost:
	bpf_ringbuf_discard(s, 0);
	drop(c, DROP_TOO_BIG);
	return 0;
}
