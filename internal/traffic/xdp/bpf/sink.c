/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The sink. It finds the signature by parsing, compares every header with what
 * the rules ask for (and all bytes of a sample), follows each stream's sequence,
 * and records latency. A wrong packet is counted apart, never as received. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "headers.h"
#include "histogram/histogram.h"
#include "track.h"
#include "window.h"

#define SAMPLE_MASK 63 /* one payload in 64 is compared whole */
#define PAYLOAD_MAX 8900
#define CONTENT_MAX (PAYLOAD_MAX - SIGNATURE_BYTES + 4) /* rounded up to 8 */

/* Why a packet is wrong. The same, in the same order, as Faults of package traffic. */
enum wrong {
	WRONG_ETHERNET,
	WRONG_OUTER_IP,
	WRONG_OUTER_UDP,
	WRONG_GTP,
	WRONG_TEID,
	WRONG_PSC,
	WRONG_QFI,
	WRONG_NOT_ENCAPSULATED,
	WRONG_STILL_ENCAPSULATED,
	WRONG_INNER_IP,
	WRONG_INNER_ADDRESS,
	WRONG_INNER_UDP,
	WRONG_CHECKSUM,
	WRONG_PAYLOAD,
	WRONG_SIGNATURE,
	WRONG_COUNT,
};

/* What is to arrive; set before the program is loaded. */
struct expect {
	__u32 encapsulated; /* 1: as G-PDU */
	__u32 outer6;       /* 1: the outer headers are of IPv6 */
	__u32 upf, gnb;     /* the outer addresses of IPv4, network order; of IPv6 gnb is the last word */
	__u32 upf6[4], gnb6[4]; /* those of IPv6; in the last word of gnb6, streams may differ */
	__u32 uplink;       /* 1: the UE is the source of the inner packet */
	__u32 peer;         /* network order: the inner IPv4 address that is not the UE's */
	__u32 ue6[4], peer6[4]; /* the same of IPv6; of the UE's, streams differ in the second word */
	__u32 families;     /* of the UEs, or-ed */
	__u32 psc;          /* 1: a PDU session container must be there */
	__u8 psc_type;      /* TS 38.415 clause 5.5.2: 0 downlink, 1 uplink */
	__u8 qfi;
	__u8 mac[6];
	__u16 fragment;     /* of the inner IPv4 header, network order; not 0: DF, with any identification */
	__u8 ecn;           /* of the inner header (RFC 3168) */
	__u8 pad;
};

/* One kind of packet, as it is to arrive. */
struct expected_shape {
	__u64 udp_sum;      /* more than the first shape's */
	__u16 source_port, destination_port; /* inner, network order */
	__u16 ip_length;    /* inner total length, network order */
	__u16 udp_length;   /* inner, network order */
	__u16 payload;      /* bytes */
	__u16 pad[3];
};

/* One address of a UE, as it is to arrive. */
struct expected_stream {
	__u64 udp_sum; /* as the generator's, of the first shape */
	__u32 teid;    /* network order; of the G-PDU that arrives */
	__u32 ue;      /* network order; of IPv6 the second word */
	__u32 gnb;     /* where streams differ in it; network order; of IPv6 the last word */
	__u32 back;    /* network order; the TEID of a G-PDU that goes back */
	__u8 qfi;      /* where streams differ in it */
	__u8 ipv6;     /* 1: the UE has IPv6 */
	__u16 port;    /* where streams have inner source ports of their own; network order */
	__u8 pad[4];
};

/* How packets go back; set before the program is loaded. */
struct turn {
	__u32 inner;        /* where the inner packet is then: ETH_LEN, or BACK_TUNNEL; 0: none goes back */
	__u32 lanes, below; /* only sessions whose number modulo lanes is below that */
	__u32 pad;
	__u8 headers[64];   /* what is before it, but for what sessions and lengths differ in */
};

struct totals {
	__u64 rx, bytes, marked, duplicates, reordered, stale, foreign;
	__u64 uncounted;   /* received, but in no window */
	__u64 first, last; /* ns */
	__u64 latency_sum, latency_min, latency_max;
	__u64 actual_sum, actual_min, actual_max;
	__u64 jitter_sum, jitter_count; /* 1/16 ns */
	__u64 ipdv_count, ipdv_sum, ipdv_min, ipdv_max; /* ns */
	__u64 extent_count, extent_sum, extent_min, extent_max, extent_unknown; /* packets */
	__u64 turned, turn_sum; /* packets sent back; ns that they were here */
	__u64 return_count, return_sum, return_min, return_max; /* those that came back; ns */
	__u64 wrong[WRONG_COUNT];
	struct track_finding found; /* by the packet under way */
};

