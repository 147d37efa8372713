/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* N6 to N3, IPv6 packets. */
#pragma once

#include "chain6.h"
#include "deliver.h"

/* The packet has no hop left; who sent it is told. */
static __noinline int expired6(struct xdp_md *ctx, struct counters *c)
{
	struct ipv6hdr *ip = frame_ipv6((void *)(long)ctx->data, (void *)(long)ctx->data_end);

	if (!c || !ip)
		return XDP_DROP;
	notice_packet(ctx, ETH_HLEN, ipv6_length(ip), ue_hash(&ip->daddr), NOTICE_EXPIRED);
	return drop(c, DROP_TTL);
}

static __always_inline int downlink_rows6(struct xdp_md *ctx, struct counters *c, __u32 chain, __u32 entrance)
{
	struct ipv6hdr *ip = frame_ipv6((void *)(long)ctx->data, (void *)(long)ctx->data_end);
	struct delivery d = {};
	struct search6 *s = search6_new(0);
	struct row *row;

	if (!ip || !s)
		return XDP_DROP;
	s->search.flow.entrance = entrance;
	flow6_read(ctx, &s->search.flow, &s->flow, ip, ETH_HLEN, true);
	row = chain_find6(s, chain);
	if (row)
		row = row_in_effect6(s, row);
	if (!row)
		return drop(c, s->search.why);
	d.length = ipv6_length(ip);
	if (row->verdict != VERDICT_FORWARD && row->verdict != VERDICT_HOLD)
		return drop(c, row->verdict - VERDICT_DROP);
	if (ip->hop_limit <= 1)
		return expired6(ctx, c);
	if (row->verdict == VERDICT_HOLD) {
		hold_packet(ctx, row->teid, ETH_HLEN, d.length, 0);
		return drop(c, DROP_BUFFERED);
	}
	if (outer6 && row->flags & ROW_OUTER6)
		return deliver_row6(row, d.length);
	if (!address(&d, row->peer, row->teid, row->qfi))
		return drop(c, DROP_NO_ROUTE);
	d.marking = row->marking;
	if (row->qfi & PSC_PPP)
		d.kept = ppi_container(row->qfi, row->exit);
	return forward_packet(ctx, c, ip, true, d, row, true);
}

/* A packet whose UE's prefix has a chain of rows. Not static, for the verifier. */
__noinline int downlink_chain6(struct xdp_md *ctx, struct counters *c, __u32 chain, __u32 entrance)
{
	if (!c)
		return XDP_DROP;
	chain_enter(c);
	return chain_leave(c, downlink_rows6(ctx, c, chain, entrance));
}

/* An XDP action, or NOT_OURS with the frame untouched. Not static, for the verifier. */
__noinline int downlink6(struct xdp_md *ctx, struct counters *c)
{
	void *end = (void *)(long)ctx->data_end;
	struct ipv6hdr *ip = frame_ipv6((void *)(long)ctx->data, end);
	struct delivery d = {};
	struct dl_rule *rule;
	struct addr6 to;

	if (!ip || !c)
		return NOT_OURS;
	to = addr6_of(&ip->daddr);
	rule = find_rule6(&to);
	if (!rule)
		return in_pool6(&to) ? drop(c, DROP_UNKNOWN_UE) : NOT_OURS;
	if (ipv6_length(ip) > end - (void *)ip)
		return drop(c, DROP_MALFORMED_INNER);
	if (is_local6(ip))
		return drop(c, DROP_UNROUTABLE);
	if (rule->verdict == VERDICT_CHAIN)
		return downlink_chain6(ctx, c, rule->teid, 0);
	if (rule->verdict != VERDICT_FORWARD && !(outer6 && rule->verdict == VERDICT_OUTER6))
		return drop(c, rule->verdict - VERDICT_DROP);
	if (ip->hop_limit <= 1)
		return expired6(ctx, c);
	if (outer6 && rule->verdict == VERDICT_OUTER6)
		return deliver_rule6(rule, ipv6_length(ip));
	if (!address(&d, rule->peer, rule->teid, rule->qfi))
		return drop(c, DROP_NO_ROUTE);
	d.length = ipv6_length(ip);
	return forward_packet(ctx, c, ip, true, d, NULL, false);
}
