/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The generator. BPF_PROG_TEST_RUN with live frames calls a program without end;
 * paced sends a frame when the next slot of the schedule is due and gives the
 * page back when not. Slots that a stall has made late are sent at twice the rate, for
 * no ring before a UPF holds them all at once; where windows are counted, those of a
 * long stall are skipped. One thread runs it, so its state needs no locks.
 *
 * Several sources may send by one schedule. Each goes through all of its slots, by the
 * same arithmetic, and sends those of its own sessions. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "headers.h"
#include "histogram/histogram.h"
#include "window.h"

#define HEADERS_MAX 128 /* Ethernet to inner UDP: 126 with GTP-U over IPv6 and IPv6, rounded up to 8 */
#define NS_FRACTION 16 /* the schedule counts 1/65536 ns */
#define LATE_NS 10000
#define STALL_NS 1000000
#define SKIP_NS 500000 /* a slot that is later is skipped, with all that are due, in windows */
#define SKIPS 64       /* of one call at most */
#define PASSES 64      /* likewise, of slots of other sources */
#define TOGETHER_BITS 5 /* 32 late slots may be sent at once: the eighth part of a veth ring */
#define ARRIVALS 65536
#define ARRIVAL_FRACTION 10
#define GAP_BITS 37 /* a factor has at most 27 */
#define FLOWS 2 /* MaxFlows of engine.go; a power of two */
#define CONTENT_MAX 3520 /* no live frame is longer */
#define SEQUENCE_BITS 48
#define GNBS_MAX 64 /* MaxGNBs of package traffic; a power of two */

/* What user space asks for; written before a trial. */
struct control {
	__u64 start;      /* ns, when slot 0 is due */
	__u64 end;        /* ns, an unpaced trial ends */
	__u64 gap;        /* 1/65536 ns between slots; unused when unpaced */
	__u64 slots;      /* of the trial, after the warm-up */
	__u64 warmup;     /* slots before it (paced), or ns before it (unpaced) */
	__u64 quiet;      /* ns of silence between the two */
	__u32 streams[FLOWS];
	__u32 mask;       /* of a flow's part of the stream table: a power of two - 1 */
	__u16 trial;
	__u16 batch;      /* calls that are flushed together */
	__u32 arrivals;   /* entries of the arrivals table; 0: constant gaps */
	__u32 sequence;   /* entries of the slots table, in a mixture */
	__u32 hold;       /* ns that calls of a batch may wait for their slots, together */
	__u32 reshuffle;  /* each round of a full table goes through it in another order */
	__u32 unused;
};

/* What it did of a flow. */
struct flow_progress {
	__u64 sent, bytes; /* of the trial, in a mixture */
	__u32 stream;      /* of the next slot */
	__u32 lane, source; /* of that stream */
	__u32 pad;
};

/* What it did. */
struct progress {
	__u64 next;      /* 1/65536 ns after start, the next slot */
	__u64 slot;      /* paced: slots that were gone through, with warm-up; unpaced: calls */
	__u64 sent;      /* frames of the trial */
	__u64 first, last; /* ns, first and last frame of the trial */
	__u64 late;      /* sent over LATE_NS after they were due */
	__u64 stalls;    /* gaps between two calls over STALL_NS */
	__u64 lateness_sum, lateness_max, lateness_min;
	__u64 busy;      /* ns of calls that sent a frame, and of flushing batches with frames */
	__u64 previous;  /* ns, the call before */
	__u32 call;      /* of the batch: 0 is its first */
	__u32 held, emitted; /* frames of the batch; whether the last call sent one */
	__u32 gap_at;    /* in the arrivals table */
	__u32 slot_at;   /* in the slots table */
	__u32 run;       /* the kernel's run that the last call was of */
	__u32 round;     /* of the arrivals table */
	__u32 stride;    /* of the round */
	__u64 shifted;   /* ns that the schedule stood still between runs */
	__u64 caught_up; /* ns, when what was sent would be at twice the rate */
	__u64 skip_to;   /* ns, slots that were due before are skipped */
	__u64 skipped;   /* of the trial */
	__u64 hold_until; /* ns, calls of this batch wait no longer */
	struct flow_progress flows[FLOWS];
};