/* What was received of a window: Received of package window. */
struct received_window {
	struct window_head head;
	__u64 packets, bytes, jitter_sum, jitter_count, marked;
	struct window_values latency, actual, ipdv;
};

volatile const struct expect want;
volatile const __u32 stream_count;
volatile const __u32 shape_count;
volatile const __u32 contents; /* 1: not all payloads are fill alone */
volatile const __u32 qfis; /* 1: streams differ in their QFI */
volatile const __u32 gnbs; /* 1: streams differ in their gNB */
volatile const __u32 own_ports; /* 1: streams have inner source ports of their own */
volatile const struct expected_shape only; /* the shape, if there is but one */
volatile const __u32 windowed; /* 1: what arrives is counted by windows; the whole trial's sums are theirs */
volatile const __u32 window_parts; /* of the ring, for as many who receive at the same time */
volatile const __u32 window_by_cpu; /* 1: a part is a CPU's, 0: a queue's */
volatile const __u32 locked; /* 1: packets arrive on several CPUs at the same time */
volatile const struct turn back;
volatile __u16 trial; /* only frames of this trial count */
volatile __u64 ahead; /* ns, what is added to this host's clock; modulo 2^64 */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* set by the loader */
	__type(key, __u32);
	__type(value, struct received_window);
} windows SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set by the loader */
	__type(key, __u32);
	__type(value, struct expected_stream);
} expected SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set by the loader */
	__type(key, __u32);
	__type(value, struct track);
} tracks SEC(".maps");

/* Where a session's packets may arrive on several CPUs at the same time, its track has a
 * lock. */
struct track_lock {
	struct bpf_spin_lock lock;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set by the loader */
	__type(key, __u32);
	__type(value, struct track_lock);
} track_locks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct totals);
} totals SEC(".maps");

/* Histograms, one for each CPU behind the other, mapped into user space: read in
 * microseconds while a trial runs. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, HISTOGRAM_BUCKETS); /* times CPUs, set by the loader */
	__type(key, __u32);
	__type(value, __u64);
} latency SEC(".maps"), actual SEC(".maps"), ipdv SEC(".maps"), extents SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set by the loader */
	__type(key, __u32);
	__type(value, struct expected_shape);
} expected_shapes SEC(".maps");

#ifdef STAMPED
extern int bpf_xdp_metadata_rx_timestamp(const struct xdp_md *ctx, __u64 *timestamp) __ksym;

/* What the NIC's times of reception come to. */
struct stamps {
	__u64 with, without; /* packets that have such a time, and others */
	__u64 early;         /* by their time received before they were due: the clocks do not agree */
	__u64 sum, min, max; /* of the latencies, ns */
};

/* By how much CLOCK_MONOTONIC is ahead of the NIC's clock, ns, modulo 2^64. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} stamp_ahead SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct stamps);
} stamp_totals SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, HISTOGRAM_BUCKETS); /* times CPUs, set by the loader */
	__type(key, __u32);
	__type(value, __u64);
} stamp_latency SEC(".maps");
#endif

struct content {
	__u8 bytes[CONTENT_MAX];
};

/* Payloads behind the signature, by shape. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set by the loader */
	__type(key, __u32);
	__type(value, struct content);
} payloads SEC(".maps");

/* The inner destination ports of all shapes, if there are several. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set by the loader */
	__type(key, __u16); /* network order */
	__type(value, __u8);
} ports SEC(".maps");

/* The first bytes of the newest wrong packet, for people. */
struct specimen {
	__u32 why, length;
	__u8 bytes[128];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct specimen);
} specimens SEC(".maps");

/* A frame on its way through the checks. wrong holds the first fault, or -1. */
struct frame {
	void *data, *end;
	__u32 inner; /* offset of the inner IP header */
	__u32 ip;    /* its length */
	__u32 encapsulated;
	__u32 teid;
	__u32 qfi;   /* QFI_NONE: it has no container */
	__u32 gnb;   /* the outer address at the gNB's end; of IPv6 its last word */
	__u32 marked; /* the inner packet says that it met congestion */
	int wrong;
};

