/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* N3 to N6, IPv6 T-PDUs: search their chain of rows and route them. */
#pragma once

#include "chain6.h"
#include "exit.h"
#include "meter.h"
#include "notice.h"
#include "relay.h"
#include "route6.h"
#include "tpdu.h"
#include "usage.h"

/* The T-PDU may be forwarded, but for its route. Returns ACCEPTED or a reason. */
static __always_inline int check_hop6(struct xdp_md *ctx, const struct ipv6hdr *ip, __u32 at)
{
	__u32 end = at + ipv6_length(ip);
	struct upper u;
	struct udphdr udp;

	if (ip->hop_limit <= 1) {
		notice_packet(ctx, at, ipv6_length(ip), ue_hash(&ip->saddr), NOTICE_UPLINK | NOTICE_EXPIRED);
		return DROP_TTL;
	}
	if (allowed & ALLOW_NESTED)
		return ACCEPTED;
	upper_find(ctx, ip, at, &u);
	if (u.state == UPPER_ENDLESS)
		return DROP_MALFORMED_INNER;
	if (u.state != UPPER_WHOLE || u.protocol != IPPROTO_UDP || u.at > FRAME_MAX || u.at + sizeof(udp) > end ||
	    bpf_xdp_load_bytes(ctx, u.at, &udp, sizeof(udp)))
		return ACCEPTED;
	return udp.dest == bpf_htons(GTPU_PORT) ? DROP_NESTED : ACCEPTED;
}

static __always_inline int unrouted6(struct counters *c, int status)
{
	switch (status) {
	case ROUTE_LOCAL:
		return drop(c, DROP_TO_UPF);
	}
	return drop(c, status == ROUTE_EGRESS ? DROP_EGRESS : DROP_NO_ROUTE);
}

/* row is NULL where the PDR is a plain one. */
static __always_inline int forward_tpdu6(struct xdp_md *ctx, struct counters *c, struct ipv6hdr *ip, __u32 cut,
					 const struct row *row, __u32 qfi)
{
	struct addr6 to = addr6_of(&ip->daddr);
	__u32 length = ipv6_length(ip);
	struct route *r = NULL;
	int status = route_get6(ctx, &to, UPLINK, &r);
	void *frame;

	if (status > ROUTE_KERNEL || !r)
		return unrouted6(c, status);
	if (length > r->mtu) {
		notice_packet(ctx, cut + ETH_HLEN, length, ue_hash(&ip->saddr), r->mtu | NOTICE_UPLINK);
		return drop(c, DROP_TOO_BIG);
	}
	if (row && !usages_admit(row))
		return drop(c, DROP_QUOTA);
	if (row && !meters_admit(row, length))
		return drop(c, DROP_RATE);
	copy_packet(ctx, row, cut + ETH_HLEN, length, qfi & PSC_QFI);
	if (r->how)
		return kernel_tpdu(ctx, c, row, cut << 16 | length, ETH_P_IPV6);
	ip->hop_limit--;
	if (bpf_xdp_adjust_head(ctx, (int)cut))
		return drop(c, DROP_HEADROOM);
	frame = (void *)(long)ctx->data;
	if (frame + ETH_HLEN > (void *)(long)ctx->data_end)
		return drop(c, DROP_MALFORMED_INNER);
	route_write(frame, r, ETH_P_IPV6);
	c->ul_packets++;
	c->ul_bytes += length;
	if (row)
		usages_count(row, length, 0);
	return route_send(r);
}

/* The IPv6 header at an offset in the frame. */
static __always_inline struct ipv6hdr *ipv6_at(struct xdp_md *ctx, __u32 at)
{
	struct ipv6hdr *ip = (void *)(long)ctx->data + (at & (FRAME_MAX - 1));

	return (void *)(ip + 1) > (void *)(long)ctx->data_end ? NULL : ip;
}

