/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Internet checksums without a loop over anything. */
#pragma once

#include "parse.h"

/* Fold a sum of 16-bit words and complement it, RFC 1071. */
static __always_inline __u16 checksum_fold(__u32 sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

/* Take one from the TTL and mend the checksum, RFC 1624: the TTL is the high
 * octet of its 16-bit word, so the sum grows by 0x0100 with end-around carry. */
static __always_inline void ipv4_decrement_ttl(struct iphdr *ip)
{
	__u32 sum = ip->check;

	sum += bpf_htons(0x0100);
	ip->check = sum + (sum >= 0xffff);
	ip->ttl--;
}
