/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* N6 to N3: find the UE, put the outer header on, route it to the gNB. */
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

/* The packet may be forwarded where the verdict is to. Returns ACCEPTED or a reason. */
static __always_inline int check_packet(struct xdp_md *ctx, const struct iphdr *ip, __u8 verdict)
{
	if (verdict != VERDICT_FORWARD)
		return verdict - VERDICT_DROP;
	return check_header(ctx, ip, ETH_HLEN);
}

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

/* d has the packet's length. row is NULL where the PDR is a plain one. */
static __always_inline int forward_packet(struct xdp_md *ctx, struct counters *c, void *ip, bool ipv6,
					  struct delivery d, const struct row *row)
{
	bool done;

	d.id = c->dl_packets;
	if (route_get(ctx, d.peer, DOWNLINK, &d.route) != ROUTE_OK || !d.route)
		return drop(c, DROP_NO_ROUTE);
	if (d.length + (d.qfi ? OUTER_PSC : OUTER_PLAIN) > d.route->mtu) {
		__u32 fits = d.route->mtu - (d.qfi ? OUTER_PSC : OUTER_PLAIN);

		if (ipv6)
			notice_packet(ctx, ETH_HLEN, d.length, ue_hash(&((struct ipv6hdr *)ip)->daddr), fits);
		else if (((struct iphdr *)ip)->frag_off & IP_DF)
			notice_packet(ctx, ETH_HLEN, d.length, ((struct iphdr *)ip)->daddr, fits);
		return drop(c, DROP_TOO_BIG);
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
	done = d.qfi ? encapsulate(ctx, &d, OUTER_PSC) : encapsulate(ctx, &d, OUTER_PLAIN);
	if (!done)
		return drop(c, DROP_HEADROOM);
	c->dl_packets++;
	c->dl_bytes += d.length;
	if (row)
		usages_count(row, d.length, 1);
	return route_send(d.route);
}

/* The row of the packet, from the first of its chain on, or NULL with the reason in
 * *why. */
static __noinline struct row *downlink_search(struct xdp_md *ctx, __u32 chain, __u32 entrance, __u32 *why)
{
	void *end = (void *)(long)ctx->data_end;
	struct iphdr *ip = frame_ipv4((void *)(long)ctx->data, end);
	struct search s = {};
	struct row *row;

	if (!ip || !why)
		return NULL;
	flow_downlink(&s.flow, ip, end);
	s.flow.entrance = entrance;
	row = chain_find(&s, chain);
	*why = s.why;
	return row;
}

static __always_inline int downlink_rows(struct xdp_md *ctx, struct counters *c, __u32 chain, __be32 key, __u32 entrance)
{
	struct iphdr *ip = frame_ipv4((void *)(long)ctx->data, (void *)(long)ctx->data_end);
	__u32 why = chain ? DROP_SOURCE_MISMATCH : DROP_NO_PDR;
	struct row *row = chain_first(chain, key);
	struct delivery d = {};
	int v;

	if (!c || !ip)
		return XDP_DROP;
	if (row && !row_takes(row, ip->daddr, 0, entrance))
		row = downlink_search(ctx, chain, entrance, &why);
	if (!row)
		return drop(c, why);
	if (row->verdict == VERDICT_HOLD) {
		hold_packet(ctx, row->teid, ETH_HLEN, bpf_ntohs(ip->tot_len), 0);
		return drop(c, DROP_BUFFERED);
	}
	v = check_packet(ctx, ip, row->verdict);
	if (v != ACCEPTED)
		return drop(c, v);
	if (outer6 && row->flags & ROW_OUTER6)
		return deliver_row6(row, bpf_ntohs(ip->tot_len));
	if (!address(&d, row->peer, row->teid, row->qfi))
		return drop(c, DROP_NO_ROUTE);
	d.length = bpf_ntohs(ip->tot_len);
	d.marking = row->marking;
	return forward_packet(ctx, c, ip, false, d, row);
}

/* A packet whose UE address has a chain of rows. entrance is the tunnel on N6 that it came
 * by. */
static __always_inline int downlink_first(struct xdp_md *ctx, struct counters *c, __u32 chain, __be32 key, __u32 entrance)
{
	chain_enter(c);
	return chain_leave(c, downlink_rows(ctx, c, chain, key, entrance));
}

/* The same for what comes this way seldom. Not static, for the verifier. */
__noinline int downlink_chain(struct xdp_md *ctx, struct counters *c, __u32 chain, __be32 key, __u32 entrance)
{
	return c ? downlink_first(ctx, c, chain, key, entrance) : XDP_DROP;
}

#include "downlink6.h"
#include "enter.h"

/* As downlink, for what is not IPv4. */
static __noinline int ipv6_to_ue(struct xdp_md *ctx, struct counters *c)
{
	int verdict = downlink6(ctx, c);

	return n6_tunnels && verdict == NOT_OURS ? enter(ctx, c) : verdict;
}

/* A packet to a network behind a UE. */
static __always_inline int framed(struct xdp_md *ctx, struct counters *c, const struct dl_rule *rule)
{
	void *end = (void *)(long)ctx->data_end;
	struct iphdr *ip = frame_ipv4((void *)(long)ctx->data, end);

	if (!ip || rule->verdict != VERDICT_CHAIN)
		return XDP_DROP;
	if (!ipv4_fits(ip, end - (void *)ip))
		return drop(c, DROP_MALFORMED_INNER);
	if (is_unroutable(ip->saddr))
		return drop(c, DROP_UNROUTABLE);
	return downlink_chain(ctx, c, rule->teid, KEY_FRAMED, 0);
}

/* The same for what no UE has the address of: it may be in a network behind one. */
static __noinline int for_no_ue(struct xdp_md *ctx, struct counters *c, __be32 to)
{
	struct dl_rule *rule = find_framed(to);

	if (!c)
		return XDP_DROP;
	if (rule)
		return framed(ctx, c, rule);
	if (in_pool(to))
		return drop(c, DROP_UNKNOWN_UE);
	return n6_tunnels ? enter(ctx, c) : NOT_OURS;
}

/* An XDP action, or NOT_OURS with the frame untouched. */
static __always_inline int downlink(struct xdp_md *ctx, struct counters *c)
{
	void *end = (void *)(long)ctx->data_end;
	struct iphdr *ip = frame_ipv4((void *)(long)ctx->data, end);
	struct delivery d = {};
	struct dl_rule rule;
	int v;

	if (!ip)
		return ipv6_to_ue(ctx, c);
	if (!find_downlink(ip->daddr, &rule))
		return for_no_ue(ctx, c, ip->daddr);
	if (!ipv4_fits(ip, end - (void *)ip))
		return drop(c, DROP_MALFORMED_INNER);
	if (is_unroutable(ip->saddr))
		return drop(c, DROP_UNROUTABLE);
	if (rule.verdict == VERDICT_CHAIN)
		return downlink_first(ctx, c, rule.teid, ip->daddr, 0);
	v = check_packet(ctx, ip, rule.verdict);
	if (v != ACCEPTED && outer6 && rule.verdict == VERDICT_OUTER6) {
		v = check_header(ctx, ip, ETH_HLEN);
		return v != ACCEPTED ? drop(c, v) : deliver_rule6(&rule, bpf_ntohs(ip->tot_len));
	}
	if (v != ACCEPTED)
		return drop(c, v);
	if (!address(&d, rule.peer, rule.teid, rule.qfi))
		return drop(c, DROP_NO_ROUTE);
	d.length = bpf_ntohs(ip->tot_len);
	return forward_packet(ctx, c, ip, false, d, NULL);
}
