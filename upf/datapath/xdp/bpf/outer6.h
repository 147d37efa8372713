/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Tunnels over IPv6 on N3: the datagram that a G-PDU comes in, and the headers of one that
 * leaves. */
#pragma once

#include "checksum/checksum.h"
#include "config.h"
#include "counters.h"
#include "ecn.h"
#include "gtpu.h"
#include "hold.h"
#include "meter.h"
#include "notice.h"
#include "route6.h"
#include "rules.h"
#include "sum.h"
#include "usage.h"

#define IP_DF bpf_htons(0x4000)
#define OUTER_TTL 64
#define OUTER6_PLAIN 56 /* IPv6, UDP, GTP-U */
#define OUTER6_PSC 64   /* ... with a PDU session container */

/* A GTP-U header's optional fields and a PDU session container, TS 38.415 clause 5.5.2. */
struct outer_psc {
	struct gtpu_optional optional;
	__u8 length; /* in four octets */
	__u8 pdu_type;
	__u8 qfi;
	__u8 next;
};

struct outer6 {
	struct ipv6hdr ip;
	struct udphdr udp;
	struct gtpu gtp;
};

_Static_assert(sizeof(struct outer6) == OUTER6_PLAIN, "outer header");
_Static_assert(sizeof(struct outer6) + sizeof(struct outer_psc) == OUTER6_PSC, "outer header");

#define CONTAINER_MAX 64 /* octets of a container that is relayed as it came */

/* The PDU session container of a packet, where it has more than QFI and RQI: one that came so, from a tunnel
 * into a tunnel, or has a PPI. The extension header from its length to its next type. */
struct kept {
	__u8 octets[CONTAINER_MAX] __attribute__((aligned(8)));
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct kept);
} kept_containers SEC(".maps");

static __always_inline struct kept *kept_get(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&kept_containers, &zero);
}

#define PPI_CONTAINER 8 /* octets of a container with nothing else */

/* A container with a Paging Policy Indicator (TS 38.415 clause 5.5.2.1): the mark is its QFI, RQI and PPP. Returns
 * its length. Not static, for the verifier. */
__noinline __u32 ppi_container(__u32 mark, __u32 ppi)
{
	struct kept *k = kept_get();

	if (!k)
		return 0;
	/* Two times four octets; DL PDU SESSION INFORMATION; the mark; the PPI; padding; no more extension headers. */
	*(__u64 *)k->octets = bpf_cpu_to_be64(2ull << 56 | (__u64)(mark & 0xff) << 40 | (__u64)(ppi & 7) << (32 + PSC_PPI_SHIFT));
	return PPI_CONTAINER;
}

/* Write it over the one of four octets after a GTP-U header, which ends after so many octets of
 * outer headers. Not static, for the verifier. */
__noinline int kept_write(struct xdp_md *ctx, __u32 outer, __u32 octets)
{
	struct kept *k = kept_get();

	if (!k || octets <= 4)
		return 0;
	SEPARATE_BOUNDS(octets);
	return octets <= CONTAINER_MAX &&
	       !bpf_xdp_store_bytes(ctx, ETH_HLEN + outer + sizeof(struct gtpu_optional), k->octets, octets);
}

/* As find_datagram. An outer packet with extension headers, as a fragment, is the kernel's.
 * A UDP checksum of 0 is taken (RFC 6935), and others are not verified. */
static __always_inline int find_datagram6(void *data, void *end, struct udphdr **out, __u8 *ecn)
{
	struct ipv6hdr *ip = frame_ipv6(data, end);
	struct udphdr *udp;
	struct addr6 to;

	if (!ip)
		return NOT_OURS;
	to = addr6_of(&ip->daddr);
	if (to.word[0] != n3_address6.word[0] || to.word[1] != n3_address6.word[1])
		return NOT_OURS;
	if (ipv6_length(ip) > end - (void *)ip)
		return DROP_MALFORMED_OUTER;
	if (ip->nexthdr != IPPROTO_UDP)
		return NOT_OURS;
	udp = (void *)(ip + 1);
	if ((void *)(udp + 1) > end || ipv6_length(ip) < sizeof(*ip) + sizeof(*udp))
		return DROP_MALFORMED_OUTER;
	if (udp->dest != bpf_htons(GTPU_PORT))
		return NOT_OURS;
	if (bpf_ntohs(udp->len) < sizeof(*udp) || bpf_ntohs(udp->len) > bpf_ntohs(ip->payload_len))
		return DROP_MALFORMED_OUTER;
	*ecn = ecn_of6(ip);
	*out = udp;
	return ACCEPTED;
}

