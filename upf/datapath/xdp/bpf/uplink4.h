/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* N3 to N6, IPv4 T-PDUs: search their chain of rows and route them. */
#pragma once

#include "chain.h"
#include "exit.h"
#include "meter.h"
#include "notice.h"
#include "relay.h"
#include "route.h"
#include "tpdu.h"
#include "usage.h"

/* A T-PDU that is GTP-U itself could reach a gNB, or another UPF, with a tunnel of
 * the UE's choice. The header is in bounds where the packet is long enough. */
static __always_inline bool is_nested(const struct iphdr *ip, void *end)
{
	const struct udphdr *udp = (void *)ip + ip->ihl * 4u;

	return ip->protocol == IPPROTO_UDP && !(ip->frag_off & IP_OFFSET) &&
	       (void *)(udp + 1) <= end && udp->dest == bpf_htons(GTPU_PORT);
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

/* The T-PDU has no next hop to send it to from here. */
static __noinline int unrouted_tpdu(struct xdp_md *ctx, struct counters *c, __be32 destination,
				    int status, long cut)
{
	bool local = status == ROUTE_LOCAL && is_open_to_ues(destination);

	if (!c)
		return XDP_DROP;
	if (local) {
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

	if (status > ROUTE_KERNEL || !r)
		return unrouted_tpdu(ctx, c, ip->daddr, status, cut);
	if (length > r->mtu) {
		if (ip->frag_off & IP_DF) {
			notice_packet(ctx, cut + ETH_HLEN, length, ip->saddr, r->mtu | NOTICE_UPLINK);
			return drop(c, DROP_TOO_BIG);
		}
		route_slowly(r, r->mtu, MTU_MAX);
	}
	if (row && !usages_admit(row))
		return drop(c, DROP_QUOTA);
	if (row && !meters_admit(row, length))
		return drop(c, DROP_RATE);
	copy_packet(ctx, row, cut + ETH_HLEN, length, qfi);
	if (r->how)
		return kernel_tpdu(ctx, c, row, (__u32)cut << 16 | length, ETH_P_IP);
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
	if (row)
		row = row_in_effect(row);
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
