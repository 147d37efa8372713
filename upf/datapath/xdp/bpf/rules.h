/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What a packet needs from its session, in one value per direction, so that a
 * packet costs one lookup. User space compiles PDR, FAR and QERs into it. */
#pragma once

#include "drop.h"
#include "ipv6.h"
#include "parse.h"

#define VERDICT_FORWARD 0
#define VERDICT_DROP 1 /* + enum upf_drop */
#define VERDICT_OUTER6 253 /* forward into a tunnel over IPv6, a plain downlink rule's only */
#define VERDICT_HOLD 254  /* hand it to user space, a row's only */
#define VERDICT_CHAIN 255 /* the key has a chain of rows */

/* The qfi of an uplink rule with a chain: its packets come from the core; some of them
 * may go into another tunnel. */
#define CHAIN_DOWNLINK 1
#define CHAIN_RELAYS 2

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
	__u16 peer;  /* where in peers the gNB is, or in peers6 */
};

#define PEERS_MAX 65536

/* The gNBs' addresses: few, and so in the cache. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, PEERS_MAX);
	__type(key, __u32);
	__type(value, __be32);
} peers SEC(".maps");

/* Those that have IPv6. The size is user space's to set. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct addr6);
} peers6 SEC(".maps");

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

/* IPv6. A TEID has a rule of its own for it, so that IPv4's is one cache line. */
struct ul_rule6 {
	struct addr6 ue, mask; /* the inner source; a mask of 0 when the PDR names none */
	__u32 chain;
	__u8 verdict;
	__u8 qfi;
	__u16 spare;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __be32); /* TEID */
	__type(value, struct ul_rule6);
} uplink_rules6 SEC(".maps");

struct prefix6 {
	struct addr6 address;
	__u32 bits;
};

/* By the UE's prefix. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct prefix6);
	__type(value, struct dl_rule);
} downlink_rules6 SEC(".maps");

/* An IPv4 network behind a UE is there as an IPv4-mapped one, with a chain of rows. */
#define LENGTHS_MAX 8

/* The lengths of prefixes that there are, the longest first; 0 ends them. */
volatile __u8 lengths6[LENGTHS_MAX];

static __always_inline __u64 mask_word(__u32 bits)
{
	return bits ? bpf_cpu_to_be64(~0ull << (64 - bits)) : 0;
}

static __noinline struct dl_rule *find_prefix(const struct addr6 *to)
{
	if (!to)
		return NULL;
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < LENGTHS_MAX; i++) {
		__u32 bits = lengths6[i];
		struct prefix6 k = {.bits = bits};
		struct dl_rule *r;

		if (!bits || bits > 128)
			return NULL;
		k.address.word[0] = to->word[0] & mask_word(bits > 64 ? 64 : bits);
		k.address.word[1] = bits > 64 ? to->word[1] & mask_word(bits - 64) : 0;
		r = bpf_map_lookup_elem(&downlink_rules6, &k);
		if (r)
			return r;
	}
	return NULL;
}

static __always_inline bool is_mapped(const struct addr6 *a)
{
	return !a->word[0] && (__u32)a->word[1] == bpf_htonl(0xffff);
}

static __always_inline struct dl_rule *find_rule6(const struct addr6 *to)
{
	return is_mapped(to) ? NULL : find_prefix(to);
}

/* The network behind a UE that has an IPv4 address. */
static __always_inline struct dl_rule *find_framed(__be32 to)
{
	struct addr6 mapped = {.word = {0, (__u64)to << 32 | bpf_htonl(0xffff)}};

	return lengths6[0] ? find_prefix(&mapped) : NULL;
}
