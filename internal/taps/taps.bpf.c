//go:build ignore
/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Times a sample of the test packets between the two ports of a UPF: by classifiers at
 * the ports where the kernel's stack receives for it; where XDP does, before the UPF's
 * program and at the other end of the link that it sends to. */
#include <stdbool.h>
#include <linux/bpf.h>
#include <linux/types.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "histogram/histogram.h"
#include "signature/signature.h"

/* Where the signature is behind an Ethernet header of 14 octets and headers without
 * options, as the bench and the UPFs send them. */
#define UDP_PORT 36 /* the destination port of the first UDP header */
#define PLAIN 42    /* Ethernet, IPv4, UDP */
#define TUNNEL 78   /* and GTP-U, IPv4, UDP */
#define CONTAINER 86 /* and a PDU session container */
#define GTP_FLAGS 42
#define GTP_OPTIONAL 0x07
#define GTPU_PORT 2152
#define HEAD (CONTAINER + SIGNATURE_BYTES)
#define SHORT (PLAIN + SIGNATURE_BYTES)

#define NEXT -1 /* TCX_NEXT: on to other classifiers */

enum direction { UPLINK, DOWNLINK, DIRECTIONS };

#define SLOTS 8192

/* A packet that has come in and not gone out. */
struct slot {
	__u64 at; /* ns, CLOCK_MONOTONIC; 0: none */
	__u64 sequence;
	__u32 word;
	__u16 trial;
	__u16 pad;
};

struct delays {
	__u64 counts[HISTOGRAM_BUCKETS];
	__u64 sum;     /* ns */
	__u64 in;      /* sampled packets that came in */
	__u64 matched; /* and went out */
	/* From when a packet was due until it went out; of several classes. */
	__u64 since_due[HISTOGRAM_BUCKETS];
	__u64 since_due_sum; /* ns */
};

volatile const __u32 mask; /* sampled are packets whose hash has none of these bits */

/* Classes of traffic: session i has class_of[i % turn]. */
#define TURN_MAX 256
volatile const __u32 classes = 1;
volatile const __u32 turn = 1;
volatile const __u8 class_of[TURN_MAX];

/* Of each direction and class. Maps, because several programs at different ports share them. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, DIRECTIONS); /* times classes, set by the loader */
	__type(key, __u32);
	__type(value, struct delays);
} delays SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, DIRECTIONS * SLOTS);
	__type(key, __u32);
	__type(value, struct slot);
} slots SEC(".maps");

static __always_inline __u32 hash(const struct signature *s)
{
	return (__u32)(s->sequence + signature_session(s->word) * 0x9e3779b1u) * 0x9e3779b1u >> 8;
}

/* The signature of a sampled packet of a trial, not of a warm-up; NULL of any other.
 * head has HEAD octets. */
static __always_inline struct signature *sampled(__u8 *head)
{
	struct signature *s = (void *)(head + PLAIN);

	if (*(__be16 *)(head + UDP_PORT) == bpf_htons(GTPU_PORT))
		s = (void *)(head + (head[GTP_FLAGS] & GTP_OPTIONAL ? CONTAINER : TUNNEL));
	if (s->magic != SIGNATURE_MAGIC || s->trial & 1 || hash(s) & mask)
		return NULL;
	return s;
}

static __always_inline void add(struct delays *d, __u64 ns)
{
	__u32 bucket = histogram_bucket(ns);

	if (bucket < HISTOGRAM_BUCKETS)
		__sync_fetch_and_add(&d->counts[bucket], 1);
	__sync_fetch_and_add(&d->sum, ns);
	__sync_fetch_and_add(&d->matched, 1);
}

static __always_inline struct slot *slot_of(const struct signature *s, __u32 d)
{
	__u32 at = d * SLOTS + ((hash(s) >> 8) & (SLOTS - 1));

	return bpf_map_lookup_elem(&slots, &at);
}

static __always_inline struct delays *delays_of(const struct signature *s, __u32 d)
{
	__u32 at = d;

	if (classes > 1)
		at = d * classes + class_of[signature_session(s->word) % turn & (TURN_MAX - 1)];
	return bpf_map_lookup_elem(&delays, &at);
}

/* add_since_due adds how long ago a packet was due. */
static __always_inline void add_since_due(struct delays *d, __u64 due, __u64 now)
{
	__u32 bucket;

	if (classes < 2 || now < due)
		return;
	bucket = histogram_bucket(now - due);
	if (bucket < HISTOGRAM_BUCKETS)
		__sync_fetch_and_add(&d->since_due[bucket], 1);
	__sync_fetch_and_add(&d->since_due_sum, now - due);
}

static __always_inline void come_in(const struct signature *s, __u32 d)
{
	struct slot *x = slot_of(s, d);
	struct delays *all = delays_of(s, d);

	if (!x || !all)
		return;
	x->sequence = s->sequence;
	x->word = s->word;
	x->trial = s->trial;
	x->at = bpf_ktime_get_ns();
	__sync_fetch_and_add(&all->in, 1);
}

static __always_inline void go_out(const struct signature *s, __u32 d)
{
	struct slot *x = slot_of(s, d);
	struct delays *all = delays_of(s, d);
	__u64 at, now;

	if (!x || !all)
		return;
	at = x->at;
	if (!at || x->sequence != s->sequence || x->word != s->word || x->trial != s->trial)
		return;
	x->at = 0; /* a copy is not timed */
	now = bpf_ktime_get_ns();
	add(all, now - at);
	add_since_due(all, s->intended, now);
}

static __always_inline int classified(struct __sk_buff *skb, __u32 d, bool in)
{
	__u8 head[HEAD] = {};
	struct signature *s;

	if (skb->len < SHORT || bpf_skb_load_bytes(skb, 0, head, skb->len < HEAD ? SHORT : HEAD))
		return NEXT;
	s = sampled(head);
	if (s && in)
		come_in(s, d);
	else if (s)
		go_out(s, d);
	return NEXT;
}

SEC("tcx/ingress")
int n3_in(struct __sk_buff *skb)
{
	return classified(skb, UPLINK, true);
}

SEC("tcx/egress")
int n6_out(struct __sk_buff *skb)
{
	return classified(skb, UPLINK, false);
}

SEC("tcx/ingress")
int n6_in(struct __sk_buff *skb)
{
	return classified(skb, DOWNLINK, true);
}

SEC("tcx/egress")
int n3_out(struct __sk_buff *skb)
{
	return classified(skb, DOWNLINK, false);
}

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} next SEC(".maps");

/* What a port's XDP program is preceded by: set before it is loaded. */
volatile const __u32 direction;
volatile const bool comes_in;

SEC("xdp")
int before(struct xdp_md *ctx)
{
	__u64 length = bpf_xdp_get_buff_len(ctx);
	__u8 head[HEAD] = {};
	struct signature *s = NULL;

	if (length >= SHORT && !bpf_xdp_load_bytes(ctx, 0, head, length < HEAD ? SHORT : HEAD))
		s = sampled(head);
	if (s && comes_in)
		come_in(s, direction & 1);
	else if (s)
		go_out(s, direction & 1);
	bpf_tail_call(ctx, &next, 0);
	return XDP_DROP; /* the program is gone, and takes its port with it */
}

char _license[] SEC("license") = "Dual BSD/GPL";
