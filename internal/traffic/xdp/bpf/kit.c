/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* For tests only: gives the headers' functions values as packets and answers in
 * the same packets. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "track.h"

struct question {
	__u64 value, trial, answer;
};

volatile struct track stream;
volatile struct track_finding finding;

static __always_inline struct question *asked(struct xdp_md *ctx)
{
	struct question *q = (void *)(long)ctx->data;

	return (void *)(q + 1) > (void *)(long)ctx->data_end ? 0 : q;
}

/* sequence answers with the verdict on a sequence number. */
SEC("xdp")
int sequence(struct xdp_md *ctx)
{
	struct question *q = asked(ctx);

	if (q) {
		finding.count = 0;
		q->answer = track_sequence((struct track *)&stream, q->value, q->trial, (struct track_finding *)&finding);
		track_count((struct track_finding *)&finding);
	}
	return XDP_PASS;
}

/* jitter answers with the estimate after a transit time, 1/16 ns. */
SEC("xdp")
int jitter(struct xdp_md *ctx)
{
	struct question *q = asked(ctx);

	if (q) {
		track_jitter((struct track *)&stream, q->value);
		q->answer = stream.jitter;
	}
	return XDP_PASS;
}

/* A packet as it arrives, and what is found out by it. */
struct arrival {
	__u64 seq, transit, trial;
	__u64 verdict, extent, before, after; /* all ones: not known */
};

/* arrive follows a stream, as the sink does, but for the counting. */
SEC("xdp")
int arrive(struct xdp_md *ctx)
{
	struct arrival *a = (void *)(long)ctx->data;
	struct track_finding *f = (struct track_finding *)&finding;

	if ((void *)(a + 1) > (void *)(long)ctx->data_end)
		return XDP_PASS;
	a->extent = a->before = a->after = ~0ULL;
	track_arrival((struct track *)&stream, a->seq, a->transit, a->trial, f);
	track_count(f);
	a->verdict = f->verdict;
	if (f->verdict == TRACK_REORDERED)
		a->extent = f->extent;
	if (f->before)
		a->before = f->difference[0];
	if (f->after)
		a->after = f->difference[1];
	return XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";