struct flow_sent {
	__u64 packets, bytes;
};

/* What it did in a window: Sent of package window. */
struct sent_window {
	struct window_head head;
	__u64 packets, skipped, late, stalls;
	struct flow_sent flows[FLOWS]; /* in a mixture */
	__u64 pad[5];
	struct window_values lateness;
};

/* What one address of a UE has in a frame. */
struct stream {
	__u64 numbered; /* the next sequence number, and above SEQUENCE_BITS the trial that it counts in */
	__u64 udp_sum;  /* of the inner UDP datagram without what changes */
	__u32 teid;     /* network order */
	__u32 ue;       /* network order; of IPv6 the second word, in which streams differ */
	__u16 inner_ip_check;  /* in a mixture: the sum of the first shape's header */
	__u16 outer_udp_check; /* likewise */
	__u16 port;     /* the inner source port, network order */
	__u8 qfi;              /* of the PDU session container */
	__u8 gnb;              /* index of gnb_addresses; in a mixture with UE_IPV6 */
};

volatile struct control ctl;
volatile struct progress st;
volatile __u32 run; /* which of the kernel's runs this is; user space counts them */
volatile __u64 ahead; /* ns, what is added to this host's clock; modulo 2^64 */
volatile const __u64 headers[HEADERS_MAX / 8]; /* of every frame, but for what a stream differs in */
volatile const __u32 uplink; /* 1: GTP-U, UE is the source; 0: plain, UE is the destination */
volatile const __u32 outer6; /* 1: GTP-U is over IPv6 */
volatile const __u32 ipv6;   /* 1: the inner packets are of IPv6 */
volatile const __u32 word;   /* of the shape, in the signature */
volatile const __u32 mixed;  /* 1: slots send different shapes, families, or flows */
volatile const __u32 families; /* of a mixture, or-ed */
volatile const __u32 contents; /* 1: not all payloads are fill alone */
volatile const __u32 qfis;     /* 1: streams differ in their QFI */
volatile const __u32 gnbs;     /* 1: streams differ in their gNB */
volatile const __u32 ports;    /* 1: streams have inner source ports of their own */
volatile const __u32 gnb_addresses[GNBS_MAX]; /* network order; of IPv6 the last word */
volatile const __u32 windowed; /* 1: what is sent is counted by windows, too */
/* Deal of package traffic: stream i of a flow is of lane i mod lanes, which is that of source
 * (first + lane) mod sources. One source: 0 or 1. */
volatile const __u32 sources, source, lanes[FLOWS], firsts[FLOWS];

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* set by the loader */
	__type(key, __u32);
	__type(value, struct sent_window);
} windows SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set by the loader */
	__type(key, __u32);
	__type(value, struct stream);
} streams SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, HISTOGRAM_BUCKETS);
	__type(key, __u32);
	__type(value, __u64);
} lateness SEC(".maps");

/* Gaps as multiples of ctl.gap, in 1/1024: any arrival process. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, ARRIVALS);
	__type(key, __u32);
	__type(value, __u32);
} arrivals SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, FLOWS);
	__type(key, __u32);
	__type(value, __u32);
} port SEC(".maps");

/* One kind of packet in a mixture. Its sums are what it has more than the first
 * shape of its flow, so that a stream's and a shape's add up. */
struct shape {
	__u64 headers[HEADERS_MAX / 8];
	__u64 udp_sum;
	__u32 inner_ip_sum, outer_udp_sum;
	__u32 frame;   /* bytes */
	__u32 content; /* bytes of payload behind the signature */
	__u32 word;    /* in the signature */
	__u16 way, ipv6; /* way: PLAIN, TUNNEL4 or TUNNEL6 */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set by the loader */
	__type(key, __u32);
	__type(value, struct shape);
} shapes SEC(".maps");

