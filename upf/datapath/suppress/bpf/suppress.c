/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What a datapath has taken from a ring the kernel must not handle as well:
 * at the ingress of N3 and N6, behind the ring, the packets of the user plane
 * end, without counting as dropped. A datapath over the kernel's sockets gets them
 * from there. What is neither the user plane's nor for the machine itself is
 * dropped, or the kernel would route it past all sessions. */
#include <linux/if_packet.h>
#include <linux/pkt_cls.h>

#include "gtpu.h"

#define POOLS_MAX 16

struct pool {
	__be32 address;
	__be32 mask;
};

struct pool6 {
	__u64 address[2];
	__u64 mask[2];
};

const volatile __be32 n3_address;
const volatile __u32 pool_count;
const volatile struct pool pools[POOLS_MAX];
const volatile __u64 n3_address6[2]; /* 0: there is none */
const volatile __be32 n6_address;    /* of tunnels on N6; 0: there is none */
const volatile __u64 n6_address6[2]; /* the same */
const volatile __be16 n6_port;	     /* of those with UDP; 0: there are none */
const volatile __u32 pool6_count;
const volatile struct pool6 pools6[POOLS_MAX];
const volatile bool kernel_takes; /* the user plane's packets, for its sockets and routes */

/* What is for another MAC address, or for many, the datapath does not read, and the kernel does not route. */
static __always_inline bool is_own(const struct __sk_buff *skb)
{
	return skb->pkt_type == PACKET_HOST;
}

static __always_inline int end_taken(void)
{
	return kernel_takes ? TC_ACT_UNSPEC : TC_ACT_STOLEN;
}

/* The IPv4 header of the packet; false when it has none. */
static __always_inline bool load_ip(struct __sk_buff *skb, struct iphdr *ip)
{
	return skb->protocol == bpf_htons(ETH_P_IP) && !bpf_skb_load_bytes(skb, ETH_HLEN, ip, sizeof(*ip)) &&
	       ip->version == 4;
}

#define AF_INET 2
#define AF_INET6 10

static __always_inline bool is_multicast(__be32 address)
{
	return (address & bpf_htonl(0xf0000000)) == bpf_htonl(0xe0000000) ||
	       address == 0xffffffff;
}

/* Whether the kernel would send the packet on, not take it. */
static __always_inline int end_routed(struct __sk_buff *skb, struct bpf_fib_lookup *fib)
{
	int code;

	fib->ifindex = skb->ifindex;
	code = bpf_fib_lookup(skb, fib, sizeof(*fib), 0);
	return code == BPF_FIB_LKUP_RET_NOT_FWDED || code == BPF_FIB_LKUP_RET_FWD_DISABLED ?
		       TC_ACT_UNSPEC : TC_ACT_SHOT;
}

static __noinline int end_plain(struct __sk_buff *skb)
{
	struct bpf_fib_lookup fib = { .family = AF_INET6 };
	struct iphdr ip;

	if (load_ip(skb, &ip)) {
		fib.family = AF_INET;
		fib.ipv4_dst = ip.daddr;
		return is_multicast(ip.daddr) ? TC_ACT_UNSPEC : end_routed(skb, &fib);
	}
	if (skb->protocol != bpf_htons(ETH_P_IPV6) ||
	    bpf_skb_load_bytes(skb, ETH_HLEN + 24, fib.ipv6_dst, sizeof(fib.ipv6_dst)))
		return TC_ACT_UNSPEC;
	if ((fib.ipv6_dst[0] & bpf_htonl(0xff000000)) == bpf_htonl(0xff000000) ||
	    (fib.ipv6_dst[0] & bpf_htonl(0xffc00000)) == bpf_htonl(0xfe800000))
		return TC_ACT_UNSPEC; /* multicast, link-local */
	return end_routed(skb, &fib);
}

