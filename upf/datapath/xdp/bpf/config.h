/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What user space fixes before the programs are loaded. The verifier takes it
 * as constants, so a test on it costs nothing. */
#pragma once

#include "parse.h"

#define POOLS_MAX 16

struct pool {
	__be32 address;
	__be32 mask;
};

const volatile __be32 n3_address;
const volatile __u32 outer_sum; /* of the outer IPv4 header's 16-bit words that never change */
const volatile __u32 pool_count;
const volatile struct pool pools[POOLS_MAX];

static __always_inline bool in_pool(__be32 address)
{
	for (__u32 i = 0; i < POOLS_MAX && i < pool_count; i++)
		if ((address & pools[i].mask) == pools[i].address)
			return true;
	return false;
}
