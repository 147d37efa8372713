/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* N6 to N3, IPv4 packets whose UE has a chain of rows. */
#pragma once

#include "chain.h"
#include "deliver.h"
#include "hold.h"

/* The packet from N6 may be sent on; who sent one whose TTL runs out is told. */
static __always_inline int check_downlink(struct xdp_md *ctx, const struct iphdr *ip)
{
	int v = check_header(ctx, ip, ETH_HLEN);

	if (v == DROP_TTL)
		notice_packet(ctx, ETH_HLEN, bpf_ntohs(ip->tot_len), ip->daddr, NOTICE_EXPIRED);
	return v;
}

/* The packet may be forwarded where the verdict is to. Returns ACCEPTED or a reason. */
static __always_inline int check_packet(struct xdp_md *ctx, const struct iphdr *ip, __u8 verdict)
{
	if (verdict != VERDICT_FORWARD)
		return verdict - VERDICT_DROP;
	return check_downlink(ctx, ip);
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

#define RARE (-16) /* the row has a quota action, or gives the packet a Paging Policy Indicator: downlink_chain forwards it */

/* most: without what few rows ask for, so that the others cost no call. */
static __always_inline int downlink_rows(struct xdp_md *ctx, struct counters *c, __u32 chain, __be32 key, __u32 entrance, bool most)
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
	if (row && row->limited >> LIMITED_ACTION) {
		if (most)
			return RARE;
		row = row_in_effect(row);
	}
	if (!row)
		return drop(c, why);
	v = check_packet(ctx, ip, row->verdict == VERDICT_HOLD ? VERDICT_FORWARD : row->verdict);
	if (v != ACCEPTED)
		return drop(c, v);
	if (row->verdict == VERDICT_HOLD) {
		hold_packet(ctx, row->teid, ETH_HLEN, bpf_ntohs(ip->tot_len), 0);
		return drop(c, DROP_BUFFERED);
	}
	if (outer6 && row->flags & ROW_OUTER6)
		return deliver_row6(row, bpf_ntohs(ip->tot_len));
	if (!address(&d, row->peer, row->teid, row->qfi))
		return drop(c, DROP_NO_ROUTE);
	d.length = bpf_ntohs(ip->tot_len);
	d.marking = row->marking;
	if (row->qfi & PSC_PPP) {
		if (most)
			return RARE;
		d.kept = ppi_container(row->qfi, row->exit);
	}
	return forward_packet(ctx, c, ip, false, d, row, !most);
}

/* A packet whose UE address has a chain of rows. entrance is the tunnel on N6 that it came
 * by. Not static, for the verifier. */
__noinline int downlink_chain(struct xdp_md *ctx, struct counters *c, __u32 chain, __be32 key, __u32 entrance)
{
	if (!c)
		return XDP_DROP;
	chain_enter(c);
	return chain_leave(c, downlink_rows(ctx, c, chain, key, entrance, false));
}

/* The same, without a call, for what comes this way often. */
static __always_inline int downlink_first(struct xdp_md *ctx, struct counters *c, __u32 chain, __be32 key, __u32 entrance)
{
	int verdict;

	chain_enter(c);
	verdict = chain_leave(c, downlink_rows(ctx, c, chain, key, entrance, true));
	return verdict == RARE ? downlink_chain(ctx, c, chain, key, entrance) : verdict;
}
