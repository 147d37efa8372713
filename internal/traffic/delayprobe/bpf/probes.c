/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Times a sample of the test packets between the two ports of a UPF: by classifiers at
 * the ports where the kernel's stack receives for it; where XDP does, before the UPF's
 * program and at the other end of the link that it sends to. */
#include <stdbool.h>
#include <linux/bpf.h>
#include <linux/types.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "signature/signature.h"

/* Where the inner packet is behind an Ethernet header of 14 octets and headers without
 * options, as the bench and the UPFs send them, and its signature. */
#define UDP_PORT 36 /* the destination port of an outer UDP header, behind IPv4 */
#define MORE6 20    /* by which headers are longer behind IPv6 */
#define PLAIN 14    /* Ethernet */
#define TUNNEL 50   /* and IPv4, UDP, GTP-U */
#define CONTAINER 58 /* and a PDU session container */
#define BEHIND_IPV4 28 /* IP and UDP */
#define BEHIND_IPV6 48
#define GTP_FLAGS 42
#define GTP_OPTIONAL 0x07
#define GTPU_PORT 2152
#define HEAD (CONTAINER + MORE6 + BEHIND_IPV6 + SIGNATURE_BYTES)
#define SHORT (PLAIN + BEHIND_IPV4 + SIGNATURE_BYTES)

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

/* A packet that went through, as passages.go reads it. */
struct passage {
	__u64 due;       /* ns, CLOCK_MONOTONIC */
	__u32 since_due; /* ns from then until it came in, at most 2^32 - 1 */
	__u32 took;      /* ns from there until it went out, likewise */
	__u32 session;
	__u32 direction;
};

struct tally {
	__u64 in;     /* sampled packets that came in */
	__u64 missed; /* went out when there was no room to say so */
};

volatile const __u32 mask; /* sampled are packets whose hash has none of these bits */

/* Maps, because several programs at different ports share them. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, DIRECTIONS);
	__type(key, __u32);
	__type(value, struct tally);
} counts SEC(".maps");

/* Read every 100 ms: room for two seconds of 60,000 sampled packets/s. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 22);
} passages SEC(".maps");

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

/* The signature in a G-PDU whose outer header ends where one of IPv4 would. */
static __always_inline struct signature *tunnelled(__u8 *head)
{
	__u8 *inner = head + (head[GTP_FLAGS] & GTP_OPTIONAL ? CONTAINER : TUNNEL);

	return (void *)(inner + (*inner >> 4 == 6 ? BEHIND_IPV6 : BEHIND_IPV4));
}

/* The signature of a sampled packet of a trial, not of a warm-up; NULL of any other.
 * head has HEAD octets, zeros behind a shorter frame. */
static __always_inline struct signature *sampled(__u8 *head)
{
	struct signature *s;

	if (head[PLAIN] >> 4 == 6 && *(__be16 *)(head + UDP_PORT + MORE6) == bpf_htons(GTPU_PORT))
		s = tunnelled(head + MORE6);
	else if (head[PLAIN] >> 4 == 6)
		s = (void *)(head + PLAIN + BEHIND_IPV6);
	else if (*(__be16 *)(head + UDP_PORT) != bpf_htons(GTPU_PORT))
		s = (void *)(head + PLAIN + BEHIND_IPV4);
	else
		s = tunnelled(head);
	if (s->magic != SIGNATURE_MAGIC || s->trial & 1 || hash(s) & mask)
		return NULL;
	return s;
}

static __always_inline struct slot *slot_of(const struct signature *s, __u32 d)
{
	__u32 at = d * SLOTS + ((hash(s) >> 8) & (SLOTS - 1));

	return bpf_map_lookup_elem(&slots, &at);
}

static __always_inline void come_in(const struct signature *s, __u32 d)
{
	struct slot *x = slot_of(s, d);
	struct tally *n = bpf_map_lookup_elem(&counts, &d);

	if (!x || !n)
		return;
	x->sequence = s->sequence;
	x->word = s->word;
	x->trial = s->trial;
	x->at = bpf_ktime_get_ns();
	__sync_fetch_and_add(&n->in, 1);
}

/* between is how much later b is than a, ns. */
static __always_inline __u32 between(__u64 a, __u64 b)
{
	if (b < a)
		return 0;
	return b - a > 0xffffffff ? 0xffffffff : b - a;
}

static __always_inline void go_out(const struct signature *s, __u32 d)
{
	struct slot *x = slot_of(s, d);
	struct tally *n = bpf_map_lookup_elem(&counts, &d);
	struct passage *p;
	__u64 at;

	if (!x || !n)
		return;
	at = x->at;
	if (!at || x->sequence != s->sequence || x->word != s->word || x->trial != s->trial)
		return;
	x->at = 0; /* a copy is not timed */
	p = bpf_ringbuf_reserve(&passages, sizeof(*p), 0);
	if (!p) {
		__sync_fetch_and_add(&n->missed, 1);
		return;
	}
	p->due = s->intended;
	p->since_due = between(s->intended, at);
	p->took = between(at, bpf_ktime_get_ns());
	p->session = signature_session(s->word);
	p->direction = d;
	bpf_ringbuf_submit(p, BPF_RB_NO_WAKEUP);
}

static __always_inline int classified(struct __sk_buff *skb, __u32 d, bool in)
{
	__u32 length = skb->len;
	__u8 head[HEAD] = {};
	struct signature *s;

	if (length > HEAD)
		length = HEAD;
	asm volatile("" : "+r"(length)); /* so that the verifier sees the bounds, also that of Linux 6.1 */
	if (length < SHORT || bpf_skb_load_bytes(skb, 0, head, length))
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

	if (length > HEAD)
		length = HEAD;
	asm volatile("" : "+r"(length));
	if (length >= SHORT && !bpf_xdp_load_bytes(ctx, 0, head, length))
		s = sampled(head);
	if (s && comes_in)
		come_in(s, direction & 1);
	else if (s)
		go_out(s, direction & 1);
	bpf_tail_call(ctx, &next, 0);
	return XDP_DROP; /* the program is gone, and takes its port with it */
}

char _license[] SEC("license") = "Dual BSD/GPL";
