/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What a router checks of an IPv4 header before it forwards the packet, RFC 1812 clauses
 * 5.2.2 and 5.3.7. The same as upf/datapath/forward/ipv4.go. */
#pragma once

#include "checksum/checksum.h"
#include "counters.h"
#include "parse.h"

/* Addresses that are neither source nor destination of a packet that is routed: this network,
 * loopback, link-local (RFC 3927 clause 2.7), multicast, class E and broadcast. */
static __always_inline bool is_unroutable(__be32 address)
{
	__u32 first = ((const __u8 *)&address)[0];

	return first - 1 >= 223 || first == 127 || (address & 0xffff) == bpf_htons(0xa9fe);
}

/* The checksum of a header with options, of 24 octets or more, at an offset in the frame is
 * right. Not static, for the verifier. */
__noinline int ipv4_options_check(struct xdp_md *ctx, __u32 at)
{
	void *end = (void *)(long)ctx->data_end;
	struct iphdr *ip = (void *)(long)ctx->data + (at & 127);
	__u16 header[42] = {}; /* for the verifier: 60 octets are the most that there are */
	__u32 sum = 0;

	if ((void *)(ip + 1) > end || bpf_xdp_load_bytes(ctx, at, header, 24 + ((ip->ihl - 6u) & 15) * 4))
		return DROP_MALFORMED_INNER;
#pragma unroll
	for (int i = 0; i < 42; i++)
		sum += header[i];
	return checksum_fold32(sum) == 0xffff ? ACCEPTED : DROP_MALFORMED_INNER;
}

/* The checksum of a header without options is right: its sum, which is never 0, is a multiple of 65535.
 * The factor is 1/65535 modulo 2^64: what it makes of a multiple is the quotient, and of any other
 * number more than 2^64/65535. */
static __always_inline bool ipv4_is_intact(const struct iphdr *ip)
{
	const __u32 *word = (const void *)ip;
	__u64 sum = (__u64)word[0] + word[1] + word[2] + word[3] + word[4];

	return sum * 0xfffefffefffeffff <= 0x0001000100010001;
}

/* The packet, whose header is at an offset in the frame and as long as it says, may be sent on.
 * Returns ACCEPTED or a reason. */
static __always_inline int check_header(struct xdp_md *ctx, const struct iphdr *ip, __u32 at)
{
	if (ip->ihl == 5 ? !ipv4_is_intact(ip) : ipv4_options_check(ctx, at) != ACCEPTED)
		return DROP_MALFORMED_INNER;
	return ip->ttl <= 1 ? DROP_TTL : ACCEPTED;
}