/* The sequence: which shape each slot sends. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set by the loader */
	__type(key, __u32);
	__type(value, __u32);
} slots SEC(".maps");

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

/* What is before an inner packet: Ethernet, and uplink a tunnel over IPv4 or IPv6. */
#define PLAIN 0
#define TUNNEL4 1
#define TUNNEL6 2

/* Where a frame's headers are: before and in the inner packet. */
#define INNER_AT(way) ((way) == TUNNEL6 ? 78 : (way) ? 58 : 14)
#define HEADERS(way, v6) (INNER_AT(way) + ((v6) ? 40 : 20) + 8)
#define UE_AT(way, v6) (INNER_AT(way) + ((v6) ? ((way) ? 8 : 24) + 4 : (way) ? 12 : 16))
#define OUTER_UDP_AT(way) ((way) == TUNNEL6 ? 54 : 34)
#define QFI_AT(way) (INNER_AT(way) - 2) /* in the PDU session container */
#define UE_IPV6 0x80 /* of a stream's gnb */

static __always_inline void copy_headers(void *to, const volatile __u64 *from, int words)
{
	__u64 *w = to;

#pragma unroll
	for (int i = 0; i < words; i++)
		w[i] = from[i];
}

#define OUTER_CHECK_AT 24
#define GNB_AT 26  /* the outer source */
#define GNB6_AT 34 /* the last word of one of IPv6 */

/* put_gnb replaces the gNB's address in an outer header, and corrects its checksum (RFC
 * 1624), which one of IPv6 does not have. That of UDP is right: it is the stream's. */
static __always_inline void put_gnb(__u8 *p, const int way, struct stream *s)
{
	__u32 from, to = gnb_addresses[s->gnb & (GNBS_MAX - 1)];
	__u16 check;

	if (way == TUNNEL6) {
		*(__u32 *)(p + GNB6_AT) = to;
		return;
	}
	from = ~*(__u32 *)(p + GNB_AT);
	check = ~*(__u16 *)(p + OUTER_CHECK_AT);
	*(__u16 *)(p + OUTER_CHECK_AT) = checksum_finish((__u64)check + from + to);
	*(__u32 *)(p + GNB_AT) = to;
}

/* Checksums of a frame's headers. */
struct checks {
	__u16 inner_ip, outer_udp;
};

/* write_headers writes every header byte, and the signature: pages come back with whatever the
 * last reader left in them. way and v6 are known when this is compiled. */
static __always_inline int write_headers(struct xdp_md *ctx, const volatile __u64 *from, const int way, const int v6,
					 struct stream *s, struct checks c, __u64 sum, __u32 session, __u16 trial,
					 __u64 seq, __u64 intended, __u64 now)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	__u8 *p = data;

	if (data + HEADERS(way, v6) + SIGNATURE_BYTES > end)
		return -1;
	copy_headers(data, from, (HEADERS(way, v6) + 7) / 8); /* what is more is of the signature */
	if (way) {
		*(__u16 *)(p + OUTER_UDP_AT(way) + 6) = c.outer_udp;
		*(__u32 *)(p + OUTER_UDP_AT(way) + 12) = s->teid;
		if (qfis)
			p[QFI_AT(way)] = s->qfi;
		if (gnbs)
			put_gnb(p, way, s);
	}
	if (!v6)
		*(__u16 *)(p + INNER_AT(way) + 10) = c.inner_ip;
	*(__u32 *)(p + UE_AT(way, v6)) = s->ue;
	if (ports)
		*(__u16 *)(p + HEADERS(way, v6) - 8) = s->port;
	*(__u16 *)(p + HEADERS(way, v6) - 2) = checksum_finish_udp(sum);
	signature_put(data + HEADERS(way, v6), trial, session, seq, intended, now);
	return 0;
}

