/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* GTP-U, TS 29.281, and the PDU session container, TS 38.415. */
#pragma once

#include "parse.h"

#define GTPU_PORT 2152

#define GTPU_VERSION_MASK 0xf0 /* version and protocol type */
#define GTPU_VERSION_1 0x30    /* version 1, GTP */
#define GTPU_OPTIONAL 0x07 /* E, S or PN: four more octets follow */
#define GTPU_E 0x04

/* Message types, TS 29.281 table 6.1-1. */
enum gtpu_type {
	GTPU_ECHO_REQUEST = 1,
	GTPU_ECHO_RESPONSE = 2,
	GTPU_ERROR_INDICATION = 26,
	GTPU_EXTENSION_NOTIFICATION = 31,
	GTPU_TUNNEL_STATUS = 253,
	GTPU_END_MARKER = 254,
	GTPU_G_PDU = 255,
};

#define GTPU_EXT_PSC 0x85 /* PDU session container */
#define GTPU_EXT_MAX 4    /* extension headers that are walked */
#define PSC_QFI 0x3f
#define PSC_RQI 0x40 /* downlink */
#define PSC_PPP 0x80 /* downlink: a Paging Policy Indicator follows */
#define PSC_PPI_SHIFT 5 /* of the PPI in its octet */

struct gtpu {
	__u8 flags;
	__u8 type;
	__be16 length; /* octets after these eight */
	__be32 teid;
};

struct gtpu_optional {
	__be16 sequence;
	__u8 npdu;
	__u8 next; /* type of the first extension header, when E is set */
};

/* A message that is not a G-PDU but belongs to GTP-U version 1. */
static __always_inline bool gtpu_is_signalling(__u8 type)
{
	return type == GTPU_ECHO_REQUEST || type == GTPU_ECHO_RESPONSE ||
	       type == GTPU_ERROR_INDICATION || type == GTPU_EXTENSION_NOTIFICATION ||
	       type == GTPU_TUNNEL_STATUS || type == GTPU_END_MARKER;
}

/* Walk one extension header at pos and set *next to the type of what follows.
 * Returns where that is, or NULL when the header has no length or leaves the
 * frame. A header is 4*n octets: n, the content, the next type. */
static __always_inline __u8 *gtpu_extension(__u8 *pos, void *end, __u8 *next, __u8 *qfi)
{
	__u8 *last;

	if ((void *)(pos + 4) > end || !pos[0])
		return NULL;
	if (*next == GTPU_EXT_PSC)
		*qfi = pos[2] & PSC_QFI;
	last = pos + pos[0] * 4u - 1;
	if ((void *)(last + 1) > end)
		return NULL;
	*next = *last;
	return last + 1;
}

/* Walk the optional fields and the extension headers behind them. Sets *qfi
 * when there is a PDU session container. Returns where the T-PDU starts, or
 * NULL when the chain does not parse or is longer than GTPU_EXT_MAX. */
static __always_inline void *gtpu_payload(struct gtpu *gtp, void *end, __u8 *qfi)
{
	struct gtpu_optional *opt = (void *)(gtp + 1);
	__u8 *pos = (void *)(opt + 1);
	__u8 next;

	if (!(gtp->flags & GTPU_OPTIONAL))
		return opt;
	if ((void *)pos > end)
		return NULL;
	next = gtp->flags & GTPU_E ? opt->next : 0;
#pragma unroll
	for (int i = 0; i < GTPU_EXT_MAX; i++) {
		if (!next)
			return pos;
		pos = gtpu_extension(pos, end, &next, qfi);
		if (!pos)
			return NULL;
	}
	return next ? NULL : pos;
}
