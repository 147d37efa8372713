//go:build ignore
/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* For tests only: gives the headers' functions values as packets and answers in
 * the same packets. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "histogram.h"
#include "track.h"

struct question {
	__u64 value, trial, answer;
};

volatile struct track stream;

static __always_inline struct question *asked(struct xdp_md *ctx)
{
	struct question *q = (void *)(long)ctx->data;

	return (void *)(q + 1) > (void *)(long)ctx->data_end ? 0 : q;
}

SEC("xdp")
int bucket(struct xdp_md *ctx)
{
	struct question *q = asked(ctx);

	if (q)
		q->answer = hist_bucket(q->value);
	return XDP_PASS;
}

/* sequence answers with the verdict on a sequence number. */
SEC("xdp")
int sequence(struct xdp_md *ctx)
{
	struct question *q = asked(ctx);

	if (q)
		q->answer = track_sequence((struct track *)&stream, q->value, q->trial);
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

/* extent answers with how late the packet is that sequence has just called
 * reordered. */
SEC("xdp")
int extent(struct xdp_md *ctx)
{
	struct question *q = asked(ctx);

	if (q)
		q->answer = track_extent((struct track *)&stream, q->value);
	return XDP_PASS;
}

/* variation answers with the delay's difference to that of packet trial; all ones:
 * not known. */
SEC("xdp")
int variation(struct xdp_md *ctx)
{
	struct question *q = asked(ctx);
	__u64 d = ~0ULL;

	if (q) {
		track_variation((struct track *)&stream, q->trial, q->value, &d);
		q->answer = d;
	}
	return XDP_PASS;
}

/* transit keeps the delay of packet trial. */
SEC("xdp")
int transit(struct xdp_md *ctx)
{
	struct question *q = asked(ctx);

	if (q)
		track_transit((struct track *)&stream, q->trial, q->value);
	return XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";
