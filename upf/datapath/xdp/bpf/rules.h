/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What a packet needs from its session, in one value per direction, so that a
 * packet costs one lookup. User space compiles PDR, FAR and QERs into it. */
#pragma once

#include "config.h"
#include "drop.h"
#include "ipv6.h"
#include "parse.h"

#define VERDICT_FORWARD 0
#define VERDICT_DROP 1 /* + enum upf_drop */
#define VERDICT_BRANCH 252 /* a row that only says which row is next */
#define VERDICT_OUTER6 253 /* forward into a tunnel over IPv6, a plain downlink rule's only */
#define VERDICT_HOLD 254  /* hand it to user space, a row's only */
#define VERDICT_CHAIN 255 /* the key has a chain of rows */

/* The qfi of an uplink rule with a chain: its packets come from the core; some of them
 * may go into another tunnel. */
#define CHAIN_DOWNLINK 1
#define CHAIN_RELAYS 2

/* Both rules are eight octets, which are read and written at once, and eight of them are a
 * cache line: with many sessions a packet's cost is that of the lines it misses. */
struct ul_rule {
	__be32 ue; /* the inner source; 0 when the PDR names none. Or the chain's number */
	__u8 verdict;
	__u8 qfi;  /* 0 when the PDR names none */
	__u16 high; /* of the TEID, host order, in uplink_direct */
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

#define RULE_DIRECT 0x80 /* beside the QFI of a rule in a direct table: there is one */

/* Rules by the low bits of the TEID, 16 at least, of which one TEID has the place. The sizes
 * of tables are user space's to set. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct ul_rule);
} uplink_direct SEC(".maps");

/* Rules by the UE's address, of the spans of pools. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct dl_rule);
} downlink_direct SEC(".maps");

/* Those that have no place there. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __be32); /* TEID */
	__type(value, struct ul_rule);
} uplink_rules SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __be32); /* UE address */
	__type(value, struct dl_rule);
} downlink_rules SEC(".maps");

/* The first addresses of a pool: host order. */
struct span {
	__u32 first, count;
	__u32 at; /* where the first one is in the table */
};

const volatile __u32 span_count;
const volatile struct span spans[POOLS_MAX];
const volatile __u32 uplink_mask; /* of the bits of a TEID that say where it is */

/* The IPv4 packets' rule of a TEID. False when there is none. */
static __always_inline bool find_uplink(__be32 teid, struct ul_rule *rule)
{
	__u32 host = bpf_ntohl(teid), at = host & uplink_mask;
	union {
		__u64 word;
		struct ul_rule rule;
	} u;
	struct ul_rule *r = bpf_map_lookup_elem(&uplink_direct, &at);

	if (!r)
		return false;
	u.word = *(volatile __u64 *)r;
	if (u.rule.qfi & RULE_DIRECT && u.rule.high == host >> 16) {
		u.rule.qfi &= ~RULE_DIRECT;
		*rule = u.rule;
		return true;
	}
	r = bpf_map_lookup_elem(&uplink_rules, &teid);
	if (!r)
		return false;
	*rule = *r;
	return true;
}

/* Where a UE address is in the direct table. False when it has no place there. */
static __always_inline bool find_span(__be32 to, __u32 *at)
{
	__u32 host = bpf_ntohl(to);

#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < POOLS_MAX && i < span_count; i++) {
		if (host - spans[i].first >= spans[i].count)
			continue;
		*at = host - spans[i].first + spans[i].at;
		return true;
	}
	return false;
}

/* The rule of a UE address. False when there is none. */
static __always_inline bool find_downlink(__be32 to, struct dl_rule *rule)
{
	struct dl_rule *r;
	union {
		__u64 word;
		struct dl_rule rule;
	} u;
	__u32 at;

	if (find_span(to, &at)) {
		r = bpf_map_lookup_elem(&downlink_direct, &at);
		if (!r)
			return false;
		u.word = *(volatile __u64 *)r;
		u.rule.qfi ^= RULE_DIRECT;
		*rule = u.rule;
		return !(u.rule.qfi & RULE_DIRECT);
	}
	r = bpf_map_lookup_elem(&downlink_rules, &to);
	if (!r)
		return false;
	*rule = *r;
	return true;
}

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
