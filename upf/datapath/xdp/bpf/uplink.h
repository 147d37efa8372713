/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* N3 to N6: find the tunnel, take the outer header off, route the T-PDU. */
#pragma once

#include "checksum/checksum.h"
#include "config.h"
#include "counters.h"
#include "ecn.h"
#include "exit.h"
#include "gtpu.h"
#include "ipv4.h"
#include "meter.h"
#include "outer6.h"
#include "punt.h"
#include "relay.h"
#include "route6.h"
#include "rules.h"
#include "usage.h"

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

/* A T-PDU that is GTP-U itself could reach a gNB, or another UPF, with a tunnel of
 * the UE's choice. The header is in bounds where the packet is long enough. */
static __always_inline bool is_nested(const struct iphdr *ip, void *end)
{
	const struct udphdr *udp = (void *)ip + ip->ihl * 4u;

	return ip->protocol == IPPROTO_UDP && !(ip->frag_off & IP_OFFSET) &&
	       (void *)(udp + 1) <= end && udp->dest == bpf_htons(GTPU_PORT);
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

/* A plain PDR wants the T-PDU. */
static __always_inline int check_plain(const struct tpdu *t, const struct ul_rule *rule)
{
	if (rule->ue && rule->ue != t->ip->saddr)
		return DROP_SOURCE_MISMATCH;
	if (rule->qfi && rule->qfi != t->qfi)
		return DROP_QFI_MISMATCH;
	if (rule->verdict != VERDICT_FORWARD)
		return rule->verdict - VERDICT_DROP;
	return ACCEPTED;
}

/* The T-PDU, which a PDR wants, may be forwarded. */
static __always_inline int check_hop(struct xdp_md *ctx, const struct tpdu *t, void *data, void *end)
{
	int v = check_header(ctx, t->ip, (void *)t->ip - data);

	if (v == DROP_TTL)
		notice_packet(ctx, (void *)t->ip - data, bpf_ntohs(t->ip->tot_len), t->ip->saddr, NOTICE_UPLINK | NOTICE_EXPIRED);
	if (v != ACCEPTED)
		return v;
	return !(allowed & ALLOW_NESTED) && is_nested(t->ip, end) ? DROP_NESTED : ACCEPTED;
}

/* Hand the T-PDU to the kernel, which resolves the neighbour and forwards it, or
 * is a destination that the configuration opens to UEs. */
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

/* The T-PDU has no next hop to send it to from here. */
static __noinline int unrouted_tpdu(struct xdp_md *ctx, struct counters *c, __be32 destination,
				    int status, long cut)
{
	bool local = status == ROUTE_LOCAL && is_open_to_ues(destination);

	if (!c)
		return XDP_DROP;
	if (status == ROUTE_KERNEL || local) {
		c->passed++;
		return pass_tpdu(ctx, cut, ETH_P_IP);
	}
	if (status == ROUTE_LOCAL)
		return drop(c, DROP_TO_UPF);
	if (status == ROUTE_UNROUTABLE)
		return drop(c, DROP_UNROUTABLE);
	return drop(c, status == ROUTE_EGRESS ? DROP_EGRESS : DROP_NO_ROUTE);
}

/* row is NULL where the PDR is a plain one. */
static __always_inline int forward_tpdu(struct xdp_md *ctx, struct counters *c, struct iphdr *ip,
					long cut, const struct row *row, __u8 qfi)
{
	__u32 length = bpf_ntohs(ip->tot_len);
	struct route *r = NULL;
	void *frame;
	int status = route_get(ctx, ip->daddr, UPLINK, &r);

	if (status != ROUTE_OK || !r)
		return unrouted_tpdu(ctx, c, ip->daddr, status, cut);
	if (length > r->mtu) {
		if (ip->frag_off & IP_DF)
			notice_packet(ctx, cut + ETH_HLEN, length, ip->saddr, r->mtu | NOTICE_UPLINK);
		return drop(c, DROP_TOO_BIG);
	}
	if (row && !usages_admit(row))
		return drop(c, DROP_QUOTA);
	if (row && !meters_admit(row, length))
		return drop(c, DROP_RATE);
	copy_packet(ctx, row, cut + ETH_HLEN, length, qfi);
	ipv4_decrement_ttl(ip);
	if (bpf_xdp_adjust_head(ctx, cut))
		return drop(c, DROP_HEADROOM);
	frame = (void *)(long)ctx->data;
	if (frame + ETH_HLEN > (void *)(long)ctx->data_end)
		return drop(c, DROP_MALFORMED_INNER);
	route_write(frame, r, ETH_P_IP);
	c->ul_packets++;
	c->ul_bytes += length;
	if (row)
		usages_count(row, length, 0);
	return route_send(r);
}

static __always_inline int unknown_teid(struct xdp_md *ctx, struct counters *c)
{
	drop(c, DROP_UNKNOWN_TEID);
	return punt_unknown(ctx);
}

/* The sender is told which extension headers are understood. */
static __always_inline int unknown_extension(struct xdp_md *ctx, struct counters *c)
{
	drop(c, DROP_UNSUPPORTED);
	return punt_unknown(ctx);
}

static __always_inline int signalling(struct xdp_md *ctx, struct counters *c)
{
	return punt_signalling(ctx) == XDP_PASS ? pass(c) : drop(c, DROP_FLOOD);
}

/* As downlink_search. */
static __noinline struct row *uplink_search(struct xdp_md *ctx, struct tpdu *t, __u32 chain, __u32 downlink, __u32 *why)
{
	void *end = (void *)(long)ctx->data_end;
	struct search s = {};
	struct row *row;

	if (!t || !why || (void *)(t->ip + 1) > end)
		return NULL;
	s.flow.qfi = t->qfi;
	if (downlink)
		flow_downlink(&s.flow, t->ip, end);
	else
		flow_uplink(&s.flow, t->ip, end);
	row = chain_find(&s, chain);
	*why = s.why;
	return row;
}

static __always_inline int uplink_rows(struct xdp_md *ctx, struct counters *c, struct tpdu *t, __u32 chain, bool downlink)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	__u32 why = chain ? DROP_SOURCE_MISMATCH : DROP_NO_PDR;
	struct row *row;
	int v;

	if (!c || !t || (void *)(t->ip + 1) > end)
		return XDP_DROP;
	row = chain_first(chain, t->teid);
	if (row && !row_takes(row, downlink ? t->ip->daddr : t->ip->saddr, t->qfi, 0))
		row = uplink_search(ctx, t, chain, downlink, &why);
	if (!row)
		return drop(c, why);
	if (row->verdict == VERDICT_HOLD)
		return hold_tpdu(ctx, c, row, ((void *)t->ip - data) << 16 | bpf_ntohs(t->ip->tot_len), t->qfi);
	if (row->verdict != VERDICT_FORWARD)
		return drop(c, row->verdict - VERDICT_DROP);
	if (row->flags & ROW_RELAY)
		return relay(ctx, c, row, ((void *)t->ip - data - ETH_HLEN) << 16 | bpf_ntohs(t->ip->tot_len),
			     t->qfi | (downlink ? RELAY_DOWNLINK : 0));
	v = check_hop(ctx, t, data, end);
	if (v != ACCEPTED)
		return drop(c, v);
	if (n6_tunnels && row->flags & ROW_EXIT)
		return exit_tpdu(ctx, c, row, ((void *)t->ip - data - ETH_HLEN) << 16 | bpf_ntohs(t->ip->tot_len), t->qfi);
	return forward_tpdu(ctx, c, t->ip, (void *)t->ip - data - ETH_HLEN, row, t->qfi);
}

