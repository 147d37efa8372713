/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The gNB between the UEs' namespace and N3: two classifiers. What comes from the UEs
 * gets the outer headers of its source address and leaves at N3; a G-PDU from N3 loses
 * them and goes to the UEs. Everything else is the kernel's. */
#include <linux/bpf.h>

#include "counters.h"
#include "gtpu_tunnel.h"

#define AF_INET 2

/* What a UE sends from: an IPv4 address, or any address of its IPv6 prefix of 64 bits
 * (TS 23.501 clause 5.8.2.2). */
struct ue_key {
	__be32 address[2]; /* IPv4: the address and 0; IPv6: the prefix */
	__u32 version;	   /* of IP: 4 or 6 */
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
	__be32 address;	  /* 0: it has no IPv4 */
	__be32 prefix[2]; /* of IPv6; 0: it has none */
	__u32 port;	  /* towards the UE */
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

/* Make room for the outer headers. The kernel takes a packet for one of IPv4 afterwards, as
 * bpf_redirect_neigh needs: bpf_skb_change_proto makes it one, and takes away as many octets
 * as an IPv6 header is longer. */
static __always_inline long make_room(struct __sk_buff *skb, __u32 version)
{
	const __s32 longer = sizeof(struct ipv6hdr) - sizeof(struct iphdr);

	if (version == 4)
		return bpf_skb_adjust_room(skb, OUTER_OCTETS, BPF_ADJ_ROOM_MAC, BPF_F_ADJ_ROOM_FIXED_GSO);
	return bpf_skb_adjust_room(skb, OUTER_OCTETS + longer, BPF_ADJ_ROOM_MAC, BPF_F_ADJ_ROOM_FIXED_GSO) ||
	       bpf_skb_change_proto(skb, bpf_htons(ETH_P_IP), 0);
}

static __always_inline int encapsulate(struct __sk_buff *skb, struct counters *c, const struct tunnel *t,
				       __u32 version, __u32 length)
{
	struct bpf_redir_neigh to = {.nh_family = AF_INET, .ipv4_nh = next_hop};
	struct outer_headers *h;

	if (make_room(skb, version))
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

/* What a UE sends. */
struct sent {
	struct ue_key from;
	__u32 length;
	bool on_link; /* to a multicast group of the link, as Multicast Listener Reports are */
};

#define LINK_MULTICAST bpf_htonl(0xff020000) /* ff02::/16, RFC 4291 clause 2.7 */
#define FIRST_16 bpf_htonl(0xffff0000)

static __always_inline bool read_ipv4(struct __sk_buff *skb, struct sent *s)
{
	struct iphdr *ip;

	linear(skb, ETH_HLEN + sizeof(*ip));
	ip = frame_ipv4((void *)(long)skb->data, (void *)(long)skb->data_end);
	if (!ip)
		return false;
	s->from.address[0] = ip->saddr;
	s->from.version = 4;
	s->length = bpf_ntohs(ip->tot_len);
	return true;
}

static __always_inline bool read_ipv6(struct __sk_buff *skb, struct sent *s)
{
	struct ipv6hdr *ip;

	linear(skb, ETH_HLEN + sizeof(*ip));
	ip = frame_ipv6((void *)(long)skb->data, (void *)(long)skb->data_end);
	if (!ip)
		return false;
	s->from.address[0] = ip->saddr.in6_u.u6_addr32[0];
	s->from.address[1] = ip->saddr.in6_u.u6_addr32[1];
	s->from.version = 6;
	s->length = ipv6_octets(ip);
	s->on_link = (ip->daddr.in6_u.u6_addr32[0] & FIRST_16) == LINK_MULTICAST;
	return true;
}

SEC("tc")
int from_ue(struct __sk_buff *skb)
{
	__u32 zero = 0;
	struct counters *c = bpf_map_lookup_elem(&counted, &zero);
	struct sent s = {};
	struct tunnel *t;

	if (!c)
		return TC_ACT_SHOT;
	if (skb->protocol == bpf_htons(ETH_P_ARP))
		return TC_ACT_OK;
	if (!read_ipv4(skb, &s) && !read_ipv6(skb, &s))
		return drop(c, NOT_IP);
	t = bpf_map_lookup_elem(&uplink, &s.from);
	if (!t)
		return s.on_link ? TC_ACT_OK : drop(c, UNKNOWN_UE);
	if (skb->gso_segs > 1)
		return drop(c, UNCUT);
	if (s.length + OUTER_OCTETS > n3_mtu)
		return drop(c, TOO_BIG);
	return encapsulate(skb, c, t, s.from.version, s.length);
}

/* The T-PDU to the UE. Its length is what its own header says; padding behind it is the
 * kernel's to cut. */
static __always_inline int deliver(struct __sk_buff *skb, struct counters *c, const struct gpdu *g,
				   const struct ue *u, __be16 protocol)
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
	*(__be16 *)((void *)eth + offsetof(struct ethhdr, h_proto)) = protocol;
	c->down_packets++;
	c->down_bytes += length;
	c->other_qfi += g->qfi != u->qfi;
	return bpf_redirect(u->port, 0);
}

enum addressed { TO_UE, TO_ANOTHER, TO_NOBODY };

static __always_inline enum addressed to_ipv4(const struct gpdu *g, void *end, const struct ue *u)
{
	struct iphdr *ip = g->inner;

	if ((void *)(ip + 1) > end || !ipv4_fits(ip, g->room))
		return TO_NOBODY;
	return u->address && ip->daddr == u->address ? TO_UE : TO_ANOTHER; /* 0: it has none */
}

static __always_inline enum addressed to_ipv6(const struct gpdu *g, void *end, const struct ue *u)
{
	struct ipv6hdr *ip = (void *)g->inner;

	if ((void *)(ip + 1) > end || ipv6_octets(ip) > g->room)
		return TO_NOBODY;
	if ((u->prefix[0] | u->prefix[1]) && ip->daddr.in6_u.u6_addr32[0] == u->prefix[0] && ip->daddr.in6_u.u6_addr32[1] == u->prefix[1])
		return TO_UE;
	return TO_ANOTHER;
}

SEC("tc")
int from_n3(struct __sk_buff *skb)
{
	__u32 zero = 0;
	struct counters *c = bpf_map_lookup_elem(&counted, &zero);
	struct tunnel_key key = {};
	struct gpdu g = {};
	struct ue *u;
	__u8 version;
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
	version = (void *)g.inner + 1 > end ? 0 : g.inner->version;
	switch (version == 4 ? to_ipv4(&g, end, u) : version == 6 ? to_ipv6(&g, end, u) : TO_NOBODY) {
	case TO_UE:
		return deliver(skb, c, &g, u, version == 6 ? bpf_htons(ETH_P_IPV6) : bpf_htons(ETH_P_IP));
	case TO_ANOTHER:
		return drop(c, WRONG_UE);
	default:
		return drop(c, MALFORMED);
	}
}

char _license[] SEC("license") = "Dual BSD/GPL";
