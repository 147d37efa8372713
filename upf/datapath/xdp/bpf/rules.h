/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What a packet needs from its session, in one value per direction, so that a
 * packet costs one lookup. User space compiles PDR, FAR and QERs into it. */
#pragma once

#include "drop.h"
#include "parse.h"

#define VERDICT_FORWARD 0
#define VERDICT_DROP 1 /* + enum upf_drop */
#define VERDICT_HOLD 254  /* hand it to user space, a row's only */
#define VERDICT_CHAIN 255 /* the key has a chain of rows */

/* Both rules are eight octets, so that a hash element is one cache line: with
 * many sessions a packet's cost is that of the lines it misses. */
struct ul_rule {
	__be32 ue; /* the inner source; 0 when the PDR names none. Or the chain's number */
	__u8 verdict;
	__u8 qfi;  /* 0 when the PDR names none */
	__u16 spare;
};

struct dl_rule {
	__be32 teid; /* or the chain's number */
	__u8 verdict;
	__u8 qfi;    /* with the RQI; 0 for none */
	__u16 peer;  /* where in peers the gNB is */
};

#define PEERS_MAX 65536

/* The gNBs' addresses: few, and so in the cache. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, PEERS_MAX);
	__type(key, __u32);
	__type(value, __be32);
} peers SEC(".maps");

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