/* A T-PDU whose TEID has a chain of rows. */
static __always_inline int uplink_chain(struct xdp_md *ctx, struct counters *c, struct tpdu *t, __u32 chain, __u32 downlink)
{
	chain_enter(c);
	return chain_leave(c, uplink_rows(ctx, c, t, chain, downlink & CHAIN_DOWNLINK));
}

#include "uplink6.h"

/* An XDP action, or NOT_OURS with the frame untouched. */
static __always_inline int uplink(struct xdp_md *ctx, struct counters *c)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct udphdr *udp = NULL;
	struct tpdu t = {};
	struct ul_rule rule;
	int v;

	v = find_datagram(data, end, &udp, &t.ecn);
	if (v == ACCEPTED)
		v = find_tpdu(udp, end, &t);
	if (v == NOT_OURS)
		return NOT_OURS;
	if (v == SIGNALLING)
		return signalling(ctx, c);
	if (v != ACCEPTED)
		return drop(c, v);
	if (t.more && extensions(ctx) & EXTENSION_UNKNOWN)
		return unknown_extension(ctx, c);
	if (!find_uplink(t.teid, &rule))
		return unknown_teid(ctx, c);
	if (ecn_matters(t.ecn) && ecn_decapsulate(ctx, (void *)t.ip - data, t.room << 16 | t.ecn) != ACCEPTED)
		return drop(c, DROP_ECN);
	v = check_inner(&t, end);
	if (v == IPV6)
		return uplink6(ctx, c, t.teid, (void *)t.ip - data, t.room | t.qfi << 16);
	if (v == ACCEPTED && rule.verdict == VERDICT_CHAIN)
		return uplink_chain(ctx, c, &t, rule.ue, rule.qfi);
	if (v == ACCEPTED)
		v = check_plain(&t, &rule);
	if (v == ACCEPTED)
		v = check_hop(ctx, &t, data, end);
	if (v != ACCEPTED)
		return drop(c, v);
	return forward_tpdu(ctx, c, t.ip, (void *)t.ip - data - ETH_HLEN, NULL, 0);
}
