/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What is neither a tunnel's nor a UE's. The kernel gets what it does not
 * forward: ARP, neighbour discovery, and IP to the machine itself. The rest would
 * be routed past all sessions, from N3 to N6 or back. */
#pragma once

#include "config.h"
#include "counters.h"
#include "route6.h"

static __always_inline bool is_multicast(__be32 address)
{
	return (address & bpf_htonl(0xf0000000)) == bpf_htonl(0xe0000000) ||
	       address == 0xffffffff;
}

static __always_inline bool kernel_forwards(int code)
{
	return code != BPF_FIB_LKUP_RET_NOT_FWDED && code != BPF_FIB_LKUP_RET_FWD_DISABLED;
}

/* PFCP that came in by another interface than N4's. The first fragment is enough:
 * the socket, too, is bound to the interface. */
static __always_inline bool is_foreign_pfcp(struct xdp_md *ctx, const struct iphdr *ip, void *end)
{
	const struct udphdr *udp;

	if (!n4_address || ip->daddr != n4_address || ctx->ingress_ifindex == n4_ifindex ||
	    ip->protocol != IPPROTO_UDP || ip->frag_off & IP_OFFSET || ip->ihl < 5)
		return false;
	udp = (void *)ip + ip->ihl * 4u;
	return (void *)(udp + 1) <= end && udp->dest == n4_port;
}

/* The same over IPv6, without extension headers. */
static __always_inline bool is_foreign_pfcp6(struct xdp_md *ctx, const struct ipv6hdr *ip, void *end)
{
	const struct udphdr *udp = (void *)(ip + 1);
	struct addr6 to = addr6_of(&ip->daddr);

	return (n4_address6.word[0] | n4_address6.word[1]) && to.word[0] == n4_address6.word[0] &&
	       to.word[1] == n4_address6.word[1] && ctx->ingress_ifindex != n4_ifindex && ip->nexthdr == IPPROTO_UDP &&
	       (void *)(udp + 1) <= end && udp->dest == n4_port;
}

static __noinline int plain_ipv4(struct xdp_md *ctx)
{
	struct iphdr *ip = frame_ipv4((void *)(long)ctx->data, (void *)(long)ctx->data_end);
	struct bpf_fib_lookup fib = {
		.family = AF_INET,
		.ifindex = ctx->ingress_ifindex,
	};

	if (!ip || is_multicast(ip->daddr))
		return XDP_PASS;
	fib.ipv4_dst = ip->daddr;
	return kernel_forwards(bpf_fib_lookup(ctx, &fib, sizeof(fib), 0)) ? XDP_DROP : XDP_PASS;
}

static __noinline int plain_ipv6(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct ipv6hdr *ip = data + ETH_HLEN;
	struct bpf_fib_lookup fib = {
		.family = AF_INET6,
		.ifindex = ctx->ingress_ifindex,
	};
	__u8 *to;

	if ((void *)(ip + 1) > end)
		return XDP_PASS;
	to = ip->daddr.in6_u.u6_addr8;
	if (to[0] == 0xff || (to[0] == 0xfe && (to[1] & 0xc0) == 0x80)) /* multicast, link-local */
		return XDP_PASS;
	__builtin_memcpy(fib.ipv6_dst, to, sizeof(fib.ipv6_dst));
	return kernel_forwards(bpf_fib_lookup(ctx, &fib, sizeof(fib), 0)) ? XDP_DROP : XDP_PASS;
}

/* may_route is what the configuration must allow for the packet to be routed. */
static __noinline int plain(struct xdp_md *ctx, struct counters *c, __u32 may_route)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct iphdr *ip = frame_ipv4(data, end);
	struct ipv6hdr *six = frame_ipv6(data, end);
	struct ethhdr *eth = data;
	int verdict = XDP_PASS;

	if (!c)
		return XDP_DROP;
	if (ip && is_foreign_pfcp(ctx, ip, end))
		return drop(c, DROP_PFCP);
	if (six && is_foreign_pfcp6(ctx, six, end))
		return drop(c, DROP_PFCP);
	if (allowed & may_route)
		return pass(c);
	if (ip)
		verdict = plain_ipv4(ctx);
	else if ((void *)(eth + 1) <= end && eth->h_proto == bpf_htons(ETH_P_IPV6))
		verdict = plain_ipv6(ctx);
	return verdict == XDP_PASS ? pass(c) : drop(c, DROP_NO_TUNNEL);
}
