/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* For a NIC that cannot spread packets by what is in their tunnels, which puts all of a gNB
 * into one receive queue: the program at the interface chooses a CPU by TEID or by UE address, and
 * the forwarding program runs there, at the entry of a cpumap. A session's packets of one
 * direction stay in order, for they go through one queue. */
#pragma once

#include "config.h"
#include "gtpu.h"

#define SPREAD_MAX 64

const volatile __u32 spread_count;	     /* CPUs */
const volatile __u32 spread_cpus[SPREAD_MAX]; /* their numbers */

struct spread_map {
	__uint(type, BPF_MAP_TYPE_CPUMAP);
	__uint(max_entries, 1); /* user space sets it */
	__type(key, __u32);
	__type(value, struct bpf_cpumap_val);
};

/* One for each program that is at the other end. */
struct spread_map spread_n3_to SEC(".maps");
struct spread_map spread_n6_to SEC(".maps");

/* Packets given to each of the CPUs, in the order of spread_cpus. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, SPREAD_MAX);
	__type(key, __u32);
	__type(value, __u64);
} spread_given SEC(".maps");

/* The TEID of a G-PDU behind UDP's header; 0 for all else, which has one CPU. */
static __always_inline __u32 spread_teid(const struct udphdr *udp, const void *end)
{
	const struct gtpu *gtp = (const void *)(udp + 1);

	if ((const void *)(gtp + 1) > end || udp->dest != bpf_htons(GTPU_PORT) || gtp->type != GTPU_G_PDU)
		return 0;
	return gtp->teid;
}

static __always_inline bool spread_at_n3(const struct ipv6hdr *six)
{
	struct addr6 to = addr6_of(&six->daddr);

	return outer6 && to.word[0] == n3_address6.word[0] && to.word[1] == n3_address6.word[1];
}

/* What a packet is spread by: its tunnel, else its destination. */
static __always_inline __u32 spread_key(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct iphdr *ip = frame_ipv4(data, end);
	struct ipv6hdr *six = frame_ipv6(data, end);

	if (ip && ip->daddr == n3_address)
		return ip->protocol == IPPROTO_UDP && !(ip->frag_off & IP_FRAGMENT) ? spread_teid((void *)ip + ip->ihl * 4u, end) : 0;
	if (ip)
		return ip->daddr;
	if (!six)
		return 0;
	if (spread_at_n3(six))
		return six->nexthdr == IPPROTO_UDP ? spread_teid((void *)(six + 1), end) : 0;
	return ue_hash(&six->daddr);
}

static __always_inline int spread(struct xdp_md *ctx, void *to)
{
	__u32 hash = bpf_ntohl(spread_key(ctx)) * 0x9e3779b1u;
	__u32 slot = (((hash >> 16) * spread_count) >> 16) & (SPREAD_MAX - 1);
	__u32 cpu = spread_cpus[slot];
	__u64 *given = bpf_map_lookup_elem(&spread_given, &slot);

	if (given)
		++*given;
	return bpf_redirect_map(to, cpu, XDP_DROP);
}

SEC("xdp")
int spread_n3(struct xdp_md *ctx)
{
	return spread(ctx, &spread_n3_to);
}

SEC("xdp")
int spread_n6(struct xdp_md *ctx)
{
	return spread(ctx, &spread_n6_to);
}
