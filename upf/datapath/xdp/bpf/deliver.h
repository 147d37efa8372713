/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* To a gNB, or another UPF, over IPv4: put the outer header on and route the packet. */
#pragma once

#include "checksum/checksum.h"
#include "config.h"
#include "counters.h"
#include "gtpu.h"
#include "hold.h"
#include "ipv4.h"
#include "meter.h"
#include "notice.h"
#include "outer6.h"
#include "route.h"
#include "rules.h"
#include "usage.h"

#define OUTER_PLAIN 36 /* IPv4, UDP, GTP-U */
#define OUTER_PSC 44   /* ... with a PDU session container */

struct outer {
	struct iphdr ip;
	struct udphdr udp;
	struct gtpu gtp;
};

_Static_assert(sizeof(struct outer) == OUTER_PLAIN, "outer header");
_Static_assert(sizeof(struct outer) + sizeof(struct outer_psc) == OUTER_PSC, "outer header");

/* A packet on its way to a gNB. */
struct delivery {
	struct route *route;
	__be32 peer;
	__be32 teid;
	__u32 length; /* of the T-PDU */
	__u16 id;
	__u8 qfi;
	__u8 type; /* of the PDU session container, in its first octet */
	__u8 marking; /* type of service */
	__u8 kept; /* octets of the container in kept_containers, 0: none */
};

/* total is the outer packet's length. */
static __always_inline void write_ip(struct iphdr *ip, const struct delivery *d, __u32 total)
{
	ip->version = 4;
	ip->ihl = 5;
	ip->tos = d->marking;
	ip->tot_len = bpf_htons(total);
	ip->id = d->id;
	ip->frag_off = 0;
	ip->ttl = OUTER_TTL;
	ip->protocol = IPPROTO_UDP;
	ip->check = checksum_finish32(outer_sum + (d->peer & 0xffff) + (d->peer >> 16) +
				  bpf_htons(total) + d->id + bpf_htons(d->marking));
	ip->saddr = n3_address;
	ip->daddr = d->peer;
}

/* The UDP checksum is 0: none, RFC 768. */
static __always_inline void write_outer(struct outer *o, const struct delivery *d, __u32 total,
					__u8 gtp_flags)
{
	write_ip(&o->ip, d, total);
	o->udp.source = bpf_htons(GTPU_PORT);
	o->udp.dest = bpf_htons(GTPU_PORT);
	o->udp.len = bpf_htons(total - sizeof(o->ip));
	o->udp.check = 0;
	o->gtp.flags = gtp_flags;
	o->gtp.type = GTPU_G_PDU;
	o->gtp.length = bpf_htons(total - sizeof(*o));
	o->gtp.teid = d->teid;
}

static __always_inline void write_psc(struct outer_psc *p, const struct delivery *d)
{
	*p = (struct outer_psc){
		.optional.next = GTPU_EXT_PSC,
		.length = 1,
		.pdu_type = d->type,
		.qfi = d->qfi,
	};
}

/* Make room and write all headers, with a container of four octets where there is one. */
static __always_inline bool encapsulate(struct xdp_md *ctx, const struct delivery *d, __u32 outer_len)
{
	__u32 total = d->length + outer_len;
	struct outer *o;
	void *frame;

	if (bpf_xdp_adjust_head(ctx, -(int)outer_len))
		return false;
	frame = (void *)(long)ctx->data;
	o = frame + ETH_HLEN;
	if ((void *)o + (outer_len == OUTER_PLAIN ? OUTER_PLAIN : OUTER_PSC) > (void *)(long)ctx->data_end)
		return false;
	route_write(frame, d->route, ETH_P_IP);
	if (outer_len == OUTER_PLAIN) {
		write_outer(o, d, total, GTPU_VERSION_1);
		return true;
	}
	write_outer(o, d, total, GTPU_VERSION_1 | GTPU_E);
	write_psc((void *)(o + 1), d);
	return true;
}

/* How long the outer headers are. */
static __always_inline __u32 outer_octets(const struct delivery *d)
{
	if (d->kept)
		return OUTER_PLAIN + sizeof(struct gtpu_optional) + d->kept;
	return d->qfi ? OUTER_PSC : OUTER_PLAIN;
}

/* As encapsulate, with the container in kept_containers where there is one. */
static __noinline bool encapsulate_any(struct xdp_md *ctx, const struct delivery *d)
{
	return d && encapsulate(ctx, d, outer_octets(d)) && (!d->kept || kept_write(ctx, OUTER_PLAIN, d->kept));
}

/* Where the packet goes. False when the peer is not there, which user space does not
 * let happen. */
static __always_inline bool address(struct delivery *d, __u32 peer_at, __be32 teid, __u8 qfi)
{
	__be32 *peer = bpf_map_lookup_elem(&peers, &peer_at);

	if (!peer)
		return false;
	d->peer = *peer;
	d->teid = teid;
	d->qfi = qfi & (PSC_QFI | PSC_RQI);
	return true;
}

/* d has the packet's length. row is NULL where the PDR is a plain one. rare: a container may be kept, and a
 * packet of IPv4 costs a call more, and less code; d is in memory, and in registers where it is not. */
static __always_inline int forward_packet(struct xdp_md *ctx, struct counters *c, void *ip, bool ipv6,
					  struct delivery d, const struct row *row, bool rare)
{
	bool done;

	d.id = c->dl_packets;
	if (route_get(ctx, d.peer, DOWNLINK, &d.route) > ROUTE_KERNEL || !d.route)
		return drop(c, DROP_NO_ROUTE);
	if (d.length + outer_octets(&d) > d.route->mtu) {
		__u32 fits = d.route->mtu - outer_octets(&d);

		if (ipv6)
			notice_packet(ctx, ETH_HLEN, d.length, ue_hash(&((struct ipv6hdr *)ip)->daddr), fits);
		else if (((struct iphdr *)ip)->frag_off & IP_DF)
			notice_packet(ctx, ETH_HLEN, d.length, ((struct iphdr *)ip)->daddr, fits);
		if (ipv6 || ((struct iphdr *)ip)->frag_off & IP_DF)
			return drop(c, DROP_TOO_BIG);
		route_slowly(d.route, d.route->mtu, MTU_MAX);
	}
	if (row && !usages_admit(row))
		return drop(c, DROP_QUOTA);
	if (row && !meters_admit(row, d.length))
		return drop(c, DROP_RATE);
	copy_packet(ctx, row, ETH_HLEN, d.length, 0);
	if (ipv6) {
		d.marking |= ecn_of6(ip) & ecn_mask;
		((struct ipv6hdr *)ip)->hop_limit--;
	} else {
		d.marking |= ((struct iphdr *)ip)->tos & ecn_mask;
		ipv4_decrement_ttl(ip);
	}
	if (rare && (!ipv6 || d.kept))
		done = encapsulate_any(ctx, &d);
	else
		done = d.qfi ? encapsulate(ctx, &d, OUTER_PSC) : encapsulate(ctx, &d, OUTER_PLAIN);
	if (!done)
		return drop(c, DROP_HEADROOM);
	c->dl_packets++;
	c->dl_bytes += d.length;
	if (row)
		usages_count(row, d.length, 1);
	return route_send(d.route);
}