/* build writes a frame of the only shape. */
static __always_inline int build(struct xdp_md *ctx, struct stream *s, __u32 index, __u16 trial,
				 __u64 seq, __u64 intended, __u64 now)
{
	__u64 sum = s->udp_sum + signature_varying_sum(trial, seq, intended, now);
	struct checks c = {s->inner_ip_check, s->outer_udp_check};

	index |= word;
#define BUILD(way, v6) return write_headers(ctx, headers, way, v6, s, c, sum, index, trial, seq, intended, now)
	if (uplink && outer6 && ipv6)
		BUILD(TUNNEL6, 1);
	if (uplink && outer6)
		BUILD(TUNNEL6, 0);
	if (uplink && ipv6)
		BUILD(TUNNEL4, 1);
	if (uplink)
		BUILD(TUNNEL4, 0);
	if (ipv6)
		BUILD(PLAIN, 1);
	BUILD(PLAIN, 0);
#undef BUILD
}

/* window_at is where to count what is due at a time; 0: nowhere. */
static __always_inline struct sent_window *window_at(__u64 due)
{
	return windowed ? window_find(&windows, due, 0, 1) : 0;
}

/* count_stall books that we stood still since the call before. */
static __always_inline void count_stall(void)
{
	struct sent_window *w = window_at(st.previous);

	st.stalls++;
	if (w)
		w->stalls++;
}

/* account notes how long the last call's work took and whether we stood still. */
static __always_inline void account(__u64 now)
{
	__u64 gap = now - st.previous;

	if (st.sent && gap > STALL_NS)
		count_stall();
	st.previous = now;
}

/* work counts the time since the last call as work if that one sent a frame, or if a
 * batch that has frames was flushed since. */
static __always_inline void work(__u64 now)
{
	int flushed = !st.call && st.held;

	if (st.sent && (st.emitted || flushed))
		st.busy += now - st.previous;
	if (!st.call)
		st.held = 0;
	st.emitted = 0;
	st.call = st.call + 1 >= ctl.batch ? 0 : st.call + 1;
}

/* clock is the time that all hosts of a measurement have in common, ns. */
static __always_inline __u64 clock(void)
{
	return bpf_ktime_get_ns() + ahead;
}

/* dealt returns whether others send by the same schedule. */
static __always_inline int dealt(void)
{
	return sources > 1;
}

/* resume moves the schedule on by the time that passed between two of the kernel's
 * runs, which make 2^32 calls each: nothing falls due while nothing could be sent. */
static __always_inline void resume(__u64 now)
{
	__u64 gap = now - st.previous;

	if (st.run == run)
		return;
	st.run = run;
	if (!st.previous)
		return;
	if (dealt()) { /* for the others time went on: what is late now is late */
		st.call = 0;
		return;
	}
	st.next += gap << NS_FRACTION;
	st.shifted += gap;
	st.previous = now;
	st.call = 0;
}

static __always_inline void record(struct sent_window *w, __u64 now)
{
	if (!st.sent++)
		st.first = now;
	st.last = now;
	if (w)
		w->packets++;
}

/* record_lateness books how long after it was due a frame was sent: in its window, or
 * for the whole trial. */
static __always_inline void record_lateness(struct sent_window *w, __u64 late)
{
	__u32 bucket;
	__u64 *count;

	if (late > LATE_NS) {
		st.late++;
		if (w)
			w->late++;
	}
	if (windowed) {
		if (w)
			window_add(&w->lateness, late);
		return;
	}
	bucket = histogram_bucket(late);
	count = bpf_map_lookup_elem(&lateness, &bucket);
	st.lateness_sum += late;
	if (late > st.lateness_max)
		st.lateness_max = late;
	if (late < st.lateness_min)
		st.lateness_min = late;
	if (count)
		(*count)++;
}

/* sequence_number gives the next one of a stream; those of the warm-up are 0. */
static __always_inline __u64 sequence_number(struct stream *s, int warm)
{
	if (warm)
		return 0;
	__u64 trial = (__u64)ctl.trial << SEQUENCE_BITS, seq = s->numbered - trial;

	if (seq >> SEQUENCE_BITS)
		seq = 0;
	s->numbered = trial + seq + 1;
	return seq;
}

