/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* From N3: find the T-PDU in a GTP-U packet, and take the outer header off. */
#pragma once

#include "gtpu.h"
#include "ipv4.h"
#include "outer6.h"

#define SIGNALLING (-3)
#define IPV6 (-4)

struct tpdu {
	struct iphdr *ip; /* its first 20 octets are in bounds */
	__be32 teid;
	__u32 room; /* octets that the GTP-U header gives to it */
	__u8 ecn;   /* of the outer header */
	__u8 qfi;   /* 0 when the packet has no PDU session container */
	bool more;  /* there is more to its extension headers than that container */
};

/* The UDP datagram to our GTP-U port, and the ECN field of its packet. Returns ACCEPTED, NOT_OURS or
 * a reason. Fragments are the kernel's. */
static __always_inline int find_datagram(void *data, void *end, struct udphdr **out, __u8 *ecn)
{
	struct iphdr *ip = frame_ipv4(data, end);
	struct udphdr *udp;

	if (!ip && outer6)
		return find_datagram6(data, end, out, ecn);
	if (!ip || ip->protocol != IPPROTO_UDP || ip->daddr != n3_address ||
	    ip->frag_off & IP_FRAGMENT)
		return NOT_OURS;
	if (!ipv4_fits(ip, end - (void *)ip))
		return DROP_MALFORMED_OUTER;
	udp = (void *)ip + ip->ihl * 4u;
	if ((void *)(udp + 1) > end || bpf_ntohs(ip->tot_len) < ip->ihl * 4u + sizeof(*udp))
		return DROP_MALFORMED_OUTER;
	if (udp->dest != bpf_htons(GTPU_PORT))
		return NOT_OURS;
	if (bpf_ntohs(udp->len) < sizeof(*udp) ||
	    bpf_ntohs(udp->len) + ip->ihl * 4u > bpf_ntohs(ip->tot_len))
		return DROP_MALFORMED_OUTER;
	*ecn = ip->tos & ECN_MASK;
	*out = udp;
	return ACCEPTED;
}

/* The G-PDU in the datagram. Returns ACCEPTED, SIGNALLING or a reason. */
static __always_inline int find_tpdu(struct udphdr *udp, void *end, struct tpdu *t)
{
	struct gtpu *gtp = (void *)(udp + 1);
	struct gtpu_optional *optional = (void *)(gtp + 1);
	__u32 length, header;
	void *payload;

	if ((void *)(gtp + 1) > end || bpf_ntohs(udp->len) < sizeof(*udp) + sizeof(*gtp))
		return DROP_MALFORMED_GTP;
	if ((gtp->flags & GTPU_VERSION_MASK) != GTPU_VERSION_1)
		return DROP_UNSUPPORTED;
	if (gtp->type != GTPU_G_PDU)
		return gtpu_is_signalling(gtp->type) ? SIGNALLING : DROP_UNSUPPORTED;
	length = bpf_ntohs(gtp->length);
	if (length + sizeof(*udp) + sizeof(*gtp) > bpf_ntohs(udp->len))
		return DROP_MALFORMED_GTP;
	t->teid = gtp->teid;
	payload = gtpu_payload(gtp, end, &t->qfi);
	if (!payload)
		return DROP_MALFORMED_GTP;
	header = payload - (void *)(gtp + 1);
	if (header > length)
		return DROP_MALFORMED_GTP;
	t->room = length - header;
	t->more = header > sizeof(*optional) + 4 ||
		  (header > sizeof(*optional) && ((void *)(optional + 1) > end || optional->next != GTPU_EXT_PSC));
	t->ip = payload;
	return ACCEPTED;
}

/* The T-PDU is an IPv4 packet. Returns ACCEPTED, IPV6 or a reason. */
static __always_inline int check_inner(const struct tpdu *t, void *end)
{
	struct iphdr *ip = t->ip;

	if ((void *)(ip + 1) > end || t->room < sizeof(*ip))
		return DROP_MALFORMED_INNER;
	if (ip->version == 6)
		return IPV6;
	if (ip->version != 4 || !ipv4_fits(ip, t->room))
		return DROP_MALFORMED_INNER;
	return ACCEPTED;
}

/* Hand the T-PDU to the kernel, which resolves the neighbour or fragments it, and forwards it,
 * or is a destination that the configuration opens to UEs. */
static __noinline int pass_tpdu(struct xdp_md *ctx, int cut, __u32 protocol)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct ethhdr eth;

	if (data + sizeof(eth) > end)
		return XDP_DROP;
	__builtin_memcpy(&eth, data, sizeof(eth));
	if (bpf_xdp_adjust_head(ctx, cut))
		return XDP_DROP;
	data = (void *)(long)ctx->data;
	end = (void *)(long)ctx->data_end;
	if (data + sizeof(eth) > end)
		return XDP_DROP;
	eth.h_proto = bpf_htons(protocol);
	__builtin_memcpy(data, &eth, sizeof(eth));
	return XDP_PASS;
}

/* The kernel forwards the T-PDU, of the protocol ETH_P_..., in this program's place. */
static __noinline int kernel_tpdu(struct xdp_md *ctx, struct counters *c, const struct row *row, __u32 cut_length, __u32 protocol)
{
	if (!c)
		return XDP_DROP;
	c->ul_packets++;
	c->ul_bytes += cut_length & 0xffff;
	if (row)
		usages_count(row, cut_length & 0xffff, 0);
	return pass_tpdu(ctx, cut_length >> 16, protocol);
}
