//go:build ignore
/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The gNB between the UEs' namespace and N3: two classifiers. What comes from the UEs
 * gets the outer headers of its source address and leaves at N3; a G-PDU from N3 loses
 * them and goes to the UEs. Everything else is the kernel's. */
#include <linux/bpf.h>

#include "counters.h"
#include "gtpu_tunnel.h"

#define AF_INET 2

/* An address of 16 octets, of which IPv4 uses the first four. */
struct ue_key {
	__be32 address[4];
};

struct tunnel {
	__be32 source[4]; /* of the outer header: the gNB's */
	__be32 peer[4];   /* the UPF's */
	__be32 teid;
	__u8 qfi;
	__u8 pad[3];
};

struct tunnel_key {
	__be32 destination[4]; /* of the outer header: the gNB's */
	__be32 teid;
};

struct ue {
	__be32 address[4];
	__u32 port; /* towards the UE */
	__u8 qfi;
	__u8 to[6]; /* MAC address of the UE's interface */
	__u8 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct ue_key);
	__type(value, struct tunnel);
} uplink SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct tunnel_key);
	__type(value, struct ue);
} downlink SEC(".maps");

volatile const struct macs n3_macs; /* of frames that leave at N3 */
volatile const __u32 n3_port;
volatile const __be32 next_hop; /* of what leaves there */
volatile const __u32 n3_mtu;

static __always_inline int drop(struct counters *c, enum reason r)
{
	c->dropped[r]++;
	return TC_ACT_SHOT;
}

static __always_inline int encapsulate(struct __sk_buff *skb, struct counters *c, const struct tunnel *t,
				       __u32 length)
{
	struct bpf_redir_neigh to = {.nh_family = AF_INET, .ipv4_nh = next_hop};
	struct outer_headers *h;

	if (bpf_skb_adjust_room(skb, OUTER_OCTETS, BPF_ADJ_ROOM_MAC, BPF_F_ADJ_ROOM_FIXED_GSO))
		return drop(c, NO_ROOM);
	if (!linear(skb, sizeof(*h)))
		return drop(c, NO_ROOM);
	h = (void *)(long)skb->data;
	if ((void *)(h + 1) > (void *)(long)skb->data_end)
		return drop(c, NO_ROOM);
	write_headers(h, &n3_macs, t->source[0], t->peer[0], t->teid, PSC_UPLINK, t->qfi, length);
	c->up_packets++;
	c->up_bytes += length;
	/* bpf_redirect would mark the packet, and generic XDP passes over marked ones. */
	return bpf_redirect_neigh(n3_port, &to, sizeof(to), 0);
}

SEC("tc")
int from_ue(struct __sk_buff *skb)
{
	__u32 zero = 0, length;
	struct counters *c = bpf_map_lookup_elem(&counted, &zero);
	struct ue_key key = {};
	struct tunnel *t;
	struct iphdr *ip;

	if (!c)
		return TC_ACT_SHOT;
	if (skb->protocol == bpf_htons(ETH_P_ARP))
		return TC_ACT_OK;
	linear(skb, ETH_HLEN + sizeof(*ip));
	ip = frame_ipv4((void *)(long)skb->data, (void *)(long)skb->data_end);
	if (!ip)
		return drop(c, NOT_IPV4);
	key.address[0] = ip->saddr;
	length = bpf_ntohs(ip->tot_len);
	t = bpf_map_lookup_elem(&uplink, &key);
	if (!t)
		return drop(c, UNKNOWN_UE);
	if (skb->gso_segs > 1)
		return drop(c, UNCUT);
	if (length + OUTER_OCTETS > n3_mtu)
		return drop(c, TOO_BIG);
	return encapsulate(skb, c, t, length);
}

/* The T-PDU to the UE. Its length is what its own header says; padding behind it is the
 * kernel's to cut. */
static __always_inline int deliver(struct __sk_buff *skb, struct counters *c, const struct gpdu *g,
				   const struct ue *u)
{
	__u32 length = g->room;
	struct ethhdr *eth;

	if (bpf_skb_adjust_room(skb, -(__s32)g->cut, BPF_ADJ_ROOM_MAC, BPF_F_ADJ_ROOM_FIXED_GSO))
		return drop(c, NO_ROOM);
	eth = (void *)(long)skb->data;
	if ((void *)(eth + 1) > (void *)(long)skb->data_end)
		return drop(c, NO_ROOM);
#pragma unroll
	for (int i = 0; i < 6; i++)
		eth->h_dest[i] = u->to[i];
	c->down_packets++;
	c->down_bytes += length;
	c->other_qfi += g->qfi != u->qfi;
	return bpf_redirect(u->port, 0);
}

SEC("tc")
int from_n3(struct __sk_buff *skb)
{
	__u32 zero = 0;
	struct counters *c = bpf_map_lookup_elem(&counted, &zero);
	struct tunnel_key key = {};
	struct gpdu g = {};
	struct ue *u;
	void *end;

	if (!c)
		return TC_ACT_SHOT;
	linear(skb, skb->len < HEADERS ? skb->len : HEADERS);
	end = (void *)(long)skb->data_end;
	switch (find_gpdu((void *)(long)skb->data, end, &g)) {
	case FOUND_GPDU:
		break;
	case FOUND_FRAGMENT:
		return drop(c, FRAGMENT);
	case FOUND_MALFORMED:
		return drop(c, MALFORMED);
	default:
		return TC_ACT_OK;
	}
	key.destination[0] = g.destination;
	key.teid = g.teid;
	u = bpf_map_lookup_elem(&downlink, &key);
	if (!u)
		return drop(c, UNKNOWN_TEID);
	if ((void *)(g.inner + 1) > end || g.inner->version != 4 || !ipv4_fits(g.inner, g.room))
		return drop(c, MALFORMED);
	if (g.inner->daddr != u->address[0])
		return drop(c, WRONG_UE);
	return deliver(skb, c, &g, u);
}

char _license[] SEC("license") = "Dual BSD/GPL";
