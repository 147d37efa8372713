/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* N3 to N6: find the tunnel, take the outer header off, route the T-PDU. */
#pragma once

#include "ecn.h"
#include "punt.h"
#include "tpdu.h"
#include "uplink4.h"
#include "uplink6.h"

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
	if (v == ACCEPTED)
		accept_tpdu(c, rule.verdict == VERDICT_CHAIN && rule.qfi & CHAIN_DOWNLINK, bpf_ntohs(t.ip->tot_len));
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
