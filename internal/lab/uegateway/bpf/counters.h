/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What the gateway carried and what it dropped. */
#pragma once

#include "parse.h"

/* The same values, in the same order, as in reason.go; a test holds the two together. */
enum reason {
	UNKNOWN_UE,   /* uplink: the source address is no UE's */
	NOT_IP,       /* uplink: neither IPv4 nor IPv6 */
	UNCUT,        /* uplink: a segment that the kernel has not cut to the MTU */
	TOO_BIG,      /* uplink: with the outer headers over N3's MTU */
	NO_ROOM,      /* the headers could not be put on or taken off */
	MALFORMED,    /* downlink */
	FRAGMENT,     /* downlink: the outer packet is a fragment */
	UNKNOWN_TEID, /* downlink: no tunnel of this address and TEID */
	WRONG_UE,     /* downlink: the T-PDU is for another UE than the tunnel's */
	REASONS,
};

struct counters {
	__u64 up_packets, up_bytes; /* octets of T-PDUs */
	__u64 down_packets, down_bytes;
	__u64 other_qfi; /* downlink, delivered: another QFI than the UE's, or none */
	__u64 dropped[REASONS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct counters);
} counted SEC(".maps");
