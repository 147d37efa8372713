/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The reference UPF's datapath: one program for N3, one for N6, one for an
 * interface that is both. */
#include "own.h"
#include "settle.h"
#include "spread.h"
#include "uplink.h"

char _license[] SEC("license") = "Dual BSD/GPL";

static __always_inline int finish(struct xdp_md *ctx, struct counters *c, int verdict,
				  __u32 may_route)
{
	if (verdict >= 0)
		return verdict;
	verdict = settle(ctx, c, verdict, may_route);
	if (!is_slow(verdict))
		return verdict;
	slow_packet(ctx, c, verdict);
	return XDP_DROP;
}

SEC("xdp")
int upf_n3(struct xdp_md *ctx)
{
	struct counters *c = counters_get();
	bool own = is_own(ctx, n3_mac);
	int verdict = NOT_OURS;

	if (!c)
		return XDP_DROP;
	if (!own && !is_group(ctx))
		return pass(c);
	if (own)
		verdict = uplink(ctx, c);
	return finish(ctx, c, verdict, ALLOW_PLAIN_N3);
}

SEC("xdp")
int upf_n6(struct xdp_md *ctx)
{
	struct counters *c = counters_get();
	bool own = is_own(ctx, n6_mac);
	int verdict = NOT_OURS;

	if (!c)
		return XDP_DROP;
	if (!own && !is_group(ctx))
		return pass(c);
	if (own)
		verdict = downlink(ctx, c);
	return finish(ctx, c, verdict, ALLOW_PLAIN_N6);
}

SEC("xdp")
int upf_n3n6(struct xdp_md *ctx)
{
	struct counters *c = counters_get();
	bool own = is_own(ctx, n3_mac);
	int verdict = NOT_OURS;

	if (!c)
		return XDP_DROP;
	if (!own && !is_group(ctx))
		return pass(c);
	if (own)
		verdict = uplink(ctx, c);
	if (own && verdict == NOT_OURS)
		verdict = not_uplink(ctx, c);
	return finish(ctx, c, verdict, ALLOW_PLAIN_N3 | ALLOW_PLAIN_N6);
}