/* A copy goes to user space where the row asks for it. NULL: a plain PDR. */
static __always_inline void copy_packet(struct xdp_md *ctx, const struct row *row, __u32 at, __u32 length, __u32 mark)
{
	if (row && row->flags & ROW_COPY)
		hold_packet(ctx, row->copy, at, length, mark);
}

#define WAY_RELAYED 1  /* out of another tunnel: the T-PDU stays as it came */
#define WAY_DOWNLINK 2 /* counted so */

/* Where a packet goes, and where it is. */
struct way6 {
	__be32 teid;
	__u16 peer; /* in peers6 */
	__u8 qfi;   /* with the RQI; 0 for none */
	__u8 type;  /* of the PDU session container, in its first octet */
	__u8 marking;
	__u8 how;
	__u8 by_row; /* there is a row */
	__u8 kept; /* octets of the container in kept_containers, 0: none */
	__u32 at;     /* of the T-PDU, in the frame */
	__u32 length; /* of the T-PDU */
	__u32 spare2;
	struct row row;
};

/* The one under way on a CPU. It is handed to the program itself, because functions that
 * call each other have one stack, and that has no room for more of them. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct way6);
} ways6 SEC(".maps");

static __always_inline struct way6 *way6_get(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&ways6, &zero);
}

/* The way of a packet, which the caller adds to. row is NULL where the PDR is a plain one. */
static __always_inline struct way6 *way6_new(__be32 teid, __u16 peer, __u8 qfi, __u8 how, __u32 at, __u32 length,
					     const struct row *row)
{
	struct way6 *w = way6_get();

	if (!w)
		return NULL;
	w->teid = teid;
	w->peer = peer;
	w->qfi = qfi & (PSC_QFI | PSC_RQI);
	w->type = 0;
	w->kept = 0;
	w->marking = 0;
	w->how = how;
	w->by_row = row != NULL;
	w->at = at;
	w->length = length;
	if (row) {
		w->marking = row->marking;
		__builtin_memcpy(&w->row, row, sizeof(w->row));
	}
	return w;
}

/* The T-PDU does not fit. False: it is to be fragmented, else who sent it is told. */
static __always_inline bool outer6_too_big(struct xdp_md *ctx, const struct iphdr *ip, const struct way6 *w, __u32 fits)
{
	struct in6_addr to;

	if (w->how & WAY_RELAYED || (ip->version != 6 && !(ip->frag_off & IP_DF)))
		return false;
	if (ip->version != 6) {
		notice_packet(ctx, w->at, w->length, ip->daddr, fits);
	} else if (!bpf_xdp_load_bytes(ctx, w->at + __builtin_offsetof(struct ipv6hdr, daddr), &to, sizeof(to))) {
		notice_packet(ctx, w->at, w->length, ue_hash(&to), fits);
	}
	return true;
}

static __always_inline void write_outer6(struct outer6 *o, const struct way6 *w, const struct addr6 *peer, __u32 outer)
{
	__u32 payload = w->length + outer - sizeof(o->ip);
	struct addr6 from = {.word = {n3_address6.word[0], n3_address6.word[1]}};

	*(__be32 *)&o->ip = bpf_htonl(6u << 28 | (__u32)w->marking << 20);
	o->ip.payload_len = bpf_htons(payload);
	o->ip.nexthdr = IPPROTO_UDP;
	o->ip.hop_limit = OUTER_TTL;
	__builtin_memcpy(&o->ip.saddr, &from, sizeof(o->ip.saddr));
	__builtin_memcpy(&o->ip.daddr, peer, sizeof(o->ip.daddr));
	o->udp.source = bpf_htons(GTPU_PORT);
	o->udp.dest = bpf_htons(GTPU_PORT);
	o->udp.len = bpf_htons(payload);
	o->udp.check = 0;
	o->gtp.flags = outer != OUTER6_PLAIN ? GTPU_VERSION_1 | GTPU_E : GTPU_VERSION_1;
	o->gtp.type = GTPU_G_PDU;
	o->gtp.length = bpf_htons(payload - sizeof(o->udp) - sizeof(o->gtp));
	o->gtp.teid = w->teid;
	if (outer != OUTER6_PLAIN)
		*(struct outer_psc *)(o + 1) = (struct outer_psc){
			.optional.next = GTPU_EXT_PSC, .length = 1, .pdu_type = w->type, .qfi = w->qfi,
		};
}

/* The UDP checksum, which IPv6 wants (RFC 8200 clause 8.1): over the addresses, and what is
 * after them. */
static __always_inline __u16 outer6_checksum(struct xdp_md *ctx, __u32 payload)
{
	__u32 addresses = ETH_HLEN + __builtin_offsetof(struct ipv6hdr, saddr);
	__u64 sum = sum_octets(ctx, addresses, payload + 2 * sizeof(struct in6_addr));

	return checksum_finish_udp(sum + bpf_htons(payload) + bpf_htons(IPPROTO_UDP));
}

