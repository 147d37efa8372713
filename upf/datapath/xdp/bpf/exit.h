/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Tunnels on N6: a T-PDU leaves in an outer header of UDP/IP or of IP, TS 29.244 clause
 * 8.2.56. */
#pragma once

#include "outer6.h"

/* The values of session.Encapsulation. */
enum encapsulation {
	IN_NONE, /* on N6; GTP-U elsewhere */
	IN_UDPV4,
	IN_UDPV6,
	IN_IPV4,
	IN_IPV6,
};

static __always_inline bool in_udp(__u8 kind)
{
	return kind == IN_UDPV4 || kind == IN_UDPV6;
}

static __always_inline bool in_ipv6(__u8 kind)
{
	return kind == IN_UDPV6 || kind == IN_IPV6;
}

/* How long the outer headers are. */
static __always_inline __u32 exit_octets(__u8 kind)
{
	return (in_ipv6(kind) ? sizeof(struct ipv6hdr) : sizeof(struct iphdr)) + (in_udp(kind) ? sizeof(struct udphdr) : 0);
}

/* What the outer IP header says is in it. six: the T-PDU is IPv6. */
static __always_inline __u8 exit_protocol(__u8 kind, bool six)
{
	if (in_udp(kind))
		return IPPROTO_UDP;
	return six ? IPPROTO_IPV6 : IPPROTO_IPIP;
}

#define EXIT_SIX 0x100 /* beside the type of service of the outer header: the T-PDU is IPv6 */

/* The checksum is 0, over IPv4: none. */
static __always_inline void write_exit_udp(struct udphdr *udp, const struct row *row, __u32 length)
{
	udp->source = n6_port;
	udp->dest = row->teid;
	udp->len = bpf_htons(length);
	udp->check = 0;
}

static __always_inline bool write_exit4(struct xdp_md *ctx, const struct row *row, __be32 peer, __u16 id, __u32 total, __u32 tos_six)
{
	void *end = (void *)(long)ctx->data_end;
	struct iphdr *ip = (void *)(long)ctx->data + ETH_HLEN;
	const __u16 *word = (void *)ip;
	__u32 sum = 0;

	if ((void *)(ip + 1) + sizeof(struct udphdr) > end) /* a T-PDU has more than a UDP header */
		return false;
	ip->version = 4;
	ip->ihl = 5;
	ip->tos = tos_six;
	ip->tot_len = bpf_htons(total);
	ip->id = id;
	ip->frag_off = 0;
	ip->ttl = OUTER_TTL;
	ip->protocol = exit_protocol(row->exit, tos_six & EXIT_SIX);
	ip->check = 0;
	ip->saddr = n6_address;
	ip->daddr = peer;
#pragma unroll
	for (int i = 0; i < 10; i++)
		sum += word[i];
	ip->check = checksum_finish32(sum);
	if (in_udp(row->exit))
		write_exit_udp((void *)(ip + 1), row, total - sizeof(*ip));
	return true;
}

static __always_inline bool write_exit6(struct xdp_md *ctx, const struct row *row, const struct addr6 *peer, __u32 total, __u32 tos_six)
{
	struct ipv6hdr *ip = (void *)(long)ctx->data + ETH_HLEN;
	struct addr6 from = {.word = {n6_address6.word[0], n6_address6.word[1]}};
	__u32 payload = total - sizeof(*ip);
	__u16 check;

	if ((void *)(ip + 1) + sizeof(struct udphdr) > (void *)(long)ctx->data_end)
		return false;
	*(__be32 *)ip = bpf_htonl(6u << 28 | (tos_six & 0xff) << 20);
	ip->payload_len = bpf_htons(payload);
	ip->nexthdr = exit_protocol(row->exit, tos_six & EXIT_SIX);
	ip->hop_limit = OUTER_TTL;
	__builtin_memcpy(&ip->saddr, &from, sizeof(ip->saddr));
	__builtin_memcpy(&ip->daddr, peer, sizeof(ip->daddr));
	if (!in_udp(row->exit))
		return true;
	write_exit_udp((void *)(ip + 1), row, payload);
	check = outer6_checksum(ctx, payload);
	ip = (void *)(long)ctx->data + ETH_HLEN;
	if ((void *)(ip + 1) + sizeof(struct udphdr) > (void *)(long)ctx->data_end)
		return false;
	((struct udphdr *)(ip + 1))->check = check;
	return true;
}