#define QFI_NONE 64
#define ECN_CE 3 /* RFC 3168 clause 5 */

static __always_inline void fault(struct frame *f, int why)
{
	if (f->wrong < 0)
		f->wrong = why;
}

static __always_inline int same_mac(const __u8 *a)
{
	return a[0] == want.mac[0] && a[1] == want.mac[1] && a[2] == want.mac[2] &&
	       a[3] == want.mac[3] && a[4] == want.mac[4] && a[5] == want.mac[5];
}

/* check_psc reads the one extension header we expect, a PDU session container,
 * and moves past it. Other extension headers are a fault. */
static __always_inline void check_psc(struct frame *f)
{
	struct gtp_psc *psc = f->data + f->inner;

	if ((void *)(psc + 1) > f->end)
		return fault(f, WRONG_GTP);
	f->inner += (psc->length & 7) * 4;
	if (psc->length != 1 || psc->next)
		return fault(f, WRONG_GTP);
	f->qfi = psc->qfi & 0x3f;
	if (psc->type >> 4 != want.psc_type || (!qfis && f->qfi != want.qfi))
		fault(f, WRONG_QFI);
}

/* check_gtp reads what follows an outer UDP header, whose end is known when this is compiled. */
static __always_inline void check_gtp(struct frame *f, const __u32 at)
{
	struct gtp_header *gtp = f->data + at;
	struct gtp_optional *opt = (void *)(gtp + 1);

	f->inner = at + sizeof(*gtp);
	if (gtp->type != GTP_GPDU || (gtp->flags & 0xf0) != 0x30)
		fault(f, WRONG_GTP);
	if (bpf_ntohs(gtp->length) != f->end - (void *)(gtp + 1))
		fault(f, WRONG_GTP);
	f->teid = gtp->teid;
	if (!(gtp->flags & 0x07)) {
		if (want.psc)
			fault(f, WRONG_PSC);
		return;
	}
	f->inner += sizeof(*opt);
	if ((void *)(opt + 1) > f->end)
		return fault(f, WRONG_GTP);
	if ((gtp->flags & GTP_E) && opt->next == GTP_EXT_PSC)
		check_psc(f);
	else if (want.psc)
		fault(f, WRONG_PSC);
}

static __always_inline void check_outer(struct frame *f, struct ip_header *ip, struct udp_header *udp)
{
	__u32 upf = ip->source, gnb = ip->destination;

	if (want.psc_type) { /* the G-PDU is still the gNB's */
		gnb = ip->source;
		upf = ip->destination;
	}
	f->gnb = gnb;
	if (upf != want.upf || (!gnbs && gnb != want.gnb))
		fault(f, WRONG_OUTER_IP);
	if (bpf_ntohs(ip->length) != f->end - (void *)ip || ip_sum(ip) != 0xffff)
		fault(f, WRONG_OUTER_IP);
	if (bpf_ntohs(udp->length) != f->end - (void *)udp)
		fault(f, WRONG_OUTER_UDP);
}

/* differs6 returns whether an address is another one. */
static __always_inline int differs6(const __u32 *a, const volatile __u32 *b)
{
	return a[0] != b[0] || a[1] != b[1] || a[2] != b[2] || a[3] != b[3];
}

/* check_outer6 does what check_outer does for IPv6 (RFC 8200). */
static __always_inline void check_outer6(struct frame *f, struct ip6_header *ip, struct udp_header *udp)
{
	const __u32 *upf = ip->source, *gnb = ip->destination;

	if (want.psc_type) { /* the G-PDU is still the gNB's */
		gnb = ip->source;
		upf = ip->destination;
	}
	f->gnb = gnb[3];
	if (differs6(upf, want.upf6) || gnb[0] != want.gnb6[0] || gnb[1] != want.gnb6[1] || gnb[2] != want.gnb6[2] ||
	    (!gnbs && gnb[3] != want.gnb6[3]))
		fault(f, WRONG_OUTER_IP);
	if (bpf_ntohs(ip->length) != f->end - (void *)udp)
		fault(f, WRONG_OUTER_IP);
	if (bpf_ntohs(udp->length) != f->end - (void *)udp || !udp->check)
		fault(f, WRONG_OUTER_UDP); /* nobody has agreed to go without a checksum: RFC 6936 clause 5 */
}