static __always_inline int uplink_rows6(struct xdp_md *ctx, struct counters *c, __u32 at, __u32 qfi, __u32 chain)
{
	struct ipv6hdr *ip = ipv6_at(ctx, at);
	struct search6 *s = search6_new(qfi & PSC_QFI);
	struct row *row;
	int v;

	if (!ip || !s)
		return XDP_DROP;
	if (qfi & RELAY_DOWNLINK)
		flow6_read(ctx, &s->search.flow, &s->flow, ip, at, true);
	else
		flow6_read(ctx, &s->search.flow, &s->flow, ip, at, false);
	row = chain_find6(s, chain);
	if (row)
		row = row_in_effect6(s, row);
	if (!row)
		return drop(c, s->search.why);
	if (row->verdict == VERDICT_HOLD)
		return hold_tpdu(ctx, c, row, at << 16 | ipv6_length(ip), qfi & PSC_QFI);
	if (row->verdict != VERDICT_FORWARD)
		return drop(c, row->verdict - VERDICT_DROP);
	if (row->flags & ROW_RELAY)
		return relay(ctx, c, row, (at - ETH_HLEN) << 16 | ipv6_length(ip), qfi);
	if (is_local6(ip))
		return drop(c, DROP_UNROUTABLE);
	v = check_hop6(ctx, ip, at);
	if (v != ACCEPTED)
		return drop(c, v);
	if (n6_tunnels && row->flags & ROW_EXIT)
		return exit_tpdu(ctx, c, row, (at - ETH_HLEN) << 16 | ipv6_length(ip), qfi);
	return forward_tpdu6(ctx, c, ip, at - ETH_HLEN, row, qfi);
}

/* An IPv6 T-PDU whose TEID has a chain of rows. Not static, for the verifier. */
__noinline int uplink_chain6(struct xdp_md *ctx, struct counters *c, __u32 at, __u32 chain, __u32 qfi)
{
	if (!c)
		return XDP_DROP;
	chain_enter(c);
	return chain_leave(c, uplink_rows6(ctx, c, at, qfi, chain));
}

/* A plain PDR. Not static, for the verifier. */
__noinline int uplink_plain6(struct xdp_md *ctx, struct counters *c, __u32 at)
{
	struct ipv6hdr *ip = ipv6_at(ctx, at);
	int v;

	if (!c || !ip)
		return XDP_DROP;
	v = check_hop6(ctx, ip, at);
	if (v != ACCEPTED)
		return drop(c, v);
	return forward_tpdu6(ctx, c, ip, at - ETH_HLEN, NULL, 0);
}

/* A PDR wants the T-PDU. */
static __always_inline int check_plain6(const struct ul_rule6 *rule, const struct addr6 *from, __u8 qfi)
{
	if (!addr6_under(from, &rule->mask, &rule->ue))
		return DROP_SOURCE_MISMATCH;
	if (rule->qfi && rule->qfi != qfi)
		return DROP_QFI_MISMATCH;
	if (rule->verdict != VERDICT_FORWARD)
		return rule->verdict - VERDICT_DROP;
	return ACCEPTED;
}

/* An IPv6 T-PDU at an offset in the frame, of a TEID that there is, with room for so many
 * octets. Not static, for the verifier. */
__noinline int uplink6(struct xdp_md *ctx, struct counters *c, __u32 teid, __u32 at, __u32 room_qfi)
{
	struct ipv6hdr *ip = ipv6_at(ctx, at);
	__u32 room = room_qfi & 0xffff;
	__u8 qfi = room_qfi >> 16;
	struct ul_rule6 *rule;
	struct addr6 from;
	int v;

	if (!c)
		return XDP_DROP;
	if (!ip || room < sizeof(*ip) || ipv6_length(ip) > room)
		return drop(c, DROP_MALFORMED_INNER);
	rule = bpf_map_lookup_elem(&uplink_rules6, &teid);
	if (!rule)
		return drop(c, DROP_SOURCE_MISMATCH);
	accept_tpdu(c, rule->verdict == VERDICT_CHAIN && rule->qfi & CHAIN_DOWNLINK, ipv6_length(ip));
	if (is_local6(ip) && !(rule->verdict == VERDICT_CHAIN && rule->qfi & CHAIN_RELAYS)) {
		notice_packet(ctx, at, ipv6_length(ip), teid, NOTICE_UPLINK);
		return drop(c, DROP_UNROUTABLE);
	}
	if (rule->verdict == VERDICT_CHAIN)
		return uplink_chain6(ctx, c, at, rule->chain, qfi | (rule->qfi & CHAIN_DOWNLINK ? RELAY_DOWNLINK : 0));
	from = addr6_of(&ip->saddr);
	v = check_plain6(rule, &from, qfi);
	if (v != ACCEPTED)
		return drop(c, v);
	return uplink_plain6(ctx, c, at);
}