/* Where the tunnel of a row leads; NULL: it is not there, or has no route. */
static __always_inline struct route *exit_route(struct xdp_md *ctx, const struct row *row, struct addr6 **six, __be32 **four)
{
	struct route *r = NULL;
	__u32 at = row->peer;
	int status;

	if (in_ipv6(row->exit)) {
		*six = bpf_map_lookup_elem(&peers6, &at);
		status = *six ? route_get6(ctx, *six, UPLINK, &r) : ROUTE_NONE;
	} else {
		*four = bpf_map_lookup_elem(&peers, &at);
		status = *four ? route_get(ctx, **four, UPLINK, &r) : ROUTE_NONE;
	}
	return status <= ROUTE_KERNEL ? r : NULL;
}

/* cut_length is what goes in front of the T-PDU, after the Ethernet header, and its length.
 * The T-PDU may be forwarded, but for its route. Not static, for the verifier. */
__noinline int exit_tpdu(struct xdp_md *ctx, struct counters *c, const struct row *row, __u32 cut_length, __u32 qfi)
{
	__u32 cut = cut_length >> 16, length = cut_length & 0xffff, outer, tos_six;
	struct addr6 *peer6 = NULL;
	__be32 *peer = NULL;
	struct iphdr *ip;
	struct route *r;
	void *frame;
	bool six;

	if (!c || !row)
		return XDP_DROP;
	outer = exit_octets(row->exit);
	r = exit_route(ctx, row, &peer6, &peer);
	if (!r)
		return drop(c, DROP_NO_ROUTE);
	ip = (void *)(long)ctx->data + ((ETH_HLEN + cut) & (FRAME_MAX - 1));
	if ((void *)(ip + 1) > (void *)(long)ctx->data_end)
		return drop(c, DROP_MALFORMED_INNER);
	six = ip->version == 6;
	if (length + outer > r->mtu && !six && !(ip->frag_off & IP_DF)) {
		route_slowly(r, r->mtu, MTU_MAX);
	} else if (length + outer > r->mtu) {
		struct in6_addr from;

		if (!six)
			notice_packet(ctx, ETH_HLEN + cut, length, ip->saddr, (r->mtu - outer) | NOTICE_UPLINK);
		if (six && !bpf_xdp_load_bytes(ctx, ETH_HLEN + cut + __builtin_offsetof(struct ipv6hdr, saddr), &from, sizeof(from)))
			notice_packet(ctx, ETH_HLEN + cut, length, ue_hash(&from), (r->mtu - outer) | NOTICE_UPLINK);
		return drop(c, DROP_TOO_BIG);
	}
	if (!usages_admit(row))
		return drop(c, DROP_QUOTA);
	if (!meters_admit(row, length))
		return drop(c, DROP_RATE);
	copy_packet(ctx, row, ETH_HLEN + cut, length, qfi & PSC_QFI);
	ip = (void *)(long)ctx->data + ((ETH_HLEN + cut) & (FRAME_MAX - 1));
	if ((void *)(ip + 1) > (void *)(long)ctx->data_end)
		return drop(c, DROP_MALFORMED_INNER);
	tos_six = row->marking | ecn_of(ip) | (six ? EXIT_SIX : 0);
	if (six)
		((__u8 *)ip)[__builtin_offsetof(struct ipv6hdr, hop_limit)]--;
	else
		ipv4_decrement_ttl(ip);
	if (bpf_xdp_adjust_head(ctx, (int)cut - (int)outer))
		return drop(c, DROP_HEADROOM);
	frame = (void *)(long)ctx->data;
	if (frame + ETH_HLEN > (void *)(long)ctx->data_end)
		return drop(c, DROP_MALFORMED_INNER);
	route_write(frame, r, in_ipv6(row->exit) ? ETH_P_IPV6 : ETH_P_IP);
	if (peer6 ? !write_exit6(ctx, row, peer6, length + outer, tos_six) :
		    !peer || !write_exit4(ctx, row, *peer, c->ul_packets, length + outer, tos_six))
		return drop(c, DROP_MALFORMED_INNER);
	c->ul_packets++;
	c->ul_bytes += length;
	usages_count(row, length, 0);
	return route_send(r);
}
