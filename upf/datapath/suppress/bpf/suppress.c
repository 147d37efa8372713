//go:build ignore
/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What a datapath has taken from a ring the kernel must not handle as well:
 * at the ingress of N3 and N6, behind the ring, the packets of the user plane
 * end, without counting as dropped. */
#include <linux/pkt_cls.h>

#include "gtpu.h"

#define POOLS_MAX 16

struct pool {
	__be32 address;
	__be32 mask;
};

const volatile __be32 n3_address;
const volatile __u32 pool_count;
const volatile struct pool pools[POOLS_MAX];

/* The IPv4 header of the packet; false when it has none. */
static __always_inline bool load_ip(struct __sk_buff *skb, struct iphdr *ip)
{
	return skb->protocol == bpf_htons(ETH_P_IP) && !bpf_skb_load_bytes(skb, ETH_HLEN, ip, sizeof(*ip)) &&
	       ip->version == 4;
}

/* GTP-U but for its signalling, which is the kernel's. */
SEC("tc")
int end_n3(struct __sk_buff *skb)
{
	struct {
		struct udphdr udp;
		__u8 flags, type;
	} __attribute__((packed)) h;
	struct iphdr ip;

	if (!load_ip(skb, &ip) || ip.protocol != IPPROTO_UDP || ip.daddr != n3_address || ip.frag_off & IP_FRAGMENT)
		return TC_ACT_UNSPEC;
	if (bpf_skb_load_bytes(skb, ETH_HLEN + ip.ihl * 4, &h, sizeof(h)) || h.udp.dest != bpf_htons(GTPU_PORT))
		return TC_ACT_UNSPEC;
	if ((h.flags & GTPU_VERSION_MASK) == GTPU_VERSION_1 && gtpu_is_signalling(h.type))
		return TC_ACT_UNSPEC;
	return TC_ACT_STOLEN;
}

/* Packets to UEs. */
SEC("tc")
int end_n6(struct __sk_buff *skb)
{
	struct iphdr ip;

	if (!load_ip(skb, &ip))
		return TC_ACT_UNSPEC;
	for (__u32 i = 0; i < POOLS_MAX && i < pool_count; i++)
		if ((ip.daddr & pools[i].mask) == pools[i].address)
			return TC_ACT_STOLEN;
	return TC_ACT_UNSPEC;
}

char _license[] SEC("license") = "Dual BSD/GPL";
