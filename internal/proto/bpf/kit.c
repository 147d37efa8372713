/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* For tests only: gives the headers' functions values as packets and answers in
 * the same packets. */
#include <linux/bpf.h>
#include <linux/if_ether.h>

#include "checksum/checksum.h"
#include "histogram/histogram.h"
#include "signature/signature.h"

/* Values in, answers out. Layouts are those of wire_test.go. */
struct number {
	__u64 value;
	__u64 bucket;
	__u16 fold, fold32, finish, finish32, finish_udp; /* the two of 32 bits: of the low half */
};

struct signing {
	__u64 sequence, intended, sent;
	__u32 word;
	__u16 trial, pad;
	__u32 session, shape;
	__u64 varying_sum;
	struct signature signature;
};

struct ttl {
	struct ethhdr eth;
	struct iphdr ip;
};

#define ASKED(ctx, type) ({ \
	type *q_ = (void *)(long)(ctx)->data; \
	(void *)(q_ + 1) > (void *)(long)(ctx)->data_end ? 0 : q_; \
})

SEC("xdp")
int number(struct xdp_md *ctx)
{
	struct number *q = ASKED(ctx, struct number);

	if (!q)
		return XDP_DROP;
	q->bucket = histogram_bucket(q->value);
	q->fold = checksum_fold(q->value);
	q->fold32 = checksum_fold32(q->value);
	q->finish = checksum_finish(q->value);
	q->finish32 = checksum_finish32(q->value);
	q->finish_udp = checksum_finish_udp(q->value);
	return XDP_PASS;
}

SEC("xdp")
int signing(struct xdp_md *ctx)
{
	struct signing *q = ASKED(ctx, struct signing);

	if (!q)
		return XDP_DROP;
	q->session = signature_session(q->word);
	q->shape = signature_shape(q->word);
	q->varying_sum = signature_varying_sum(q->trial, q->sequence, q->intended, q->sent);
	signature_put(&q->signature, q->trial, q->word, q->sequence, q->intended, q->sent);
	return XDP_PASS;
}

SEC("xdp")
int ttl(struct xdp_md *ctx)
{
	struct ttl *q = ASKED(ctx, struct ttl);

	if (!q)
		return XDP_DROP;
	ipv4_decrement_ttl(&q->ip);
	return XDP_PASS;
}

/* The constants, for user space to read. */
volatile const __u32 histogram_buckets = HISTOGRAM_BUCKETS;
volatile const __u32 signature_bytes = SIGNATURE_BYTES;
volatile const __u32 signature_fill = SIGNATURE_FILL;

char _license[] SEC("license") = "Dual BSD/GPL";
