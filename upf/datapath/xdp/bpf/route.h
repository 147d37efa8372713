/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The next hop of a destination: the kernel's FIB, remembered. A FIB lookup
 * costs more than the rest of a packet together, so its answer is kept in a
 * direct-mapped table per CPU until user space, which listens for changes of
 * routes, neighbours, links and addresses, moves the generation on. The answer
 * is by destination only: policy routing by source does not apply. */
#pragma once

#include "config.h"
#include "counters.h"
#include "ipv4.h"
#include "parse.h"

#ifndef AF_INET
#define AF_INET 2
#endif

#define ROUTE_BITS 10
#define ROUTE_SLOTS (1u << ROUTE_BITS) /* a direction */
#define WANTED_SLOTS 64
#define USED_SLOTS 256

#define MTU_MAX 0xffff
#define UNRESOLVED_MAX 64 /* packets that the kernel gets for a neighbour until user space looks again */

enum direction { UPLINK, DOWNLINK, DIRECTIONS };

enum route_status {
	ROUTE_OK,
	ROUTE_KERNEL, /* the kernel has to send it, see how: not resolved, or a tunnel */
	ROUTE_NONE,
	ROUTE_LOCAL,  /* to the machine itself */
	ROUTE_EGRESS, /* an uplink packet that would not leave by N6 */
	ROUTE_UNROUTABLE, /* no destination to route to */
};

struct route {
	__be32 destination;
	__u32 generation;
	__u32 ifindex;
	__u32 mtu;
	__u32 macs[3]; /* destination and source, as on the wire */
	__u32 how; /* the kernel is to send the packet: SLOW_... of counters.h, an MTU; 0: it is redirected */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, DIRECTIONS * ROUTE_SLOTS);
	__type(key, __u32);
	__type(value, struct route);
} routes SEC(".maps");

/* Entries of another generation are stale. Never 0, which fresh entries have. */
volatile __u32 generation = 1;

/* Destinations whose neighbour is not resolved: user space asks the kernel to
 * resolve them and clears the slot. */
volatile __be32 wanted[WANTED_SLOTS];

/* How many packets have gone to the kernel meanwhile, by the same slots for both families: it keeps
 * some for each neighbour. User space clears them, too. */
volatile __u32 unresolved[WANTED_SLOTS];

static __always_inline int route_unresolved(__u32 slot)
{
	if (unresolved[slot % WANTED_SLOTS] >= UNRESOLVED_MAX)
		return ROUTE_NONE;
	__sync_fetch_and_add(&unresolved[slot % WANTED_SLOTS], 1);
	return ROUTE_KERNEL;
}

/* Next hops that packets went to since user space last looked: it has the kernel
 * probe them, because forwarding here does not, and a next hop that changed its
 * MAC address would never be noticed. Interface index above, address below. */
volatile __u64 used[USED_SLOTS];

/* The machine's own addresses. Only to count drops under the right reason. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __be32);
	__type(value, __u8);
} own_addresses SEC(".maps");

static __always_inline __u32 route_hash(__be32 destination)
{
	return destination * 0x9e3779b1u;
}

static __always_inline bool may_leave(enum direction way, __u32 ifindex)
{
	return way == DOWNLINK || is_egress(ifindex);
}

/* The kernel's FIB gives the same answer for a local address and for no route. */
static __always_inline int route_not_forwarded(__be32 destination)
{
	return bpf_map_lookup_elem(&own_addresses, &destination) ? ROUTE_LOCAL : ROUTE_NONE;
}

static __always_inline int route_refusal(int code, enum direction way, __be32 destination,
					 __u32 ifindex)
{
	switch (code) {
	case BPF_FIB_LKUP_RET_NO_NEIGH:
		if (!may_leave(way, ifindex))
			return ROUTE_EGRESS;
		wanted[route_hash(destination) % WANTED_SLOTS] = destination;
		return route_unresolved(route_hash(destination));
	case BPF_FIB_LKUP_RET_UNSUPP_LWT:
		return ROUTE_KERNEL;
	case BPF_FIB_LKUP_RET_NOT_FWDED:
		return route_not_forwarded(destination);
	}
	return ROUTE_NONE;
}