/* turn goes to a flow's next stream. */
static __always_inline void turn(__u32 flow)
{
	volatile struct flow_progress *f = &st.flows[flow];
	__u32 count = ctl.streams[flow], next = f->stream + 1, lane = f->lane + 1, owner = f->source + 1;

	f->stream = next >= count ? 0 : next;
	if (!dealt())
		return;
	if (next >= count || lane >= lanes[flow]) {
		lane = 0;
		owner = firsts[flow];
	}
	f->lane = lane;
	f->source = owner >= sources ? 0 : owner;
}

#include "mixture.h"

/* mine returns whether the next slot is of a stream that this source sends for. */
static __always_inline int mine(void)
{
	return st.flows[mixed ? next_flow() : 0].source == source;
}

/* step goes to what the next slot sends. */
static __always_inline void step(void)
{
	if (mixed)
		step_mixed();
	else
		turn(0);
}

/* emit builds the next stream's frame and sends it. */
static __always_inline int emit(struct xdp_md *ctx, int warm, struct sent_window *w, __u64 intended, __u64 now)
{
	__u32 index = st.flows[0].stream, key = index & ctl.mask;
	struct stream *s;
	__u64 seq;

	if (mixed)
		return emit_mixed(ctx, warm, w, intended, now);
	s = bpf_map_lookup_elem(&streams, &key);
	if (!s)
		return XDP_DROP;
	seq = sequence_number(s, warm);
	if (!warm)
		record(w, now);
	if (build(ctx, s, index, warm ? ctl.trial - 1 : ctl.trial, seq, intended, now))
		return XDP_DROP;
	return bpf_redirect_map(&port, 0, 0);
}

/* scaled is a gap times a factor in 1/1024. A long gap loses its last bits before,
 * or the product would not fit. */
static __always_inline __u64 scaled(__u64 gap, __u32 factor)
{
	if (gap >> GAP_BITS)
		return (gap >> ARRIVAL_FRACTION) * factor;
	return (gap * factor) >> ARRIVAL_FRACTION;
}

/* stride_of is how far the entries of a round of the arrivals lie apart, odd, so that
 * each is met once: traffic.Stride. */
static __always_inline __u32 stride_of(__u32 round)
{
	return ((round * 2654435761u) >> 16) | 1;
}

/* gap is the time from this slot to the next. */
static __always_inline __u64 gap(void)
{
	__u32 key = st.gap_at, *factor;

	if (!ctl.arrivals)
		return ctl.gap;
	st.gap_at = key + 1;
	if (st.gap_at >= ctl.arrivals) {
		st.gap_at = 0;
		st.round++;
	}
	if (ctl.reshuffle)
		key = (key * st.stride) & (ARRIVALS - 1);
	if (!st.gap_at)
		st.stride = stride_of(st.round);
	factor = bpf_map_lookup_elem(&arrivals, &key);
	return factor ? scaled(ctl.gap, *factor) : ctl.gap;
}

/* hurries returns whether another frame now would be too many at once, even for twice
 * the rate. */
static __always_inline int hurries(__u64 now)
{
	return now + (ctl.gap >> (NS_FRACTION + 1 - TOGETHER_BITS)) < st.caught_up;
}

/* due is when the next slot is, ns. */
static __always_inline __u64 due(void)
{
	return ctl.start + (st.next >> NS_FRACTION);
}

/* advance goes to the next slot and returns how far it is, 1/65536 ns. */
static __always_inline __u64 advance(void)
{
	__u64 distance = gap();

	step();
	st.next += distance;
	st.slot++;
	if (st.slot == ctl.warmup) {
		st.next += ctl.quiet << NS_FRACTION;
		st.gap_at = 0;
		st.round = 0;
		st.stride = 1;
		st.slot_at = 0;
	}
	return distance;
}

/* skips returns whether the next slot, and all others that are due by now, come too late
 * after a stall to be sent. */
static __always_inline int skips(__u64 intended, __u64 now)
{
	if (now > intended && now - intended > SKIP_NS)
		st.skip_to = now;
	return intended < st.skip_to;
}