/* open_tunnel6 finds the inner packet of a G-PDU over IPv6. */
static __always_inline int open_tunnel6(struct frame *f, struct ether_header *eth, struct ip6_header *ip,
					struct udp_header *udp)
{
	if (f->data + UDP6_END + sizeof(struct gtp_header) > f->end)
		return -1;
	if (!same_mac(eth->destination))
		fault(f, WRONG_ETHERNET);
	f->encapsulated = 1;
	if (!want.encapsulated)
		fault(f, WRONG_STILL_ENCAPSULATED);
	else
		check_outer6(f, ip, udp);
	check_gtp(f, UDP6_END);
	return 0;
}

/* open_ipv6 finds the packet of a frame of IPv6. */
static __always_inline int open_ipv6(struct frame *f, struct ether_header *eth)
{
	struct ip6_header *ip = f->data + ETH_LEN;
	struct udp_header *udp = (void *)(ip + 1);

	if ((*(__u8 *)ip >> 4) != 6 || ip->next != IPPROTO_UDP_)
		return -1;
	if (want.outer6) {
		if ((void *)(udp + 1) > f->end)
			return -1;
		if (udp->destination == bpf_htons(GTP_PORT))
			return open_tunnel6(f, eth, ip, udp);
		if (!(want.families & FAMILY_IPV6))
			return -1;
	}
	if (!same_mac(eth->destination))
		fault(f, WRONG_ETHERNET);
	f->inner = ETH_LEN;
	if (want.encapsulated)
		fault(f, WRONG_NOT_ENCAPSULATED);
	return 0;
}

/* open_frame finds the inner packet. Negative: the frame is none of ours. */
static __always_inline int open_frame(struct frame *f)
{
	struct ether_header *eth = f->data;
	struct ip_header *ip = f->data + ETH_LEN;
	struct udp_header *udp = f->data + ETH_LEN + IP_LEN;

	if (f->data + UDP_END + sizeof(struct gtp_header) > f->end)
		return -1;
	if (((want.families & FAMILY_IPV6) || want.outer6) && eth->type == bpf_htons(ETH_IPV6))
		return open_ipv6(f, eth);
	if (eth->type != bpf_htons(ETH_IPV4) || ip->version_ihl != 0x45 || ip->protocol != IPPROTO_UDP_)
		return -1;
	if (!same_mac(eth->destination))
		fault(f, WRONG_ETHERNET);
	f->inner = ETH_LEN;
	f->encapsulated = udp->destination == bpf_htons(GTP_PORT);
	if (!f->encapsulated) {
		if (want.encapsulated)
			fault(f, WRONG_NOT_ENCAPSULATED);
		return 0;
	}
	if (!want.encapsulated)
		fault(f, WRONG_STILL_ENCAPSULATED);
	else if (want.outer6)
		fault(f, WRONG_OUTER_IP); /* of the other family: nothing else of it can be right */
	else
		check_outer(f, ip, udp);
	check_gtp(f, UDP_END);
	return 0;
}

/* wrong_class returns whether a traffic class is neither the one that was sent nor, where that
 * allows it, the mark of congestion. */
static __always_inline int wrong_class(struct frame *f, __u32 class)
{
	f->marked = want.ecn && class == ECN_CE;
	return class != want.ecn && !f->marked;
}

/* check_ipv4 compares an inner IP header with the stream's. */
static __always_inline void check_ipv4(struct frame *f, struct ip_header *ip, struct expected_stream *s,
				       const volatile struct expected_shape *h)
{
	__u32 source = want.uplink ? s->ue : want.peer;
	__u32 destination = want.uplink ? want.peer : s->ue;

	if (ip->length != h->ip_length || (!want.fragment && ip->id != bpf_htons(1)) ||
	    ip->fragment != want.fragment || wrong_class(f, ip->tos))
		fault(f, WRONG_INNER_IP);
	if (ip->ttl > 64 || ip->ttl < 60 || ip_sum(ip) != 0xffff)
		fault(f, WRONG_INNER_IP);
	if (ip->source != source || ip->destination != destination)
		fault(f, WRONG_INNER_ADDRESS);
}

/* other6 returns whether an address is not the data network's. */
static __always_inline int other6(const __u32 *a)
{
	return a[0] != want.peer6[0] || a[1] != want.peer6[1] || a[2] != want.peer6[2] || a[3] != want.peer6[3];
}