/* What the link takes that a next hop is on, which the FIB does not say of one that is not resolved. */
static __always_inline __u32 route_link_mtu(struct xdp_md *ctx, int code, __u32 ifindex)
{
	__u32 mtu = 0;

	if (code != BPF_FIB_LKUP_RET_NO_NEIGH || bpf_check_mtu(ctx, ifindex, &mtu, 0, 0) < 0)
		return MTU_MAX;
	return mtu;
}

/* The kernel sends this packet. The next one asks again, and so does one to the destination whose entry
 * it was. */
static __always_inline void route_slowly(struct route *r, __u32 how, __u32 mtu)
{
	r->how = how;
	r->mtu = mtu;
	r->generation = 0;
}

static __noinline int route_fill(struct xdp_md *ctx, struct route *r, __be32 destination,
				 enum direction way)
{
	struct bpf_fib_lookup fib = {
		.family = AF_INET,
		.ipv4_dst = destination,
		.ifindex = ctx->ingress_ifindex,
	};
	__u32 now = generation; /* before the lookup: a change meanwhile makes it stale */
	int code, status;

	if (!r)
		return ROUTE_NONE;
	if (way == UPLINK && is_unroutable(destination))
		return ROUTE_UNROUTABLE;
	code = bpf_fib_lookup(ctx, &fib, sizeof(fib), 0);
	if (code) {
		status = route_refusal(code, way, destination, fib.ifindex);
		if (status == ROUTE_KERNEL)
			route_slowly(r, SLOW_UNRESOLVED, route_link_mtu(ctx, code, fib.ifindex));
		return status;
	}
	if (!may_leave(way, fib.ifindex))
		return ROUTE_EGRESS;
	used[route_hash(fib.ipv4_dst) % USED_SLOTS] = (__u64)fib.ifindex << 32 | fib.ipv4_dst;
	__builtin_memcpy(r->macs, fib.dmac, ETH_ALEN);
	__builtin_memcpy((__u8 *)r->macs + ETH_ALEN, fib.smac, ETH_ALEN);
	r->ifindex = fib.ifindex;
	r->mtu = fib.mtu_result;
	r->how = 0;
	r->destination = destination;
	r->generation = now;
	return ROUTE_OK;
}

/* Points *out at the route and gives ROUTE_OK or ROUTE_KERNEL, or says why there is none. */
static __always_inline int route_get(struct xdp_md *ctx, __be32 destination, enum direction way,
				     struct route **out)
{
	__u32 slot = way * ROUTE_SLOTS + (route_hash(destination) >> (32 - ROUTE_BITS));
	struct route *r = bpf_map_lookup_elem(&routes, &slot);

	if (!r)
		return ROUTE_NONE;
	*out = r;
	if (r->destination == destination && r->generation == generation)
		return ROUTE_OK;
	return route_fill(ctx, r, destination, way);
}

/* Send the frame on, or have the kernel do it. A DEVMAP with bpf_redirect_map was measured to cost the same
 * (within 2 % of a live frame), and would tie routes to the interfaces in it. */
static __always_inline int route_send(const struct route *r)
{
	return r->how ? SLOW_VERDICT(r->how) : bpf_redirect(r->ifindex, 0);
}

/* The Ethernet header that the route asks for, of a packet of the protocol ETH_P_..., in words: clang copies
 * into the kernel's struct ethhdr octet by octet. */
static __always_inline void route_write(void *frame, const struct route *r, __u16 protocol)
{
	__u32 *word = frame;

	word[0] = r->macs[0];
	word[1] = r->macs[1];
	word[2] = r->macs[2];
	*(__be16 *)&word[3] = bpf_htons(protocol);
}
