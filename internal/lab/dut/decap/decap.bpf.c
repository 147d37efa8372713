//go:build ignore
/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The least that a UPF can do: take the outer headers off, and put them on with a TEID
 * that is computed from the UE's address. No rules, no lookup, no route. */
#include <linux/bpf.h>

#include "gtpu_tunnel.h"

volatile const struct macs n3_macs, n6_macs; /* of frames that leave there */
volatile const __u32 n3_port, n6_port;
volatile const __be32 upf, gnb;     /* N3 addresses */
volatile const __u32 first_ue;      /* host byte order */
volatile const __u32 first_teid;    /* downlink; UE i has first_teid + 2 i */
volatile const __u8 qfi;

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, __u32);
} ports SEC(".maps"); /* of XDP: N3, N6 */

static __always_inline __be32 teid_of(__be32 ue)
{
	return bpf_htonl(first_teid + 2 * (bpf_ntohl(ue) - first_ue));
}

SEC("tc")
int tc_from_n3(struct __sk_buff *skb)
{
	struct gpdu g = {};
	struct ethhdr *eth;

	linear(skb, skb->len < HEADERS ? skb->len : HEADERS);
	if (find_gpdu((void *)(long)skb->data, (void *)(long)skb->data_end, &g) != FOUND_GPDU)
		return TC_ACT_OK;
	if (bpf_skb_adjust_room(skb, -(__s32)g.cut, BPF_ADJ_ROOM_MAC, BPF_F_ADJ_ROOM_FIXED_GSO))
		return TC_ACT_SHOT;
	eth = (void *)(long)skb->data;
	if ((void *)(eth + 1) > (void *)(long)skb->data_end)
		return TC_ACT_SHOT;
	write_macs(eth, &n6_macs);
	return bpf_redirect(n6_port, 0);
}

SEC("tc")
int tc_from_n6(struct __sk_buff *skb)
{
	struct outer_headers *h;
	struct iphdr *ip;
	__u32 length;
	__be32 ue;

	linear(skb, ETH_HLEN + sizeof(*ip));
	ip = frame_ipv4((void *)(long)skb->data, (void *)(long)skb->data_end);
	if (!ip)
		return TC_ACT_OK;
	if (skb->gso_segs > 1)
		return TC_ACT_SHOT;
	ue = ip->daddr;
	length = bpf_ntohs(ip->tot_len);
	if (bpf_skb_adjust_room(skb, OUTER_OCTETS, BPF_ADJ_ROOM_MAC, BPF_F_ADJ_ROOM_FIXED_GSO) ||
	    !linear(skb, sizeof(*h)))
		return TC_ACT_SHOT;
	h = (void *)(long)skb->data;
	if ((void *)(h + 1) > (void *)(long)skb->data_end)
		return TC_ACT_SHOT;
	write_headers(h, &n3_macs, upf, gnb, teid_of(ue), PSC_DOWNLINK, qfi, length);
	return bpf_redirect(n3_port, 0);
}

SEC("xdp")
int xdp_from_n3(struct xdp_md *ctx)
{
	struct gpdu g = {};
	struct ethhdr *eth;

	if (find_gpdu((void *)(long)ctx->data, (void *)(long)ctx->data_end, &g) != FOUND_GPDU)
		return XDP_PASS;
	if (bpf_xdp_adjust_head(ctx, g.cut))
		return XDP_DROP;
	eth = (void *)(long)ctx->data;
	if ((void *)(eth + 1) > (void *)(long)ctx->data_end)
		return XDP_DROP;
	write_macs(eth, &n6_macs);
	eth->h_proto = bpf_htons(ETH_P_IP);
	return bpf_redirect_map(&ports, 1, 0);
}

SEC("xdp")
int xdp_from_n6(struct xdp_md *ctx)
{
	struct iphdr *ip = frame_ipv4((void *)(long)ctx->data, (void *)(long)ctx->data_end);
	struct outer_headers *h;
	__u32 length;
	__be32 ue;

	if (!ip)
		return XDP_PASS;
	ue = ip->daddr;
	length = bpf_ntohs(ip->tot_len);
	if (bpf_xdp_adjust_head(ctx, -OUTER_OCTETS))
		return XDP_DROP;
	h = (void *)(long)ctx->data;
	if ((void *)(h + 1) > (void *)(long)ctx->data_end)
		return XDP_DROP;
	write_headers(h, &n3_macs, upf, gnb, teid_of(ue), PSC_DOWNLINK, qfi, length);
	return bpf_redirect_map(&ports, 0, 0);
}

char _license[] SEC("license") = "Dual BSD/GPL";
