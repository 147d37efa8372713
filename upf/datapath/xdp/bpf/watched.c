/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The programs of upf.c with watch.h around them. They use the same maps, and take the
 * others' place while somebody looks at packets. */
#include "own.h"
#include "settle.h"
#include "uplink.h"
#include "watch.h"

char _license[] SEC("license") = "Dual BSD/GPL";

enum { PORT_N3, PORT_N6 };

static __always_inline int finish(struct xdp_md *ctx, struct counters *c, int verdict,
				  __u32 may_route, __u32 port)
{
	if (verdict < 0)
		verdict = settle(ctx, c, verdict, may_route);
	if (!is_slow(verdict)) {
		seen_leave(ctx, port, verdict);
		return verdict;
	}
	seen_leave(ctx, port, slow_packet(ctx, c, verdict) ? XDP_REDIRECT : XDP_DROP); /* the kernel sends it */
	return XDP_DROP;
}

SEC("xdp")
int watched_n3(struct xdp_md *ctx)
{
	struct counters *c = counters_get();
	bool own = is_own(ctx, n3_mac);
	int verdict = NOT_OURS;

	if (!c)
		return XDP_DROP;
	if (!own && !is_group(ctx))
		return pass(c);
	seen_enter(ctx, PORT_N3);
	if (own)
		verdict = uplink(ctx, c);
	return finish(ctx, c, verdict, ALLOW_PLAIN_N3, PORT_N3);
}

SEC("xdp")
int watched_n6(struct xdp_md *ctx)
{
	struct counters *c = counters_get();
	bool own = is_own(ctx, n6_mac);
	int verdict = NOT_OURS;

	if (!c)
		return XDP_DROP;
	if (!own && !is_group(ctx))
		return pass(c);
	seen_enter(ctx, PORT_N6);
	if (own)
		verdict = downlink(ctx, c);
	return finish(ctx, c, verdict, ALLOW_PLAIN_N6, PORT_N6);
}

SEC("xdp")
int watched_n3n6(struct xdp_md *ctx)
{
	struct counters *c = counters_get();
	bool own = is_own(ctx, n3_mac);
	int verdict = NOT_OURS;

	if (!c)
		return XDP_DROP;
	if (!own && !is_group(ctx))
		return pass(c);
	seen_enter(ctx, PORT_N3);
	if (own)
		verdict = uplink(ctx, c);
	if (own && verdict == NOT_OURS)
		verdict = not_uplink(ctx, c);
	return finish(ctx, c, verdict, ALLOW_PLAIN_N3 | ALLOW_PLAIN_N6, PORT_N3);
}
