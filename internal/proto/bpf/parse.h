/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Where a frame's headers are. The helpers take the frame's bounds and give
 * NULL, or false, where a header does not fit. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define IP_FRAGMENT bpf_htons(0x3fff) /* MF and the offset, RFC 791 */
#define IP_OFFSET bpf_htons(0x1fff)   /* the offset alone: 0 in a first fragment */

/* A frame's Ethertype, in one load: clang reads the kernel's packed struct ethhdr octet by octet. */
static __always_inline __be16 frame_protocol(const struct ethhdr *eth)
{
	return *(const __be16 *)((const void *)eth + offsetof(struct ethhdr, h_proto));
}

/* The IPv4 header of an untagged Ethernet frame, with its first 20 octets in
 * bounds; NULL when the frame is too short or carries something else. */
static __always_inline struct iphdr *frame_ipv4(void *data, void *end)
{
	struct ethhdr *eth = data;
	struct iphdr *ip = (void *)(eth + 1);

	if ((void *)(ip + 1) > end || frame_protocol(eth) != bpf_htons(ETH_P_IP) || ip->version != 4)
		return NULL;
	return ip;
}

/* The same for IPv6: its 40 octets. */
static __always_inline struct ipv6hdr *frame_ipv6(void *data, void *end)
{
	struct ethhdr *eth = data;
	struct ipv6hdr *ip = (void *)(eth + 1);

	if ((void *)(ip + 1) > end || frame_protocol(eth) != bpf_htons(ETH_P_IPV6) || ip->version != 6)
		return NULL;
	return ip;
}

/* The header length and total length of an IPv4 header are possible, and the
 * packet is not longer than room octets. */
static __always_inline bool ipv4_fits(const struct iphdr *ip, __u32 room)
{
	__u32 total = bpf_ntohs(ip->tot_len);

	return ip->ihl >= 5 && total >= ip->ihl * 4u && total <= room;
}

/* The octets of an IPv6 packet, by its header. */
static __always_inline __u32 ipv6_octets(const struct ipv6hdr *ip)
{
	return sizeof(*ip) + bpf_ntohs(ip->payload_len);
}