/* skip goes past slots that are not sent. Not static: so it is verified once, and
 * apart. */
__noinline int skip(void)
{
	struct sent_window *w;

	for (int i = 0; i < SKIPS; i++) {
		__u64 intended = due();

		if (intended >= st.skip_to || st.slot >= ctl.warmup + ctl.slots)
			break;
		if (st.slot >= ctl.warmup && (!dealt() || mine())) {
			st.skipped++;
			w = window_at(intended);
			if (w)
				w->skipped++;
		}
		advance();
	}
	return XDP_DROP;
}

/* pass goes past slots of other sources, and returns whether the next one is this one's.
 * What they send counts for the rate at which this one catches up. */
__noinline int pass(void)
{
	for (int i = 0; i < PASSES; i++) {
		if (st.slot >= ctl.warmup + ctl.slots)
			return 0;
		if (mine())
			return 1;
		st.caught_up += advance() >> (NS_FRACTION + 1);
	}
	return 0;
}

/* pass_streams is the same where there are no slots. */
__noinline int pass_streams(void)
{
	for (int i = 0; i < PASSES; i++) {
		if (mine())
			return 1;
		step();
	}
	return 0;
}

#define SPINS 4096

static long spin(__u64 index, __u64 *until)
{
	return clock() >= *until;
}

/* wait waits for a slot, as long as this batch may, and returns the time. A frame that is
 * not sent goes back to the kernel's pool, under a lock that the UPF's CPU needs for each
 * frame that it is through with. */
static __always_inline __u64 wait(__u64 now, __u64 intended)
{
	__u64 until = intended < st.hold_until ? intended : st.hold_until;

	if (until <= now)
		return now;
	bpf_loop(SPINS, spin, &until, 0);
	return st.previous = clock();
}

/* paced sends a frame when its slot is due. */
SEC("xdp")
int paced(struct xdp_md *ctx)
{
	__u64 now = clock(), intended, distance;
	struct sent_window *w = 0;
	int warm, next = 1, action;

	resume(now);
	if (dealt())
		next = pass();
	warm = st.slot < ctl.warmup;
	intended = due();
	if (!st.call)
		st.hold_until = now + ctl.hold;
	work(now);
	account(now);
	if (!next || st.slot >= ctl.warmup + ctl.slots)
		return XDP_DROP;
	now = wait(now, intended);
	if (now < intended || hurries(now))
		return XDP_DROP;
	if (windowed && skips(intended, now))
		return skip();
	st.emitted = 1;
	st.held++;
	if (!warm) {
		w = window_at(intended);
		record_lateness(w, now - intended);
	}
	action = emit(ctx, warm, w, intended, now);
	distance = advance();
	st.caught_up = (now > st.caught_up ? now : st.caught_up) + (distance >> (NS_FRACTION + 1));
	return action;
}

/* flood sends as fast as it can. Frames are flushed 64 at a time, so it reads
 * the clock only for every eighth. */
SEC("xdp")
int flood(struct xdp_md *ctx)
{
	__u64 now, began = ctl.start + ctl.warmup;
	int warm, action;

	if (!(st.slot++ & 7)) {
		now = clock();
		resume(now);
		account(now);
	}
	now = st.previous;
	warm = now < began;
	if (now < ctl.start || now >= ctl.end || (!warm && now < began + ctl.quiet))
		return XDP_DROP;
	if (!warm && !st.sent)
		st.slot_at = 0; /* the trial begins at the first entry, wherever the warm-up ended */
	if (dealt() && !pass_streams())
		return XDP_DROP;
	action = emit(ctx, warm, warm ? 0 : window_at(now), now, now);
	step();
	return action;
}

/* bare writes nothing and decides nothing: what the generator is compared with. */
SEC("xdp")
int bare(struct xdp_md *ctx)
{
	return bpf_redirect_map(&port, 0, 0);
}

char _license[] SEC("license") = "Dual BSD/GPL";
