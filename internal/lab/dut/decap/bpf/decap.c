/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The least that a UPF can do: take the outer headers off, and put them on with a TEID
 * that is computed from the UE's address, of IPv6 from its prefix of 64 bits. No rules, no
 * lookup, no route. */
#include <linux/bpf.h>

#include "gtpu_tunnel.h"

volatile const struct macs n3_macs, n6_macs; /* of frames that leave there */
volatile const __u32 n3_port, n6_port;
volatile const __be32 upf, gnb;     /* N3 addresses */
volatile const __u32 first_ue;      /* host byte order */
volatile const __u32 first_prefix;  /* the last 32 bits of its IPv6 prefix, likewise */
volatile const __u32 first_teid;    /* downlink; UE i has first_teid + 2 i */
volatile const __u8 qfi;

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, __u32);
} ports SEC(".maps"); /* of XDP: N3, N6 */

static __always_inline __be32 teid_of(__u32 ue) { return bpf_htonl(first_teid + 2 * ue); }

/* A packet for a UE. */
struct arrived {
	__be32 teid;
	__u32 length;
};

static __always_inline bool find_ue(void *data, void *end, struct arrived *a)
{
	struct ipv6hdr *ip6;
	struct iphdr *ip = frame_ipv4(data, end);

	if (ip) {
		a->teid = teid_of(bpf_ntohl(ip->daddr) - first_ue);
		a->length = bpf_ntohs(ip->tot_len);
		return true;
	}
	ip6 = frame_ipv6(data, end);
	/* Multicast is the link's: neighbour discovery, reports of listeners. */
	if (!ip6 || ip6->daddr.in6_u.u6_addr8[0] == 0xff)
		return false;
	a->teid = teid_of(bpf_ntohl(ip6->daddr.in6_u.u6_addr32[1]) - first_prefix);
	a->length = ipv6_octets(ip6);
	return true;
}

/* The Ethertype of a T-PDU. */
static __always_inline __be16 protocol_of(const struct gpdu *g, void *end)
{
	if ((void *)g->inner + 1 > end || g->inner->version != 6)
		return bpf_htons(ETH_P_IP);
	return bpf_htons(ETH_P_IPV6);
}

/* Write the Ethernet header of a frame that leaves on N6; false: it does not fit. */
static __always_inline bool write_n6(void *data, void *end, __be16 protocol)
{
	struct ethhdr *eth = data;

	if ((void *)(eth + 1) > end)
		return false;
	write_macs(eth, &n6_macs);
	*(__be16 *)(data + offsetof(struct ethhdr, h_proto)) = protocol;
	return true;
}

SEC("tc")
int tc_from_n3(struct __sk_buff *skb)
{
	struct gpdu g = {};
	__be16 protocol;

	linear(skb, skb->len < HEADERS ? skb->len : HEADERS);
	if (find_gpdu((void *)(long)skb->data, (void *)(long)skb->data_end, &g) != FOUND_GPDU)
		return TC_ACT_OK;
	protocol = protocol_of(&g, (void *)(long)skb->data_end);
	if (bpf_skb_adjust_room(skb, -(__s32)g.cut, BPF_ADJ_ROOM_MAC, BPF_F_ADJ_ROOM_FIXED_GSO) ||
	    !write_n6((void *)(long)skb->data, (void *)(long)skb->data_end, protocol))
		return TC_ACT_SHOT;
	return bpf_redirect(n6_port, 0);
}

SEC("tc")
int tc_from_n6(struct __sk_buff *skb)
{
	const __u32 headers = ETH_HLEN + sizeof(struct ipv6hdr);
	struct outer_headers *h;
	struct arrived a;

	linear(skb, skb->len < headers ? skb->len : headers);
	if (!find_ue((void *)(long)skb->data, (void *)(long)skb->data_end, &a))
		return TC_ACT_OK;
	if (skb->gso_segs > 1)
		return TC_ACT_SHOT;
	if (bpf_skb_adjust_room(skb, OUTER_OCTETS, BPF_ADJ_ROOM_MAC, BPF_F_ADJ_ROOM_FIXED_GSO) ||
	    !linear(skb, sizeof(*h)))
		return TC_ACT_SHOT;
	h = (void *)(long)skb->data;
	if ((void *)(h + 1) > (void *)(long)skb->data_end)
		return TC_ACT_SHOT;
	write_headers(h, &n3_macs, upf, gnb, a.teid, PSC_DOWNLINK, qfi, a.length);
	return bpf_redirect(n3_port, 0);
}

SEC("xdp")
int xdp_from_n3(struct xdp_md *ctx)
{
	struct gpdu g = {};
	__be16 protocol;

	if (find_gpdu((void *)(long)ctx->data, (void *)(long)ctx->data_end, &g) != FOUND_GPDU)
		return XDP_PASS;
	protocol = protocol_of(&g, (void *)(long)ctx->data_end);
	if (bpf_xdp_adjust_head(ctx, g.cut) ||
	    !write_n6((void *)(long)ctx->data, (void *)(long)ctx->data_end, protocol))
		return XDP_DROP;
	return bpf_redirect_map(&ports, 1, 0);
}

SEC("xdp")
int xdp_from_n6(struct xdp_md *ctx)
{
	struct outer_headers *h;
	struct arrived a;

	if (!find_ue((void *)(long)ctx->data, (void *)(long)ctx->data_end, &a))
		return XDP_PASS;
	if (bpf_xdp_adjust_head(ctx, -OUTER_OCTETS))
		return XDP_DROP;
	h = (void *)(long)ctx->data;
	if ((void *)(h + 1) > (void *)(long)ctx->data_end)
		return XDP_DROP;
	write_headers(h, &n3_macs, upf, gnb, a.teid, PSC_DOWNLINK, qfi, a.length);
	return bpf_redirect_map(&ports, 0, 0);
}

char _license[] SEC("license") = "Dual BSD/GPL";
