/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What a program goes on with itself, at the top of its stack, after uplink and downlink. Functions that
 * call each other have 512 octets of stack together, of which each takes a multiple of 32 (check_max_stack_depth
 * in the kernel's verifier). */
#pragma once

#include "downlink.h"
#include "plain.h"
#include "slow.h"

/* Packets that downlink leaves to the program. */
static __always_inline int settle_downlink(struct xdp_md *ctx, struct counters *c, int verdict)
{
	if (verdict == TO_UE6)
		return ipv6_to_ue(ctx, c);
	return verdict == FOR_NO_UE ? for_no_ue(ctx, c) : verdict;
}

/* A negative verdict of uplink or downlink: an XDP action, or one of SLOW_VERDICT. may_route is what plain asks
 * the configuration for; what may come from N6 may have gone through downlink. */
static __always_inline int settle(struct xdp_md *ctx, struct counters *c, int verdict, __u32 may_route)
{
	if (may_route & ALLOW_PLAIN_N6)
		verdict = settle_downlink(ctx, c, verdict);
	if (outer6 && verdict == DELIVER6)
		return deliver6(ctx, c);
	return verdict >= 0 || is_slow(verdict) ? verdict : plain(ctx, c, may_route);
}

/* What is not for the UPF's end of a tunnel. Not static, for the verifier. */
__noinline int not_uplink(struct xdp_md *ctx, struct counters *c)
{
	return c ? downlink(ctx, c) : XDP_DROP;
}