/* other_ue6 returns whether an address is not the UE's. */
static __always_inline int other_ue6(const __u32 *a, __u32 ue)
{
	return a[0] != want.ue6[0] || a[1] != ue || a[2] != want.ue6[2] || a[3] != want.ue6[3];
}

/* check_ipv6 does the same for IPv6 (RFC 8200). */
static __always_inline void check_ipv6(struct frame *f, struct ip6_header *ip, struct expected_stream *s,
				       const volatile struct expected_shape *h)
{
	const __u32 *ue = want.uplink ? ip->source : ip->destination;
	const __u32 *peer = want.uplink ? ip->destination : ip->source;

	__u32 head = bpf_ntohl(ip->version_class_flow);

	if ((head & 0xf00fffff) != 0x60000000 || wrong_class(f, (head >> 20) & 0xff) || ip->length != h->udp_length ||
	    ip->next != IPPROTO_UDP_ || ip->hops > 64 || ip->hops < 60)
		fault(f, WRONG_INNER_IP);
	if (other6(peer) || other_ue6(ue, s->ue))
		fault(f, WRONG_INNER_ADDRESS);
}

/* check_inner compares the inner IP and UDP headers with the stream's. */
static __always_inline void check_inner(struct frame *f, void *ip, struct inner_datagram *in, struct expected_stream *s,
					const volatile struct expected_shape *h)
{
	__u64 sum;

	if (want.families != FAMILY_IPV4 && s->ipv6 != (f->ip == IP6_LEN))
		return fault(f, WRONG_INNER_IP); /* of the other family: nothing else of it can be right */
	if (f->ip == IP6_LEN)
		check_ipv6(f, ip, s, h);
	else
		check_ipv4(f, ip, s, h);
	if (in->udp.source != (own_ports ? s->port : h->source_port) || in->udp.destination != h->destination_port ||
	    in->udp.length != h->udp_length)
		fault(f, WRONG_INNER_UDP);
	if (f->end - (void *)in != bpf_ntohs(h->udp_length))
		fault(f, WRONG_PAYLOAD); /* cut short, or with something behind it */
	sum = s->udp_sum + h->udp_sum +
	      signature_varying_sum(in->sig.trial, in->sig.sequence, in->sig.intended, in->sig.sent);
	if (in->udp.check != checksum_finish_udp(sum))
		fault(f, WRONG_CHECKSUM);
}

/* wrong_outer_sum returns whether the checksum of an outer UDP datagram over IPv6 is wrong. Its inner packet
 * is right, so that it adds up to what its own checksums say: the payload need not be read, and is compared
 * whole in a sample. */
static __always_inline int wrong_outer_sum(struct frame *f, void *ip)
{
	const struct ip6_header *outer = f->data + ETH_LEN;
	const struct udp_header *udp = (void *)(outer + 1);
	__u64 sum, inner;

	asm volatile("" : "+r"(ip)); /* so that the verifier sees the bounds */
	if (f->data + UDP6_END + sizeof(struct gtp_header) + sizeof(struct gtp_optional) + sizeof(struct gtp_psc) > f->end ||
	    ip + IP6_LEN + UDP_LEN > f->end)
		return 1;
	/* The pseudo-header, the UDP and the GTP-U header, and what of the latter is optional. */
	sum = sum_of(outer->source, 8) + udp->length + bpf_htons(IPPROTO_UDP_) + sum_of(udp, 4);
	if (f->inner > UDP6_END + sizeof(struct gtp_header))
		sum += sum_of((void *)udp + UDP_LEN + sizeof(struct gtp_header), 1);
	if (f->inner > UDP6_END + sizeof(struct gtp_header) + sizeof(struct gtp_optional))
		sum += sum_of((void *)udp + UDP_LEN + sizeof(struct gtp_header) + sizeof(struct gtp_optional), 1);
	/* The inner datagram with its pseudo-header adds up to nothing, as does a header of IPv4. */
	if (f->ip == IP6_LEN) {
		inner = sum_of(ip + 8, 8) + ((struct ip6_header *)ip)->length + bpf_htons(IPPROTO_UDP_);
		sum += sum_of(ip, 10);
	} else {
		inner = sum_of(ip + 12, 2) + ((struct udp_header *)(ip + IP_LEN))->length + bpf_htons(IPPROTO_UDP_);
	}
	return checksum_fold(sum + (__u16)~checksum_fold(inner)) != 0xffff;
}

