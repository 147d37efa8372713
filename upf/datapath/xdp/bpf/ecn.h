/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Congestion marks (ECN) of packets in tunnels, RFC 6040: the outer header has the T-PDU's, and the
 * T-PDU gets the outer header's. The same as upf/datapath/forward/ecn.go. */
#pragma once

#include "checksum/checksum.h"
#include "config.h"
#include "counters.h"

/* Values of the field, RFC 3168 clause 5. */
#define ECN_MASK 3
#define ECN_NOT_ECT 0
#define ECN_CE 3

static __always_inline __u8 ecn_of6(const struct ipv6hdr *ip)
{
	return ((const __u8 *)ip)[1] >> 4 & ECN_MASK;
}

/* What an outer header has of the field of a T-PDU of either family. */
static __always_inline __u8 ecn_of(const struct iphdr *ip)
{
	return (ip->version == 6 ? ecn_of6((const void *)ip) : ip->tos) & ecn_mask;
}

/* The same of a T-PDU at an offset in the frame. */
static __always_inline __u8 ecn_at(struct xdp_md *ctx, __u32 at)
{
	struct iphdr *ip = (void *)(long)ctx->data + (at & (FRAME_MAX - 1));

	return (void *)(ip + 1) > (void *)(long)ctx->data_end ? 0 : ecn_of(ip);
}

/* An outer header with Not-ECT or ECT(0) changes no T-PDU. */
static __always_inline bool ecn_matters(__u8 outer)
{
	return outer & 1;
}

static __always_inline void ecn_set4(struct iphdr *ip, __u8 value)
{
	__u8 tos = (ip->tos & ~ECN_MASK) | value;
	__u32 sum = (__u16)~ip->check + (__u16)~bpf_htons(ip->tos) + bpf_htons(tos);

	ip->tos = tos;
	ip->check = checksum_finish32(sum);
}

/* The T-PDU at an offset in the frame comes out of an outer header with the field in the low bits of
 * room_outer, and has room for as many octets as the high bits say (RFC 6040 clause 4.2). Returns
 * ACCEPTED, as it does where the packet is malformed, or DROP_ECN: its ends do not know ECN, and only
 * a loss tells them. Not static, for the verifier. */
__noinline int ecn_decapsulate(struct xdp_md *ctx, __u32 at, __u32 room_outer)
{
	struct iphdr *ip = (void *)(long)ctx->data + (at & (FRAME_MAX - 1));
	__u8 *octets = (void *)ip, inner, outer = room_outer & ECN_MASK;
	__u32 room = room_outer >> 16;

	if ((void *)(ip + 1) > (void *)(long)ctx->data_end)
		return ACCEPTED;
	if (ip->version == 6 ? ipv6_length((void *)ip) > room : ip->version != 4 || !ipv4_fits(ip, room))
		return ACCEPTED;
	inner = ip->version == 6 ? ecn_of6((void *)ip) : ip->tos & ECN_MASK;
	if (inner == ECN_NOT_ECT)
		return outer == ECN_CE ? DROP_ECN : ACCEPTED;
	if (inner == ECN_CE || inner == outer)
		return ACCEPTED;
	if (ip->version == 6)
		octets[1] = (octets[1] & ~(ECN_MASK << 4)) | outer << 4;
	else
		ecn_set4(ip, outer);
	return ACCEPTED;
}
