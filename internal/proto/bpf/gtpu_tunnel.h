/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The outer headers of G-PDUs over IPv4: written, found, and, in socket buffers, made
 * room for. */
#pragma once

#include <linux/pkt_cls.h>

#include "gtpu.h"

#define OUTER_OCTETS 44 /* IPv4 20, UDP 8, GTP-U 8 and 4, PDU session container 4 */
#define OUTER_TTL 64
#define PSC_UPLINK 0x10 /* PDU type 1: UL PDU SESSION INFORMATION, TS 38.415 */
#define PSC_DOWNLINK 0x00
#define IP_DF bpf_htons(0x4000)
#define HEADERS 116 /* of a frame from N3 that have to be linear: a walk of some extensions, and IPv6 inside */

struct macs {
	__u8 to[6], from[6];
};

struct outer_headers {
	struct ethhdr eth;
	struct iphdr ip;
	struct udphdr udp;
	struct gtpu gtp;
	struct gtpu_optional optional;
	__u8 psc_length; /* in four octets */
	__u8 psc_type;
	__u8 psc_qfi;
	__u8 psc_next;
} __attribute__((packed));

_Static_assert(sizeof(struct outer_headers) == ETH_HLEN + OUTER_OCTETS, "outer headers");

static __always_inline __u16 fold(__u32 sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

/* The sum of an IPv4 header without options whose checksum is 0. */
static __always_inline __u16 ipv4_checksum(const struct iphdr *ip)
{
	const __u16 *word = (const void *)ip;
	__u32 sum = 0;

#pragma unroll
	for (int i = 0; i < 10; i++)
		sum += word[i];
	return fold(sum);
}

static __always_inline void write_macs(struct ethhdr *eth, volatile const struct macs *m)
{
#pragma unroll
	for (int i = 0; i < 6; i++) {
		eth->h_dest[i] = m->to[i];
		eth->h_source[i] = m->from[i];
	}
}

/* The first octets of a packet that have to be read and written in place. */
static __always_inline bool linear(struct __sk_buff *skb, __u32 octets)
{
	if ((void *)(long)skb->data + octets <= (void *)(long)skb->data_end)
		return true;
	return !bpf_skb_pull_data(skb, octets);
}

/* Write the outer headers of a T-PDU of length octets from source to peer. type is the
 * first octet of the PDU session container. */
static __always_inline void write_headers(struct outer_headers *h, volatile const struct macs *m, __be32 source,
					  __be32 peer, __be32 teid, __u8 type, __u8 qfi, __u32 length)
{
	struct iphdr *ip = (void *)h + ETH_HLEN;

	write_macs((void *)h, m);
	h->eth.h_proto = bpf_htons(ETH_P_IP);
	*ip = (struct iphdr){
		.version = 4, .ihl = 5, .tot_len = bpf_htons(length + OUTER_OCTETS), .frag_off = IP_DF,
		.ttl = OUTER_TTL, .protocol = IPPROTO_UDP, .saddr = source, .daddr = peer,
	};
	ip->check = ipv4_checksum(ip);
	h->udp.source = h->udp.dest = bpf_htons(GTPU_PORT);
	h->udp.len = bpf_htons(length + OUTER_OCTETS - sizeof(*ip));
	h->udp.check = 0; /* none, RFC 768 */
	h->gtp.flags = GTPU_VERSION_1 | GTPU_E;
	h->gtp.type = GTPU_G_PDU;
	h->gtp.length = bpf_htons(length + OUTER_OCTETS - sizeof(*ip) - sizeof(h->udp) - sizeof(h->gtp));
	h->gtp.teid = teid;
	h->optional = (struct gtpu_optional){.next = GTPU_EXT_PSC};
	h->psc_length = 1;
	h->psc_type = type;
	h->psc_qfi = qfi & PSC_QFI;
	h->psc_next = 0;
}

/* A G-PDU that was found in a frame. */
struct gpdu {
	struct iphdr *inner; /* the T-PDU, which may be IPv6; its first octet is in bounds only if checked */
	__be32 destination;  /* of the outer header */
	__be32 teid;
	__u32 room; /* octets of the T-PDU */
	__u32 cut;  /* octets between the Ethernet header and the T-PDU */
	__u8 qfi;   /* 0: no PDU session container */
};

enum found {
	FOUND_GPDU,
	FOUND_OTHER,      /* no GTP-U */
	FOUND_SIGNALLING, /* GTP-U, but no G-PDU */
	FOUND_FRAGMENT,
	FOUND_MALFORMED,
};

static __always_inline enum found find_gpdu(void *data, void *end, struct gpdu *g)
{
	struct iphdr *ip = frame_ipv4(data, end);
	struct udphdr *udp;
	struct gtpu *gtp;
	void *payload;
	__u32 room, header;

	if (!ip || ip->protocol != IPPROTO_UDP)
		return FOUND_OTHER;
	if (ip->frag_off & IP_FRAGMENT)
		return FOUND_FRAGMENT;
	if (ip->ihl < 5)
		return FOUND_MALFORMED;
	udp = (void *)ip + ip->ihl * 4u;
	if ((void *)(udp + 1) > end)
		return FOUND_MALFORMED;
	if (udp->dest != bpf_htons(GTPU_PORT))
		return FOUND_OTHER;
	gtp = (void *)(udp + 1);
	if ((void *)(gtp + 1) > end || bpf_ntohs(udp->len) < sizeof(*udp) + sizeof(*gtp) ||
	    bpf_ntohs(udp->len) + ip->ihl * 4u > bpf_ntohs(ip->tot_len))
		return FOUND_MALFORMED;
	if ((gtp->flags & GTPU_VERSION_MASK) != GTPU_VERSION_1)
		return FOUND_MALFORMED;
	if (gtp->type != GTPU_G_PDU)
		return FOUND_SIGNALLING;
	room = bpf_ntohs(gtp->length);
	if (room + sizeof(*udp) + sizeof(*gtp) > bpf_ntohs(udp->len))
		return FOUND_MALFORMED;
	g->qfi = 0;
	payload = gtpu_payload(gtp, end, &g->qfi);
	if (!payload || payload - (void *)(gtp + 1) > room)
		return FOUND_MALFORMED;
	header = payload - (void *)(gtp + 1);
	g->room = room - header;
	g->inner = payload;
	g->destination = ip->daddr;
	g->teid = gtp->teid;
	g->cut = payload - data - ETH_HLEN;
	return FOUND_GPDU;
}
