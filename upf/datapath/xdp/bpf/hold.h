/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Packets of FARs with BUFF, for user space to hold, and copies of those of FARs with DUPL. */
#pragma once

#include "ipv6.h"
#include "parse.h"

#define HELD_MAX 2048 /* octets of a T-PDU; a longer one is lost */

struct held {
	__u32 number; /* whose it is */
	__u32 length;
	__u32 mark; /* QFI and RQI of the container that it came with; 0 for none */
	__u8 packet[HELD_MAX];
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 21);
} held_packets SEC(".maps");

/* Not static, for the verifier. The packet is at an offset in the frame. */
__noinline int hold_packet(struct xdp_md *ctx, __u32 number, __u32 at, __u32 length, __u32 mark)
{
	struct held *h;

	if (length < sizeof(struct iphdr) || at > FRAME_MAX)
		return 0;
	SEPARATE_BOUNDS(length);
	if (length > HELD_MAX)
		return 0;
	h = bpf_ringbuf_reserve(&held_packets, sizeof(*h), 0);
	if (!h)
		return 0;
	h->number = number;
	h->length = length;
	h->mark = mark;
	if (bpf_xdp_load_bytes(ctx, at, h->packet, length)) {
		bpf_ringbuf_discard(h, 0);
		return 0;
	}
	bpf_ringbuf_submit(h, 0);
	return 1;
}
