/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What a packet needs from its session, in one value per direction, so that a
 * packet costs one lookup. User space compiles PDR, FAR and QERs into it. */
#pragma once

#include "drop.h"
#include "parse.h"

#define VERDICT_FORWARD 0
#define VERDICT_DROP 1 /* + enum upf_drop */

#define OUTER_PLAIN 36 /* IPv4, UDP, GTP-U */
#define OUTER_PSC 44   /* ... with a PDU session container */

/* Eight octets, so that a hash element is one cache line. */
struct ul_rule {
	__be32 ue;    /* the inner source; 0 when the PDR names none */
	__u8 verdict;
	__u8 qfi;     /* 0 when the PDR names none */
	__u16 next;   /* further PDRs with this key; none today */
};

/* 72 octets, so that a hash element is two cache lines. */
struct dl_rule {
	__u8 verdict;
	__u8 outer_len; /* OUTER_PLAIN or OUTER_PSC */
	__u16 next;     /* further PDRs with this key; none today */
	__u32 sum;      /* of outer's IPv4 header, unfolded, without length, ID and checksum */
	__u8 outer[OUTER_PSC];
	__u8 spare[20];
};

/* The sizes are user space's to set. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __be32); /* TEID */
	__type(value, struct ul_rule);
} uplink_rules SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __be32); /* UE address */
	__type(value, struct dl_rule);
} downlink_rules SEC(".maps");