/* GTP-U without extension headers of IPv6 before it; others are the kernel's. */
static __always_inline bool is_gtpu6(struct __sk_buff *skb)
{
	struct {
		__be32 first;
		__be16 length;
		__u8 next, hops;
		__u64 from[2], to[2];
		struct udphdr udp;
		__u8 flags, type;
	} __attribute__((packed)) h;

	if (skb->protocol != bpf_htons(ETH_P_IPV6) || !(n3_address6[0] | n3_address6[1]) ||
	    bpf_skb_load_bytes(skb, ETH_HLEN, &h, sizeof(h)))
		return false;
	return h.next == IPPROTO_UDP && h.to[0] == n3_address6[0] && h.to[1] == n3_address6[1] &&
	       h.udp.dest == bpf_htons(GTPU_PORT) &&
	       !((h.flags & GTPU_VERSION_MASK) == GTPU_VERSION_1 && gtpu_is_signalling(h.type));
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

	if (!is_own(skb))
		return TC_ACT_UNSPEC;
	if (is_gtpu6(skb))
		return end_taken();
	if (!load_ip(skb, &ip) || ip.protocol != IPPROTO_UDP || ip.daddr != n3_address || ip.frag_off & IP_FRAGMENT)
		return end_plain(skb);
	if (bpf_skb_load_bytes(skb, ETH_HLEN + ip.ihl * 4, &h, sizeof(h)) || h.udp.dest != bpf_htons(GTPU_PORT))
		return end_plain(skb);
	if ((h.flags & GTPU_VERSION_MASK) == GTPU_VERSION_1 && gtpu_is_signalling(h.type))
		return TC_ACT_UNSPEC;
	return end_taken();
}

static __always_inline bool is_ue6(struct __sk_buff *skb)
{
	__u64 to[2];

	if (skb->protocol != bpf_htons(ETH_P_IPV6) || bpf_skb_load_bytes(skb, ETH_HLEN + 24, to, sizeof(to)))
		return false;
	for (__u32 i = 0; i < POOLS_MAX && i < pool6_count; i++)
		if ((to[0] & pools6[i].mask[0]) == pools6[i].address[0] &&
		    (to[1] & pools6[i].mask[1]) == pools6[i].address[1])
			return true;
	return false;
}

/* What is at an offset is a tunnel's, by the protocol that the IP header gives. */
static __always_inline bool is_tunnel(struct __sk_buff *skb, __u8 protocol, __u32 at)
{
	__be16 ports[2];

	if (protocol == IPPROTO_IPIP || protocol == IPPROTO_IPV6)
		return true;
	return protocol == IPPROTO_UDP && n6_port && !bpf_skb_load_bytes(skb, at, ports, sizeof(ports)) && ports[1] == n6_port;
}

static __always_inline bool is_tunnel6(struct __sk_buff *skb)
{
	__u64 to[2];
	__u8 next;

	if (skb->protocol != bpf_htons(ETH_P_IPV6) || !(n6_address6[0] | n6_address6[1]) ||
	    bpf_skb_load_bytes(skb, ETH_HLEN + 6, &next, sizeof(next)) || bpf_skb_load_bytes(skb, ETH_HLEN + 24, to, sizeof(to)))
		return false;
	return to[0] == n6_address6[0] && to[1] == n6_address6[1] && is_tunnel(skb, next, ETH_HLEN + 40);
}

/* Packets to UEs, and in tunnels. */
SEC("tc")
int end_n6(struct __sk_buff *skb)
{
	struct iphdr ip;

	if (!is_own(skb))
		return TC_ACT_UNSPEC;
	if (is_ue6(skb) || is_tunnel6(skb))
		return end_taken();
	if (!load_ip(skb, &ip))
		return end_plain(skb);
	for (__u32 i = 0; i < POOLS_MAX && i < pool_count; i++)
		if ((ip.daddr & pools[i].mask) == pools[i].address)
			return end_taken();
	if (n6_address && ip.daddr == n6_address && !(ip.frag_off & IP_FRAGMENT) && is_tunnel(skb, ip.protocol, ETH_HLEN + ip.ihl * 4))
		return end_taken();
	return end_plain(skb);
}

char _license[] SEC("license") = "Dual BSD/GPL";
