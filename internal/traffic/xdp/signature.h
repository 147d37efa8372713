/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The signature at the start of every UDP payload, and what generator and sink
 * know about a stream. The layouts are those of package traffic. */
#pragma once
#include <linux/types.h>

#define SIGNATURE_MAGIC 0x7566 /* "fu" on the wire of a little-endian host */
#define SIGNATURE_LEN 32
#define FILL 0x78 /* 'x', the rest of the payload */

struct signature {
	__u16 magic;
	__u16 trial;   /* frames of an earlier trial, or of the warm-up, are told apart */
	__u32 stream;  /* index of the session */
	__u64 seq;     /* of the stream, from 0 */
	__u64 intended; /* ns, CLOCK_MONOTONIC: when the frame was due */
	__u64 sent;     /* ns, when it was sent */
} __attribute__((packed));

/* The words of a signature that change from frame to frame, summed for the UDP
 * checksum. One's complement sums do not care in which order words come. */
static __always_inline __u64 signature_sum(__u64 seq, __u64 intended, __u64 sent)
{
	return (seq & 0xffffffff) + (seq >> 32) + (intended & 0xffffffff) + (intended >> 32) +
	       (sent & 0xffffffff) + (sent >> 32);
}

static __always_inline __u16 fold(__u64 sum)
{
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

/* udp_checksum finishes a sum; 0 would mean "no checksum" (RFC 768). */
static __always_inline __u16 udp_checksum(__u64 sum)
{
	__u16 c = ~fold(sum);

	return c ? c : 0xffff;
}