/* differs compares left bytes of a frame, from offset at, with the fill, or with
 * the content of a shape. Not static: so it is verified once, and apart. */
__noinline int differs(struct xdp_md *ctx, __u32 at, __u32 left, __u32 shape)
{
	void *p = (void *)(long)ctx->data + (at & 0xff), *end = (void *)(long)ctx->data_end;
	__u32 key = contents ? shape : 0;
	struct content *c = bpf_map_lookup_elem(&payloads, &key);
	const __u64 fill = 0x7878787878787878ULL;
	int i;

	if (!c)
		return 1;
	for (i = 0; i < CONTENT_MAX / 8; i++) {
		asm volatile("" : "+r"(p));
		if (left < 8 || p + 8 > end)
			break;
		if (*(__u64 *)p != (contents ? ((__u64 *)c)[i] : fill))
			return 1;
		p += 8;
		left -= 8;
	}
	for (int j = 0; j < 7; j++) {
		asm volatile("" : "+r"(p));
		if (!left || i >= CONTENT_MAX / 8 || p + 1 > end)
			break;
		if (*(__u8 *)p != (contents ? c->bytes[8 * i + j] : SIGNATURE_FILL))
			return 1;
		p++;
		left--;
	}
	return left ? 1 : 0;
}

static __always_inline void count(void *map, __u64 value)
{
	__u32 bucket = histogram_bucket(value) + bpf_get_smp_processor_id() * HISTOGRAM_BUCKETS;
	__u64 *n = bpf_map_lookup_elem(map, &bucket);

	if (n)
		(*n)++;
}

static __always_inline void count_variation(struct totals *t, struct received_window *w, __u64 d)
{
	if (windowed) {
		if (w)
			window_add(&w->ipdv, d);
		return;
	}
	if (!t->ipdv_count++ || d < t->ipdv_min)
		t->ipdv_min = d;
	if (d > t->ipdv_max)
		t->ipdv_max = d;
	t->ipdv_sum += d;
	count(&ipdv, d);
}

/* count_reordered books by how much a packet is late. */
static __always_inline void count_reordered(struct totals *t, __u64 extent)
{
	t->reordered++;
	if (!extent) {
		t->extent_unknown++;
		return;
	}
	if (!t->extent_count++ || extent < t->extent_min)
		t->extent_min = extent;
	if (extent > t->extent_max)
		t->extent_max = extent;
	t->extent_sum += extent;
	count(&extents, extent);
}

/* window_at is where to count a packet that was due at a time; 0: nowhere. Frames of
 * one queue arrive one after the other; without queues, those of one CPU do. */
static __always_inline struct received_window *window_at(struct xdp_md *ctx, __u64 intended)
{
	__u32 part = window_by_cpu ? bpf_get_smp_processor_id() : ctx->rx_queue_index;

	if (part < window_parts)
		return window_find(&windows, intended, part, window_parts);
	/* Nobody has counted on this one: the window is not complete. */
	part = (intended >> WINDOW_BITS) & (WINDOW_RING - 1);
	struct received_window *first = bpf_map_lookup_elem(&windows, &part);
	if (first)
		window_refuse(&first->head, intended >> WINDOW_BITS);
	return 0;
}

/* A packet that arrived right and for the first time. */
struct arrival {
	__u64 now, intended, sent;
	__u32 length, marked;
};

/* measure_whole adds a packet's delays to the sums of the whole trial. */
static __always_inline void measure_whole(struct totals *t, __u64 l, __u64 a)
{
	t->latency_sum += l;
	t->actual_sum += a;
	if (t->rx == 1 || l < t->latency_min)
		t->latency_min = l;
	if (l > t->latency_max)
		t->latency_max = l;
	if (t->rx == 1 || a < t->actual_min)
		t->actual_min = a;
	if (a > t->actual_max)
		t->actual_max = a;
	count(&latency, l);
	count(&actual, a);
}

/* measure_window adds them to those of the packet's window. */
static __always_inline void measure_window(struct totals *t, struct received_window *w, const struct arrival *p, __u64 l, __u64 a)
{
	if (!w) {
		t->uncounted++;
		return;
	}
	w->packets++;
	w->bytes += p->length;
	w->marked += p->marked;
	window_add(&w->latency, l);
	window_add(&w->actual, a);
}