/* Make room in the place of what is in front of the T-PDU, and write all headers. */
static __always_inline bool encapsulate6(struct xdp_md *ctx, const struct way6 *w, const struct addr6 *peer,
					 const struct route *r, __u32 outer)
{
	struct outer6 *o;
	void *frame;
	__u16 check;

	if (bpf_xdp_adjust_head(ctx, (int)(w->at - ETH_HLEN) - (int)outer))
		return false;
	frame = (void *)(long)ctx->data;
	o = frame + ETH_HLEN;
	if ((void *)o + OUTER6_PSC > (void *)(long)ctx->data_end) /* a T-PDU has more than the container */
		return false;
	route_write(frame, r, ETH_P_IPV6);
	write_outer6(o, w, peer, outer);
	if (w->kept && !kept_write(ctx, OUTER6_PLAIN, w->kept))
		return false;
	check = outer6_checksum(ctx, w->length + outer - sizeof(o->ip));
	o = (void *)(long)ctx->data + ETH_HLEN;
	if ((void *)(o + 1) > (void *)(long)ctx->data_end)
		return false;
	o->udp.check = check;
	return true;
}

static __always_inline int deliver_way6(struct xdp_md *ctx, struct counters *c, struct way6 *w)
{
	const struct row *row = w->by_row ? &w->row : NULL;
	struct route *r = NULL;
	struct addr6 *peer;
	struct iphdr *ip;
	__u32 at = w->peer, outer = w->qfi ? OUTER6_PSC : OUTER6_PLAIN;

	if (row && row->qfi & PSC_PPP && !(w->how & WAY_RELAYED))
		w->kept = ppi_container(row->qfi, row->exit);
	if (w->kept)
		outer = OUTER6_PLAIN + sizeof(struct gtpu_optional) + w->kept;
	peer = bpf_map_lookup_elem(&peers6, &at);
	ip = (void *)(long)ctx->data + (w->at & (FRAME_MAX - 1));
	if (!peer || (void *)(ip + 1) > (void *)(long)ctx->data_end)
		return drop(c, DROP_NO_ROUTE);
	if (route_get6(ctx, peer, DOWNLINK, &r) > ROUTE_KERNEL || !r)
		return drop(c, DROP_NO_ROUTE);
	if (w->length + outer > r->mtu) {
		if (outer6_too_big(ctx, ip, w, r->mtu - outer))
			return drop(c, DROP_TOO_BIG);
		route_slowly(r, r->mtu | (w->how & WAY_RELAYED ? SLOW_OUTER : 0), MTU_MAX);
	}
	if (row && !usages_admit(row))
		return drop(c, DROP_QUOTA);
	if (row && !meters_admit(row, w->length))
		return drop(c, DROP_RATE);
	copy_packet(ctx, row, w->at, w->length, w->how & WAY_RELAYED ? w->qfi : 0);
	if (!(w->how & WAY_RELAYED)) {
		if (ip->version == 6)
			((__u8 *)ip)[__builtin_offsetof(struct ipv6hdr, hop_limit)]--;
		else
			ipv4_decrement_ttl(ip);
	}
	w->marking |= ecn_of(ip);
	if (!encapsulate6(ctx, w, peer, r, outer))
		return drop(c, DROP_HEADROOM);
	if (w->how & WAY_DOWNLINK) {
		c->dl_packets++;
		c->dl_bytes += w->length;
	} else {
		c->ul_packets++;
		c->ul_bytes += w->length;
	}
	if (row)
		usages_count(row, w->length, w->how & WAY_DOWNLINK ? 1 : 0);
	return route_send(r);
}

/* A T-PDU whose hops were checked goes the way of way6_get. What a chain of rows entered is
 * left here. Not static, for the verifier. */
__noinline int deliver6(struct xdp_md *ctx, struct counters *c)
{
	struct way6 *w = way6_get();
	int verdict;

	if (!c || !w)
		return XDP_DROP;
	verdict = deliver_way6(ctx, c, w);
	return w->by_row ? chain_leave(c, verdict) : verdict;
}

/* A packet from N6, by a row of a chain, and by a plain rule. */
static __always_inline int deliver_row6(const struct row *row, __u32 length)
{
	return way6_new(row->teid, row->peer, row->qfi, WAY_DOWNLINK, ETH_HLEN, length, row) ? DELIVER6 : XDP_DROP;
}

static __always_inline int deliver_rule6(const struct dl_rule *rule, __u32 length)
{
	return way6_new(rule->teid, rule->peer, rule->qfi, WAY_DOWNLINK, ETH_HLEN, length, NULL) ? DELIVER6 : XDP_DROP;
}
