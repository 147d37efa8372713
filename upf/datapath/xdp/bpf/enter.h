/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Tunnels on N6: what comes in an outer header of UDP/IP or of IP, TS 29.244 clause 8.2.64. */
#pragma once

#include "downlink4.h"
#include "downlink6.h"
#include "ecn.h"
#include "exit.h"

/* What is in the outer headers. */
struct entrance {
	__u32 at;   /* of the T-PDU, in the frame */
	__u32 room; /* octets that they give to it */
	__u8 kind, protocol;
	__u8 ecn; /* of the outer IP header */
};

static __always_inline bool is_tunnelled(__u8 protocol)
{
	return (protocol == IPPROTO_UDP && n6_port) || protocol == IPPROTO_IPIP || protocol == IPPROTO_IPV6;
}

/* The packet's outer IP header. Returns ACCEPTED, NOT_OURS or a reason; fragments, and what
 * has extension headers, are the kernel's. */
static __always_inline int find_outer4(const struct iphdr *ip, void *end, struct entrance *e)
{
	if (ip->daddr != n6_address || !is_tunnelled(ip->protocol) || ip->frag_off & IP_FRAGMENT)
		return NOT_OURS;
	if (!ipv4_fits(ip, end - (void *)ip))
		return DROP_MALFORMED_OUTER;
	e->at = ETH_HLEN + ip->ihl * 4u;
	e->room = bpf_ntohs(ip->tot_len) - ip->ihl * 4u;
	e->protocol = ip->protocol;
	e->kind = ip->protocol == IPPROTO_UDP ? IN_UDPV4 : IN_IPV4;
	e->ecn = ip->tos & ECN_MASK;
	return ACCEPTED;
}

static __always_inline int find_outer6(const struct ipv6hdr *ip, void *end, struct entrance *e)
{
	struct addr6 to = addr6_of(&ip->daddr);

	if (to.word[0] != n6_address6.word[0] || to.word[1] != n6_address6.word[1] || !is_tunnelled(ip->nexthdr))
		return NOT_OURS;
	if (ipv6_length(ip) > end - (void *)ip)
		return DROP_MALFORMED_OUTER;
	e->at = ETH_HLEN + sizeof(*ip);
	e->room = ipv6_length(ip) - sizeof(*ip);
	e->protocol = ip->nexthdr;
	e->kind = ip->nexthdr == IPPROTO_UDP ? IN_UDPV6 : IN_IPV6;
	e->ecn = ecn_of6(ip);
	return ACCEPTED;
}

/* Go behind the UDP header. */
static __always_inline int skip_udp(void *data, void *end, struct entrance *e)
{
	struct udphdr *udp = data + (e->at & 127);
	__u32 length;

	if ((void *)(udp + 1) > end || e->room < sizeof(*udp))
		return DROP_MALFORMED_OUTER;
	if (udp->dest != n6_port)
		return NOT_OURS;
	length = bpf_ntohs(udp->len);
	if (length < sizeof(*udp) || length > e->room)
		return DROP_MALFORMED_OUTER;
	e->at += sizeof(*udp);
	e->room = length - sizeof(*udp);
	return ACCEPTED;
}

/* The T-PDU is an IP packet of the family that the outer header gives. */
static __always_inline int check_entering(void *data, void *end, const struct entrance *e, bool *six)
{
	struct iphdr *ip = data + (e->at & 127);

	if ((void *)(ip + 1) > end || e->room < sizeof(*ip))
		return DROP_MALFORMED_INNER;
	*six = ip->version == 6;
	if (*six) {
		struct ipv6hdr *inner = (void *)ip;

		if ((void *)(inner + 1) > end || e->room < sizeof(*inner) || ipv6_length(inner) > e->room || e->protocol == IPPROTO_IPIP)
			return DROP_MALFORMED_INNER;
		return ACCEPTED;
	}
	if (ip->version != 4 || !ipv4_fits(ip, e->room) || e->protocol == IPPROTO_IPV6)
		return DROP_MALFORMED_INNER;
	return ACCEPTED;
}

/* A packet from N6, of which the outer headers were taken off. */
static __always_inline int entered4(struct xdp_md *ctx, struct counters *c, __u32 kind)
{
	struct iphdr *ip = frame_ipv4((void *)(long)ctx->data, (void *)(long)ctx->data_end);
	struct dl_rule rule, *framed;
	__be32 key;

	if (!ip)
		return XDP_DROP;
	key = ip->daddr;
	if (!find_downlink(key, &rule)) {
		framed = find_framed(key);
		if (!framed)
			return drop(c, DROP_UNKNOWN_UE);
		rule = *framed;
		key = KEY_FRAMED;
	}
	if (is_unroutable(ip->saddr))
		return drop(c, DROP_UNROUTABLE);
	if (rule.verdict != VERDICT_CHAIN)
		return drop(c, DROP_NO_PDR);
	return downlink_chain(ctx, c, rule.teid, key, kind);
}

static __always_inline int entered6(struct xdp_md *ctx, struct counters *c, __u32 kind)
{
	struct ipv6hdr *ip = frame_ipv6((void *)(long)ctx->data, (void *)(long)ctx->data_end);
	struct dl_rule *rule;
	struct addr6 to;

	if (!ip)
		return XDP_DROP;
	to = addr6_of(&ip->daddr);
	rule = find_rule6(&to);
	if (!rule)
		return drop(c, DROP_UNKNOWN_UE);
	if (is_local6(ip))
		return drop(c, DROP_UNROUTABLE);
	if (rule->verdict != VERDICT_CHAIN)
		return drop(c, DROP_NO_PDR);
	return downlink_chain6(ctx, c, rule->teid, kind);
}

/* A packet from N6 for no UE: an XDP action, or NOT_OURS with the frame untouched. Not static,
 * for the verifier. */
__noinline int enter(struct xdp_md *ctx, struct counters *c)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct iphdr *ip = frame_ipv4(data, end);
	struct ipv6hdr *ip6 = frame_ipv6(data, end);
	struct entrance e = {};
	struct ethhdr *eth;
	bool six = false;
	int v = NOT_OURS;

	if (!c)
		return XDP_DROP;
	if (ip && n6_address)
		v = find_outer4(ip, end, &e);
	else if (ip6 && (n6_address6.word[0] | n6_address6.word[1]))
		v = find_outer6(ip6, end, &e);
	if (v == ACCEPTED && e.protocol == IPPROTO_UDP)
		v = skip_udp(data, end, &e);
	if (v == ACCEPTED)
		v = check_entering(data, end, &e, &six);
	if (v == NOT_OURS)
		return NOT_OURS;
	if (v != ACCEPTED)
		return drop(c, v);
	if (ecn_matters(e.ecn) && ecn_decapsulate(ctx, e.at, e.room << 16 | e.ecn) != ACCEPTED)
		return drop(c, DROP_ECN);
	if (bpf_xdp_adjust_head(ctx, (int)e.at - ETH_HLEN))
		return drop(c, DROP_HEADROOM);
	eth = (void *)(long)ctx->data;
	if ((void *)(eth + 1) > (void *)(long)ctx->data_end)
		return drop(c, DROP_MALFORMED_INNER);
	eth->h_proto = six ? bpf_htons(ETH_P_IPV6) : bpf_htons(ETH_P_IP);
	return six ? entered6(ctx, c, e.kind) : entered4(ctx, c, e.kind);
}