/* estimate adds the jitter after a packet. */
static __always_inline void estimate(struct totals *t, struct received_window *w, __u64 jitter)
{
	if (!windowed) {
		t->jitter_sum += jitter;
		t->jitter_count++;
	} else if (w) {
		w->jitter_sum += jitter;
		w->jitter_count++;
	}
}

#ifdef STAMPED
/* stamp adds how long after it was due the NIC received a packet. */
static __always_inline void stamp(struct xdp_md *ctx, __u64 intended)
{
	__u32 zero = 0;
	__u64 at = 0, l;
	struct stamps *s = bpf_map_lookup_elem(&stamp_totals, &zero);
	__u64 *ahead_of = bpf_map_lookup_elem(&stamp_ahead, &zero);

	if (!s || !ahead_of)
		return;
	if (bpf_xdp_metadata_rx_timestamp(ctx, &at) || !at) {
		s->without++;
		return;
	}
	l = at + *ahead_of - intended;
	if ((__s64)l < 0) {
		s->early++;
		return;
	}
	if (!s->with++ || l < s->min)
		s->min = l;
	if (l > s->max)
		s->max = l;
	s->sum += l;
	count(&stamp_latency, l);
}
#endif

/* measure records its latency. */
static __always_inline void measure(struct xdp_md *ctx, struct totals *t, const struct track_finding *f,
				    const struct arrival *p)
{
	__u64 l = p->now - p->intended, a = p->now - p->sent;
	struct received_window *w = windowed ? window_at(ctx, p->intended) : 0;

	if (!t->rx++)
		t->first = p->now;
	t->last = p->now;
	t->marked += p->marked;
	t->bytes += p->length;
	if (windowed)
		measure_window(t, w, p, l, a);
	else
		measure_whole(t, l, a);
	if (f->before)
		count_variation(t, w, f->difference[0]);
	if (f->after)
		count_variation(t, w, f->difference[1]);
	if (f->jittered)
		estimate(t, w, f->jitter);
}

static __always_inline void keep_specimen(struct xdp_md *ctx, struct frame *f)
{
	__u32 zero = 0;
	__u64 length = f->end - f->data;
	struct specimen *s = bpf_map_lookup_elem(&specimens, &zero);

	if (!s)
		return;
	s->why = f->wrong;
	s->length = length;
	if (length > sizeof(s->bytes))
		length = sizeof(s->bytes);
	asm volatile("" : "+r"(length)); /* so that the verifier sees the bounds, also that of Linux 6.1 */
	if (length >= ETH_LEN)
		bpf_xdp_load_bytes(ctx, 0, s->bytes, length);
}

/* follow finds out what a packet means for its session: found of totals. Not static: so it
 * is verified once, and apart. */
__noinline int follow(__u32 session, __u64 seq, __u64 transit)
{
	__u32 zero = 0;
	struct totals *t = bpf_map_lookup_elem(&totals, &zero);
	struct track *k = bpf_map_lookup_elem(&tracks, &session);
	struct track_lock *l = locked ? bpf_map_lookup_elem(&track_locks, &session) : 0;

	if (!t || !k || (locked && !l))
		return -1;
	if (locked)
		bpf_spin_lock(&l->lock);
	track_arrival(k, seq, transit, trial, &t->found);
	if (locked)
		bpf_spin_unlock(&l->lock);
	track_count(&t->found);
	return 0;
}

/* account books a frame of ours: wrong, again, or received. */
static __always_inline void account(struct xdp_md *ctx, struct frame *f, struct totals *t, __u32 session,
				    __u64 now, struct signature *sig)
{
	struct arrival p = {
		.now = now, .intended = sig->intended, .sent = sig->sent, .length = f->end - f->data,
		.marked = f->marked,
	};
	struct track_finding *found = &t->found;

	if (f->wrong >= 0) {
		if (f->wrong < WRONG_COUNT)
			t->wrong[f->wrong]++;
		return keep_specimen(ctx, f);
	}
	if (follow(session, sig->sequence, now - sig->sent))
		return;
	if (found->verdict == TRACK_DUPLICATE) {
		t->duplicates++;
		return;
	}
	if (found->verdict == TRACK_REORDERED)
		count_reordered(t, found->extent);
	measure(ctx, t, found, &p);
#ifdef STAMPED
	stamp(ctx, p.intended);
#endif
}

