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
	__u32 first = bpf_ntohl(address) >> 24;

	return !first || first == 127 || first >= 224 ||
	       (address & bpf_htonl(0xffff0000)) == bpf_htonl(0xa9fe0000);
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

/* The checksum of a header without options is right: its sum is a multiple of 65535. What is
 * left of the 35 bits after one fold is at most a little over twice that. */
static __always_inline bool ipv4_is_intact(const struct iphdr *ip)
{
	const __u32 *word = (const void *)ip;
	__u64 sum = (__u64)word[0] + word[1] + word[2] + word[3] + word[4];

	sum = (sum & 0xffff) + (sum >> 16 & 0xffff) + (sum >> 32);
	return sum == 0xffff || sum == 0x1fffe;
}

/* The packet, whose header is at an offset in the frame and as long as it says, may be sent on.
 * Returns ACCEPTED or a reason. */
static __always_inline int check_header(struct xdp_md *ctx, const struct iphdr *ip, __u32 at)
{
	if (ip->ihl == 5 ? !ipv4_is_intact(ip) : ipv4_options_check(ctx, at) != ACCEPTED)
		return DROP_MALFORMED_INNER;
	return ip->ttl <= 1 ? DROP_TTL : ACCEPTED;
}
