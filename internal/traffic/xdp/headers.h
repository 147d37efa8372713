/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Headers as they are on the wire: Ethernet, IPv4 without options, UDP, GTP-U
 * (TS 29.281 clause 5.1) and the PDU session container (TS 38.415). */
#pragma once
#include <linux/types.h>
#include <bpf/bpf_endian.h>
#include "checksum/checksum.h"
#include "signature/signature.h"

#define ETH_LEN 14
#define IP_LEN 20
#define UDP_LEN 8
#define UDP_END (ETH_LEN + IP_LEN + UDP_LEN)
#define ETH_IPV4 0x0800
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

/* ip_sum is 0xffff for a header whose checksum is right. */
static __always_inline __u16 ip_sum(struct ip_header *ip)
{
	__u32 *w = (__u32 *)ip;

	return checksum_fold((__u64)w[0] + w[1] + w[2] + w[3] + w[4]);
}