/* shape_of is what the rules ask for of a shape; 0: there is none. */
static __always_inline const volatile struct expected_shape *shape_of(__u32 shape)
{
	if (shape_count > 1)
		return bpf_map_lookup_elem(&expected_shapes, &shape);
	return shape ? 0 : &only;
}

/* our_port returns whether frames of ours go to an inner port. */
static __always_inline int our_port(__u16 port)
{
	if (shape_count > 1)
		return !!bpf_map_lookup_elem(&ports, &port);
	return port == only.destination_port;
}

/* sample compares one payload in so many whole. */
static __always_inline void sample(struct xdp_md *ctx, struct frame *f, struct inner_datagram *in, __u32 shape,
				   int payload)
{
	if (in->sig.sequence & SAMPLE_MASK)
		return;
	if (differs(ctx, f->inner + f->ip + sizeof(*in), payload - SIGNATURE_BYTES, shape))
		fault(f, WRONG_PAYLOAD);
}

#include "turn.h"

/* receive books a frame. Not static: so the verifier is done with it when it ends. */
__noinline int receive(struct xdp_md *ctx)
{
	struct frame f = { .data = (void *)(long)ctx->data, .end = (void *)(long)ctx->data_end, .qfi = QFI_NONE, .wrong = -1 };
	__u64 now = bpf_ktime_get_ns() + ahead;
	__u32 zero = 0, index, shape;
	const volatile struct expected_shape *h;
	struct totals *t = bpf_map_lookup_elem(&totals, &zero);
	struct expected_stream *s;
	struct inner_datagram *in;
	void *ip;

	if (!t)
		return XDP_PASS;
	if (open_frame(&f) < 0)
		goto foreign;
	ip = f.data + (f.inner & 0xff);
	if (ip + IP_LEN + sizeof(*in) > f.end)
		goto foreign;
	f.ip = inner_length(want.families, ip);
	in = ip + f.ip;
	if ((void *)(in + 1) > f.end)
		goto foreign;
	if (back.inner && in->sig.magic == SIGNATURE_BACK)
		return come_back(ctx, f.inner, f.encapsulated, f.teid);
	if (in->sig.magic != SIGNATURE_MAGIC) {
		if (!our_port(in->udp.destination))
			goto foreign;
		fault(&f, WRONG_SIGNATURE);
		t->wrong[WRONG_SIGNATURE]++;
		keep_specimen(ctx, &f);
		return XDP_DROP;
	}
	if (in->sig.trial != trial) {
		t->stale++;
		return XDP_DROP;
	}
	index = signature_session(in->sig.word);
	shape = signature_shape(in->sig.word);
	h = shape_of(shape);
	s = bpf_map_lookup_elem(&expected, &index);
	if (!s || !h || index >= stream_count) {
		f.wrong = WRONG_SIGNATURE;
		t->wrong[WRONG_SIGNATURE]++;
		keep_specimen(ctx, &f);
		return XDP_DROP;
	}
	if (f.encapsulated && f.teid != s->teid)
		fault(&f, WRONG_TEID);
	if (gnbs && f.encapsulated && f.gnb != s->gnb)
		fault(&f, WRONG_OUTER_IP);
	if (qfis && f.qfi != QFI_NONE && f.qfi != s->qfi)
		fault(&f, WRONG_QFI);
	check_inner(&f, ip, in, s, h);
	if (want.outer6 && f.encapsulated && f.wrong < 0 && wrong_outer_sum(&f, ip))
		fault(&f, WRONG_OUTER_UDP);
	sample(ctx, &f, in, shape, h->payload);
	if (now < in->sig.sent)
		now = in->sig.sent; /* hosts' clocks agree to so much only */
	account(ctx, &f, t, index, now, &in->sig);
	return XDP_DROP;
foreign:
	t->foreign++;
	return XDP_PASS;
}

SEC("xdp")
int sink(struct xdp_md *ctx)
{
	__u64 arrived, before;
	__u32 zero = 0;
	struct totals *t;

	if (!back.inner)
		return receive(ctx);
	t = bpf_map_lookup_elem(&totals, &zero);
	if (!t)
		return XDP_PASS;
	arrived = bpf_ktime_get_ns();
	before = t->rx;
	int action = receive(ctx);
	return t->rx == before ? action : turn_around(ctx, arrived);
}

/* The far end of a port that only sends: frames to a veth are delivered only if
 * its peer has a program. */
SEC("xdp")
int pass(struct xdp_md *ctx)
{
	return XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";
