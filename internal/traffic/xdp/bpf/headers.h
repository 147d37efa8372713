/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Headers as they are on the wire: Ethernet, IPv4 without options, IPv6 without extension
 * headers, UDP, GTP-U (TS 29.281 clause 5.1) and the PDU session container (TS 38.415). */
#pragma once
#include <linux/types.h>
#include <bpf/bpf_endian.h>
#include "checksum/checksum.h"
#include "signature/signature.h"

#define ETH_LEN 14
#define IP_LEN 20
#define IP6_LEN 40
#define UDP_LEN 8
#define UDP_END (ETH_LEN + IP_LEN + UDP_LEN)
#define UDP6_END (ETH_LEN + IP6_LEN + UDP_LEN)
#define ETH_IPV4 0x0800
#define ETH_IPV6 0x86dd
#define IPPROTO_UDP_ 17
#define GTP_PORT 2152
#define GTP_GPDU 255
#define GTP_E 0x04
#define GTP_EXT_PSC 0x85

struct ether_header {
	__u8 destination[6], source[6];
	__u16 type;
} __attribute__((packed));

struct ip_header {
	__u8 version_ihl, tos;
	__u16 length, id, fragment;
	__u8 ttl, protocol;
	__u16 check;
	__u32 source, destination;
} __attribute__((packed));

struct ip6_header {
	__u32 version_class_flow;
	__u16 length;
	__u8 next, hops;
	__u32 source[4], destination[4];
} __attribute__((packed));

struct udp_header {
	__u16 source, destination, length, check;
} __attribute__((packed));

struct gtp_header {
	__u8 flags, type;
	__u16 length;
	__u32 teid;
} __attribute__((packed));

struct gtp_optional {
	__u16 sequence;
	__u8 npdu, next;
} __attribute__((packed));

struct gtp_psc {
	__u8 length, type, qfi, next;
} __attribute__((packed));

struct inner_packet {
	struct ip_header ip;
	struct udp_header udp;
	struct signature sig;
} __attribute__((packed));

/* What follows the inner IP header. */
struct inner_datagram {
	struct udp_header udp;
	struct signature sig;
} __attribute__((packed));

/* The families of IP that the UEs of a flow have: Families of package traffic. */
#define FAMILY_IPV4 1
#define FAMILY_IPV6 2

/* inner_length is the length of the IP header of a packet of a flow. */
static __always_inline __u32 inner_length(__u32 families, const __u8 *ip)
{
	if (families == FAMILY_IPV6 || (families != FAMILY_IPV4 && *ip >> 4 == 6))
		return IP6_LEN;
	return IP_LEN;
}

/* sum_of adds up words; a number of them that is known when this is compiled. */
static __always_inline __u64 sum_of(const void *words, const int count)
{
	const __u32 *w = words;
	__u64 sum = 0;

#pragma unroll
	for (int i = 0; i < count; i++)
		sum += w[i];
	return sum;
}

/* ip_sum is 0xffff for a header whose checksum is right. */
static __always_inline __u16 ip_sum(struct ip_header *ip)
{
	__u32 *w = (__u32 *)ip;

	return checksum_fold((__u64)w[0] + w[1] + w[2] + w[3] + w[4]);
}
