/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Frames to another MAC address than the interface's are left to the kernel: those for others and for bridges.
 * Broadcast and multicast frames are not forwarded (RFC 1812 clause 5.3.4), and what they carry is held to what
 * may come in without a tunnel like all else. */
#pragma once

#include "parse.h"

/* The interfaces' MAC addresses, in the upper 48 bits in the order of a frame's octets. User space follows
 * changes. */
volatile __u64 n3_mac, n6_mac;

static __always_inline bool is_own(struct xdp_md *ctx, __u64 mac)
{
	const __u64 *first = (void *)(long)ctx->data;

	return (void *)(first + 1) <= (void *)(long)ctx->data_end && *first << 16 == mac;
}

static __always_inline bool is_group(struct xdp_md *ctx)
{
	const __u8 *first = (void *)(long)ctx->data;

	return (void *)(first + 1) <= (void *)(long)ctx->data_end && *first & 1;
}
