/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* IPv6 packets: addresses, and what is behind the extension headers. The same as
 * upf/datapath/forward/ipv6.go. */
#pragma once

#include "parse.h"

#define HEADERS6_MAX 6 /* extension headers that are walked */
#define FRAME_MAX 16384

/* Between a lower and an upper bound of one number: clang makes one comparison of both, which the
 * verifier of Linux 6.12 does not understand. */
#define SEPARATE_BOUNDS(n) asm volatile("" : "+r"(n))

/* An address, or a mask of one, as two words of a packet. */
struct addr6 {
	__u64 word[2];
};

static __always_inline struct addr6 addr6_of(const struct in6_addr *a)
{
	struct addr6 r;

	__builtin_memcpy(&r, a, sizeof(r));
	return r;
}

/* Who has a share of answers. */
static __always_inline __be32 ue_hash(const struct in6_addr *a)
{
	return a->s6_addr32[0] ^ a->s6_addr32[1] * 0x9e3779b1u;
}

static __always_inline bool addr6_under(const struct addr6 *a, const struct addr6 *mask,
					const struct addr6 *want)
{
	return (a->word[0] & mask->word[0]) == want->word[0] && (a->word[1] & mask->word[1]) == want->word[1];
}

static __always_inline bool is_link_local(const struct in6_addr *a)
{
	return (a->s6_addr16[0] & bpf_htons(0xffc0)) == bpf_htons(0xfe80);
}

/* The packet must not be routed: its addresses are those of one link, or it goes to many. */
static __always_inline bool is_local6(const struct ipv6hdr *ip)
{
	struct addr6 from = addr6_of(&ip->saddr);

	return is_link_local(&ip->saddr) || is_link_local(&ip->daddr) || ip->daddr.s6_addr[0] == 0xff ||
	       !(from.word[0] | from.word[1]);
}

static __always_inline __u32 ipv6_length(const struct ipv6hdr *ip)
{
	return sizeof(*ip) + bpf_ntohs(ip->payload_len);
}

enum upper_state {
	UPPER_WHOLE,
	UPPER_NONE,    /* a fragment after the first, or extension headers that are cut */
	UPPER_ENDLESS, /* more extension headers than are walked */
};

/* Where the upper layer's header is: an offset in the frame. */
struct upper {
	__u32 at;
	__u8 protocol; /* where there is no such header, what came last */
	__u8 state;
};

static __always_inline bool is_extension(__u8 protocol)
{
	return protocol == IPPROTO_HOPOPTS || protocol == IPPROTO_ROUTING || protocol == IPPROTO_FRAGMENT ||
	       protocol == IPPROTO_DSTOPTS || protocol == IPPROTO_MH;
}

/* Walk the extension headers; at and protocol are those of the first. end is the offset
 * of the packet's end. Not static, for the verifier. */
__noinline int upper_walk(struct xdp_md *ctx, struct upper *u, __u32 end)
{
	__u32 left = HEADERS6_MAX;
	__u8 h[8];

	if (!u)
		return 0;
	u->state = UPPER_NONE;
	/* Its end jumps back: Linux 6.1 takes no loop whose end is laid out before its beginning. */
#pragma clang loop unroll(disable)
	do {
		if (!is_extension(u->protocol)) {
			u->state = UPPER_WHOLE;
			return 0;
		}
		if (u->at > FRAME_MAX || u->at + sizeof(h) > end || bpf_xdp_load_bytes(ctx, u->at, h, sizeof(h)))
			return 0;
		if (u->protocol == IPPROTO_FRAGMENT) {
			u->protocol = h[0];
			if (h[2] | (h[3] & 0xf8))
				return 0;
			h[1] = 0;
		}
		u->protocol = h[0];
		u->at += sizeof(h) + h[1] * 8u;
		asm volatile("" : "+r"(left));
	} while (--left);
	u->state = is_extension(u->protocol) ? UPPER_ENDLESS : UPPER_WHOLE;
	return 0;
}

/* at is the offset of the IPv6 header in the frame. */
static __always_inline void upper_find(struct xdp_md *ctx, const struct ipv6hdr *ip, __u32 at, struct upper *u)
{
	u->at = at + sizeof(*ip);
	u->protocol = ip->nexthdr;
	u->state = UPPER_WHOLE;
	if (is_extension(u->protocol))
		upper_walk(ctx, u, at + ipv6_length(ip));
}
