/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Packets that a router has to answer, which is user space's: IPv6 ones of a UE's own link,
 * those that do not fit, of IPv4 with DF, and packets from and to UEs whose TTL or hop limit runs out. */
#pragma once

#include "ipv6.h"
#include "punt.h"

#define NOTICE_MAX 1232 /* octets of a packet: what an answer of 1280 holds */
#define NOTICE_UPLINK (1u << 31)
#define NOTICE_EXPIRED (1u << 30)

struct notice {
	__be32 teid; /* whose packet of its own link it is */
	__u32 mtu;   /* with NOTICE_UPLINK, NOTICE_EXPIRED; 0: the packet is of the UE's own link */
	__u32 length;
	__u8 packet[NOTICE_MAX];
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 19);
} notices SEC(".maps");

/* The packet is at an offset in the frame; source is who has a share of the answers. Not
 * static, for the verifier. */
__noinline int notice_packet(struct xdp_md *ctx, __u32 at, __u32 length, __be32 source, __u32 mtu)
{
	struct notice *n;

	if (length > NOTICE_MAX)
		length = NOTICE_MAX;
	if (at > FRAME_MAX || length < sizeof(struct iphdr) || !punt_allowed(source, PUNT_NOTICE))
		return 0;
	n = bpf_ringbuf_reserve(&notices, sizeof(*n), 0);
	if (!n)
		return 0;
	n->teid = source;
	n->mtu = mtu;
	n->length = length;
	if (bpf_xdp_load_bytes(ctx, at, n->packet, length)) {
		bpf_ringbuf_discard(n, 0);
		return 0;
	}
	bpf_ringbuf_submit(n, 0);
	return 1;
}
