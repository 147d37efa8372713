/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What user space fixes before the programs are loaded. The verifier takes it
 * as constants, so a test on it costs nothing. */
#pragma once

#include "ipv6.h"
#include "parse.h"

#define POOLS_MAX 16
#define LOCAL_MAX 16
#define EGRESS_MAX 8

struct pool {
	__be32 address;
	__be32 mask;
};

struct pool6 {
	struct addr6 address, mask;
};

const volatile __u8 ecn_mask = 3; /* what an outer header has of the T-PDU's ECN field; 0: nothing */
const volatile __be32 n3_address;
const volatile __u32 outer6; /* N3 has an IPv6 address, too */
const volatile struct addr6 n3_address6;
const volatile __u32 n6_tunnels; /* tunnels on N6 end here, */
const volatile __be32 n6_address;	  /* at these addresses; 0: there is none */
const volatile struct addr6 n6_address6;
const volatile __be16 n6_port; /* of those with UDP; 0: there are none */
const volatile __u32 outer_sum; /* of the outer IPv4 header's 16-bit words that never change */
const volatile __u32 pool_count;
const volatile struct pool pools[POOLS_MAX];
const volatile __u32 pool6_count;
const volatile struct pool6 pools6[POOLS_MAX];

/* What is dropped unless the configuration allows it. */
enum allowed {
	ALLOW_PLAIN_N3 = 1, /* IP without a tunnel, from N3 */
	ALLOW_PLAIN_N6 = 2, /* IP that no session has, from N6 */
	ALLOW_NESTED = 4,   /* GTP-U in GTP-U */
};

const volatile __u32 allowed;
const volatile __u32 local_count; /* addresses of the machine that UEs may reach */
const volatile struct pool local[LOCAL_MAX];
const volatile __u32 egress_count; /* interfaces that UE packets may leave by */
const volatile __u32 egress[EGRESS_MAX];

/* PFCP to this address, of one of the families, and port is for n4_ifindex only. Address 0: no
 * check. */
const volatile __be32 n4_address;
const volatile struct addr6 n4_address6;
const volatile __be16 n4_port;
const volatile __u32 n4_ifindex;

static __always_inline bool in_pool(__be32 address)
{
	for (__u32 i = 0; i < POOLS_MAX && i < pool_count; i++)
		if ((address & pools[i].mask) == pools[i].address)
			return true;
	return false;
}

static __noinline bool in_pool6(const struct addr6 *a)
{
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < POOLS_MAX && i < pool6_count; i++)
		if ((a->word[0] & pools6[i].mask.word[0]) == pools6[i].address.word[0] &&
		    (a->word[1] & pools6[i].mask.word[1]) == pools6[i].address.word[1])
			return true;
	return false;
}

static __noinline bool is_open_to_ues(__be32 address)
{
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < LOCAL_MAX && i < local_count; i++)
		if ((address & local[i].mask) == local[i].address)
			return true;
	return false;
}

static __always_inline bool is_egress(__u32 ifindex)
{
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < EGRESS_MAX && i < egress_count; i++)
		if (egress[i] == ifindex)
			return true;
	return false;
}
