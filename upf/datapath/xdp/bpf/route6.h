/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The next hop of an IPv6 destination; see route.h. */
#pragma once

#include "ipv6.h"
#include "route.h"

#ifndef AF_INET6
#define AF_INET6 10
#endif

struct route6 {
	struct addr6 destination;
	struct route route; /* whose destination is not used */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, DIRECTIONS * ROUTE_SLOTS);
	__type(key, __u32);
	__type(value, struct route6);
} routes6 SEC(".maps");

/* As wanted and used of route.h. */
volatile struct addr6 wanted6[WANTED_SLOTS];

struct hop6 {
	struct addr6 address;
	__u64 ifindex;
};

volatile struct hop6 used6[USED_SLOTS];

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct addr6);
	__type(value, __u8);
} own_addresses6 SEC(".maps");

static __always_inline __u32 route_hash6(const struct addr6 *a)
{
	__u64 mix = a->word[0] ^ (a->word[1] * 0x9e3779b97f4a7c15ull);

	return route_hash((__u32)(mix ^ mix >> 32));
}

static __always_inline int route_refusal6(int code, enum direction way, const struct addr6 *to, __u32 ifindex)
{
	__u32 slot = route_hash6(to) % WANTED_SLOTS;

	switch (code) {
	case BPF_FIB_LKUP_RET_NO_NEIGH:
		if (!may_leave(way, ifindex))
			return ROUTE_EGRESS;
		wanted6[slot].word[0] = to->word[0];
		wanted6[slot].word[1] = to->word[1];
		return route_unresolved(slot);
	case BPF_FIB_LKUP_RET_UNSUPP_LWT:
		return ROUTE_KERNEL;
	case BPF_FIB_LKUP_RET_NOT_FWDED:
		return bpf_map_lookup_elem(&own_addresses6, to) ? ROUTE_LOCAL : ROUTE_NONE;
	}
	return ROUTE_NONE;
}

static __noinline int route_fill6(struct xdp_md *ctx, struct route6 *r, const struct addr6 *to, enum direction way)
{
	struct bpf_fib_lookup fib = {
		.family = AF_INET6,
		.ifindex = ctx->ingress_ifindex,
	};
	__u32 now = generation; /* before the lookup */
	struct addr6 hop;
	__u32 slot;
	int code, status;

	if (!r || !to)
		return ROUTE_NONE;
	__builtin_memcpy(fib.ipv6_dst, to, sizeof(*to));
	code = bpf_fib_lookup(ctx, &fib, sizeof(fib), 0);
	if (code) {
		status = route_refusal6(code, way, to, fib.ifindex);
		if (status == ROUTE_KERNEL)
			route_slowly(&r->route, SLOW_UNRESOLVED, route_link_mtu(ctx, code, fib.ifindex));
		return status;
	}
	if (!may_leave(way, fib.ifindex))
		return ROUTE_EGRESS;
	__builtin_memcpy(&hop, fib.ipv6_dst, sizeof(hop));
	slot = route_hash6(&hop) % USED_SLOTS;
	used6[slot].address.word[0] = hop.word[0];
	used6[slot].address.word[1] = hop.word[1];
	used6[slot].ifindex = fib.ifindex;
	__builtin_memcpy(r->route.macs, fib.dmac, ETH_ALEN);
	__builtin_memcpy((__u8 *)r->route.macs + ETH_ALEN, fib.smac, ETH_ALEN);
	r->route.ifindex = fib.ifindex;
	r->route.mtu = fib.mtu_result;
	r->route.how = 0;
	r->destination = *to;
	r->route.generation = now;
	return ROUTE_OK;
}

/* As route_get. */
static __always_inline int route_get6(struct xdp_md *ctx, const struct addr6 *to, enum direction way,
				      struct route **out)
{
	__u32 slot = way * ROUTE_SLOTS + (route_hash6(to) >> (32 - ROUTE_BITS));
	struct route6 *r = bpf_map_lookup_elem(&routes6, &slot);

	if (!r)
		return ROUTE_NONE;
	*out = &r->route;
	if (r->destination.word[0] == to->word[0] && r->destination.word[1] == to->word[1] &&
	    r->route.generation == generation)
		return ROUTE_OK;
	return route_fill6(ctx, r, to, way);
}
