/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The signature at the start of every UDP payload. The layout of signature.go. */
#pragma once
#include <linux/types.h>
#include <bpf/bpf_helpers.h>

#define SIGNATURE_MAGIC 0x7566 /* "fu" on the wire of a little-endian host */
#define SIGNATURE_BYTES 32
#define SIGNATURE_FILL 0x78 /* 'x', the rest of the payload */
#define SIGNATURE_SESSION_BITS 20 /* of word; the others are the shape */

struct signature {
	__u16 magic;
	__u16 trial;    /* frames of an earlier trial, or of the warm-up, have another */
	__u32 word;     /* session and shape */
	__u64 sequence; /* in the trial and session, from 0 */
	__u64 intended; /* ns, CLOCK_MONOTONIC: when the frame was due */
	__u64 sent;     /* ns, when it was sent */
} __attribute__((packed));

_Static_assert(sizeof(struct signature) == SIGNATURE_BYTES, "signature");

static __always_inline void signature_put(struct signature *s, __u16 trial, __u32 word, __u64 sequence,
					  __u64 intended, __u64 sent)
{
	s->magic = SIGNATURE_MAGIC;
	s->trial = trial;
	s->word = word;
	s->sequence = sequence;
	s->intended = intended;
	s->sent = sent;
}

static __always_inline __u32 signature_session(__u32 word)
{
	return word & ((1 << SIGNATURE_SESSION_BITS) - 1);
}

static __always_inline __u32 signature_shape(__u32 word)
{
	return word >> SIGNATURE_SESSION_BITS;
}

/* What differs between the signatures of a session and shape, summed for the UDP
 * checksum. In one's complement sums the order of the words does not matter. */
static __always_inline __u64 signature_varying_sum(__u16 trial, __u64 sequence, __u64 intended, __u64 sent)
{
	return (sequence & 0xffffffff) + (sequence >> 32) + (intended & 0xffffffff) + (intended >> 32) +
	       (sent & 0xffffffff) + (sent >> 32) + trial;
}
