/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* N6 to N3: find the UE, put the outer header on, route it to the gNB. */
#pragma once

#include "checksum.h"
#include "config.h"
#include "counters.h"
#include "gtpu.h"
#include "route.h"
#include "rules.h"

#define NOT_OURS (-1)
#define ACCEPTED (-2)

/* The outer header as it lies in dl_rule.outer. */
struct outer {
	struct iphdr ip;
	struct udphdr udp;
	struct gtpu gtp;
} __attribute__((packed));

_Static_assert(sizeof(struct outer) == OUTER_PLAIN, "outer header");

/* The packet is one that the rule forwards. Returns ACCEPTED or a reason. */
static __always_inline int check_packet(const struct iphdr *ip, void *end,
					const struct dl_rule *rule)
{
	if (!ipv4_fits(ip, end - (void *)ip))
		return DROP_MALFORMED_INNER;
	if (rule->verdict != VERDICT_FORWARD)
		return rule->verdict - VERDICT_DROP;
	if (ip->ttl <= 1)
		return DROP_TTL;
	return ACCEPTED;
}

/* Write the outer header at pos: the rule's octets, then what depends on the
 * packet. length is the T-PDU's; outer_len a constant where this is inlined.
 * The UDP checksum stays 0 (RFC 768: none). */
static __always_inline void write_outer(void *pos, const struct dl_rule *rule, __u32 length,
					__u16 id, const __u32 outer_len)
{
	struct outer *o = pos;
	__u32 total = length + outer_len;

	__builtin_memcpy(pos, rule->outer, outer_len);
	o->ip.tot_len = bpf_htons(total);
	o->ip.id = id;
	o->ip.check = checksum_fold(rule->sum + bpf_htons(total) + id);
	o->udp.len = bpf_htons(total - sizeof(o->ip));
	o->gtp.length = bpf_htons(total - sizeof(*o));
}

/* Make room and write both headers. outer_len is a constant. */
static __always_inline bool encapsulate(struct xdp_md *ctx, const struct dl_rule *rule,
					const struct route *r, __u32 length, __u16 id,
					const __u32 outer_len)
{
	void *frame;

	if (bpf_xdp_adjust_head(ctx, -(int)outer_len))
		return false;
	frame = (void *)(long)ctx->data;
	if (frame + ETH_HLEN + outer_len > (void *)(long)ctx->data_end)
		return false;
	route_write(frame, r);
	write_outer(frame + ETH_HLEN, rule, length, id, outer_len);
	return true;
}

static __always_inline int forward_packet(struct xdp_md *ctx, struct counters *c, struct iphdr *ip,
					  const struct dl_rule *rule)
{
	const struct outer *o = (void *)rule->outer;
	__u32 length = bpf_ntohs(ip->tot_len);
	struct route *r = NULL;
	__u16 id = c->dl_packets;
	bool done;

	if (route_get(ctx, o->ip.daddr, DOWNLINK, &r) != ROUTE_OK || !r)
		return drop(c, DROP_NO_ROUTE);
	if (length + rule->outer_len > r->mtu)
		return drop(c, DROP_TOO_BIG);
	ipv4_decrement_ttl(ip);
	if (rule->outer_len == OUTER_PSC)
		done = encapsulate(ctx, rule, r, length, id, OUTER_PSC);
	else
		done = encapsulate(ctx, rule, r, length, id, OUTER_PLAIN);
	if (!done)
		return drop(c, DROP_HEADROOM);
	c->dl_packets++;
	c->dl_bytes += length;
	return bpf_redirect(r->ifindex, 0);
}

/* An XDP action, or NOT_OURS with the frame untouched. */
static __always_inline int downlink(struct xdp_md *ctx, struct counters *c)
{
	void *end = (void *)(long)ctx->data_end;
	struct iphdr *ip = frame_ipv4((void *)(long)ctx->data, end);
	struct dl_rule *rule;
	int v;

	if (!ip)
		return NOT_OURS;
	rule = bpf_map_lookup_elem(&downlink_rules, &ip->daddr);
	if (!rule)
		return in_pool(ip->daddr) ? drop(c, DROP_UNKNOWN_UE) : NOT_OURS;
	v = check_packet(ip, end, rule);
	if (v != ACCEPTED)
		return drop(c, v);
	return forward_packet(ctx, c, ip, rule);
}
