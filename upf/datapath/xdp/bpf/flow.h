/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What SDF filters look at in a T-PDU, by the end: the UE's and the other one. */
#pragma once

#include "gtpu.h"
#include "ipv6.h"
#include "parse.h"

#define PROTOCOL_UDPLITE 136

struct flow {
	__be32 remote, local;
	__u16 remote_port, local_port; /* host order */
	__be32 spi;
	__u8 protocol, tos, qfi; /* QFI 0: none */
	__u8 flags;              /* ROW_PORTS and ROW_SPI: it has them */
	__u8 entrance;           /* the tunnel on N6 that it came by; 0: none */
	__u8 spare[3];
};

#define FLOW_PORTS 2 /* as ROW_PORTS */
#define FLOW_SPI 4   /* as ROW_SPI */

static __always_inline bool has_ports(__u8 protocol)
{
	return protocol == IPPROTO_TCP || protocol == IPPROTO_UDP || protocol == IPPROTO_DCCP ||
	       protocol == IPPROTO_SCTP || protocol == PROTOCOL_UDPLITE;
}

/* The transport header's first octets, as the UE sends them. The lengths of the packet
 * were checked; a fragment after the first has none. */
static __always_inline void flow_transport(struct flow *f, const struct iphdr *ip, void *end)
{
	__u32 rest = bpf_ntohs(ip->tot_len) - ip->ihl * 4u;
	const __be32 *next = (void *)ip + ip->ihl * 4u;
	const __be16 *ports = (void *)next;

	if (ip->frag_off & IP_OFFSET || rest < 4 || (void *)(next + 1) > end)
		return;
	if (has_ports(ip->protocol)) {
		f->flags |= FLOW_PORTS;
		f->local_port = bpf_ntohs(ports[0]);
		f->remote_port = bpf_ntohs(ports[1]);
	} else if (ip->protocol == IPPROTO_ESP) {
		f->flags |= FLOW_SPI;
		f->spi = next[0];
	} else if (ip->protocol == IPPROTO_AH && rest >= 8 && (void *)(next + 2) <= end) {
		f->flags |= FLOW_SPI;
		f->spi = next[1];
	}
}

static __always_inline void flow_uplink(struct flow *f, const struct iphdr *ip, void *end)
{
	f->local = ip->saddr;
	f->remote = ip->daddr;
	f->protocol = ip->protocol;
	f->tos = ip->tos;
	flow_transport(f, ip, end);
}

static __always_inline void flow_downlink(struct flow *f, const struct iphdr *ip, void *end)
{
	__u16 port;

	flow_uplink(f, ip, end);
	f->local = ip->daddr;
	f->remote = ip->saddr;
	port = f->local_port;
	f->local_port = f->remote_port;
	f->remote_port = port;
}

/* What is IPv6's alone. */
struct flow6 {
	struct addr6 remote, local;
	__u32 label; /* host order */
};

/* The transport header's first octets, at an offset in the frame; rest is how many there
 * are. */
static __always_inline void flow_load(struct xdp_md *ctx, struct flow *f, __u32 at, __u32 rest)
{
	__be32 first;

	if (rest < sizeof(first) || at > FRAME_MAX)
		return;
	if (has_ports(f->protocol)) {
		if (bpf_xdp_load_bytes(ctx, at, &first, sizeof(first)))
			return;
		f->flags |= FLOW_PORTS;
		f->local_port = bpf_ntohl(first) >> 16;
		f->remote_port = bpf_ntohl(first) & 0xffff;
	} else if (f->protocol == IPPROTO_ESP || (f->protocol == IPPROTO_AH && rest >= 8)) {
		if (bpf_xdp_load_bytes(ctx, f->protocol == IPPROTO_AH ? at + 4 : at, &first, sizeof(first)))
			return;
		f->flags |= FLOW_SPI;
		f->spi = first;
	}
}

/* Read an IPv6 packet at an offset in the frame, whose lengths were checked. */
static __always_inline void flow6_read(struct xdp_md *ctx, struct flow *f, struct flow6 *g,
				       const struct ipv6hdr *ip, __u32 at, bool downlink)
{
	__u32 word = bpf_ntohl(*(const __be32 *)ip), end = at + ipv6_length(ip);
	struct upper u;
	__u16 port;

	g->local = addr6_of(downlink ? &ip->daddr : &ip->saddr);
	g->remote = addr6_of(downlink ? &ip->saddr : &ip->daddr);
	g->label = word & 0xfffff;
	f->tos = word >> 20;
	upper_find(ctx, ip, at, &u);
	f->protocol = u.protocol;
	if (u.state == UPPER_WHOLE && u.at <= end)
		flow_load(ctx, f, u.at, end - u.at);
	if (!downlink)
		return;
	port = f->local_port;
	f->local_port = f->remote_port;
	f->remote_port = port;
}
