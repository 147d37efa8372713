/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Totals, one set a CPU, looked up once a packet. */
#pragma once

#include "drop.h"
#include "parse.h"

/* Of functions that give an XDP action, or the reason of a drop. */
#define NOT_OURS (-1)
#define ACCEPTED (-2)
/* What settle.h goes on with. */
#define DELIVER6 (-6) /* into a tunnel over IPv6, by deliver6 */
#define TO_UE6 (-7) /* it is not IPv4: ipv6_to_ue */
#define FOR_NO_UE (-8) /* no UE has the IPv4 address: for_no_ue */

/* The packet is forwarded, and user space has the kernel send it, which slow.h does: as it is, or in
 * fragments of the MTU, which are the outer packet's with SLOW_OUTER. */
#define SLOW_UNRESOLVED 1
#define SLOW_OUTER 0x10000
#define SLOW_VERDICT(how) (-0x100 - (int)(how))

struct counters {
	__u64 ul_packets;
	__u64 ul_bytes; /* of T-PDUs */
	__u64 dl_packets;
	__u64 dl_bytes;
	__u64 accepted_packets; /* G-PDUs from the access side with a TEID that there is */
	__u64 accepted_bytes;
	__u64 passed;
	__u64 drops[DROP_COUNT];
	__u64 entered, left; /* chains: see usage.h */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct counters);
} totals SEC(".maps");

static __always_inline struct counters *counters_get(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&totals, &zero);
}

static __always_inline int drop(struct counters *c, __u32 why)
{
	__u64 at = why;

	/* One of two known reasons needs no check for clang, and one for the verifier of Linux 6.1. */
	if (!__builtin_constant_p(why))
		asm volatile("" : "+r"(at));
	if (at < DROP_COUNT)
		c->drops[at]++;
	return XDP_DROP;
}

/* A T-PDU came in by a tunnel, whatever becomes of it. Those of tunnels between UPFs that lead to UEs
 * are not N3's. */
static __always_inline void accept_tpdu(struct counters *c, bool from_core, __u32 length)
{
	if (from_core)
		return;
	c->accepted_packets++;
	c->accepted_bytes += length;
}

static __always_inline int pass(struct counters *c)
{
	c->passed++;
	return XDP_PASS;
}
