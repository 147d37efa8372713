/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Internet checksums (RFC 1071) without a loop. The arithmetic of checksum.go: sums
 * of 16-bit words as they are read from a packet, not folded. */
#pragma once
#include <linux/ip.h>
#include <linux/types.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

/* Fold a sum of at most 2^16 words to 16 bits. */
static __always_inline __u16 checksum_fold32(__u32 sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

/* Fold any sum to 16 bits. */
static __always_inline __u16 checksum_fold(__u64 sum)
{
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

/* The checksum of an IPv4 header with that sum. */
static __always_inline __u16 checksum_finish32(__u32 sum)
{
	return ~checksum_fold32(sum);
}

static __always_inline __u16 checksum_finish(__u64 sum)
{
	return ~checksum_fold(sum);
}

/* The checksum of a UDP datagram with that sum; 0 would mean "none" (RFC 768). */
static __always_inline __u16 checksum_finish_udp(__u64 sum)
{
	__u16 c = checksum_finish(sum);

	return c ? c : 0xffff;
}

/* Take one from the TTL and update the checksum, RFC 1624: the TTL is the high
 * octet of its 16-bit word, so the sum grows by 0x0100 with end-around carry. */
static __always_inline void ipv4_decrement_ttl(struct iphdr *ip)
{
	__u32 sum = ip->check;

	sum += bpf_htons(0x0100);
	ip->check = sum + (sum >= 0xffff);
	ip->ttl--;
}
