/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* N6 to N3: find the UE, put the outer header on, route it to the gNB. */
#pragma once

#include "deliver.h"
#include "downlink4.h"
#include "downlink6.h"
#include "enter.h"

/* What is not IPv4: an XDP action, or NOT_OURS with the frame untouched. */
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
static __noinline int for_no_ue(struct xdp_md *ctx, struct counters *c)
{
	struct iphdr *ip = frame_ipv4((void *)(long)ctx->data, (void *)(long)ctx->data_end);
	struct dl_rule *rule;

	if (!c || !ip)
		return XDP_DROP;
	rule = find_framed(ip->daddr);
	if (rule)
		return framed(ctx, c, rule);
	if (in_pool(ip->daddr))
		return drop(c, DROP_UNKNOWN_UE);
	return n6_tunnels ? enter(ctx, c) : NOT_OURS;
}

/* An XDP action, or with the frame untouched NOT_OURS, TO_UE6 or FOR_NO_UE. */
static __always_inline int downlink(struct xdp_md *ctx, struct counters *c)
{
	void *end = (void *)(long)ctx->data_end;
	struct iphdr *ip = frame_ipv4((void *)(long)ctx->data, end);
	struct delivery d = {};
	struct dl_rule rule;
	int v;

	if (!ip)
		return TO_UE6;
	if (!find_downlink(ip->daddr, &rule))
		return FOR_NO_UE;
	if (!ipv4_fits(ip, end - (void *)ip))
		return drop(c, DROP_MALFORMED_INNER);
	if (is_unroutable(ip->saddr))
		return drop(c, DROP_UNROUTABLE);
	if (rule.verdict == VERDICT_CHAIN)
		return downlink_first(ctx, c, rule.teid, ip->daddr, 0);
	v = check_packet(ctx, ip, rule.verdict);
	if (v != ACCEPTED && outer6 && rule.verdict == VERDICT_OUTER6) {
		v = check_downlink(ctx, ip);
		return v != ACCEPTED ? drop(c, v) : deliver_rule6(&rule, bpf_ntohs(ip->tot_len));
	}
	if (v != ACCEPTED)
		return drop(c, v);
	if (!address(&d, rule.peer, rule.teid, rule.qfi))
		return drop(c, DROP_NO_ROUTE);
	d.length = bpf_ntohs(ip->tot_len);
	return forward_packet(ctx, c, ip, false, d, NULL, false);
}
