/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What goes up to the UPF's GTP-U socket, and how much of it: signalling, and the
 * G-PDUs for no tunnel that it answers with an Error Indication (TS 29.281 clause
 * 7.3.1). Each source has a share, so that a flood from one gNB leaves the others
 * theirs; all together have a limit, because a source can be invented. */
#pragma once

#include "counters.h"
#include "ipv6.h"

#define PUNT_WINDOW_SHIFT 30 /* a window is 2^30 ns, about a second */
#define PUNT_SOURCES 4096

enum punt { PUNT_UNKNOWN, PUNT_SIGNALLING, PUNT_NOTICE, PUNT_KINDS };

struct punt_budget {
	__u64 window;
	__u32 spent[PUNT_KINDS];
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, PUNT_SOURCES);
	__type(key, __be32);
	__type(value, struct punt_budget);
} punt_sources SEC(".maps");

volatile struct punt_budget punt_all;

/* What a source may have in a window, and all of them. */
static __always_inline __u32 punt_share(enum punt kind)
{
	return kind == PUNT_UNKNOWN ? 100 : kind == PUNT_NOTICE ? 10 : 1000;
}

static __always_inline __u32 punt_limit(enum punt kind)
{
	return kind == PUNT_UNKNOWN ? 1000 : kind == PUNT_NOTICE ? 2000 : 20000;
}

static __always_inline bool punt_spend(volatile struct punt_budget *b, enum punt kind, __u64 window,
				       __u32 limit)
{
	if (b->window != window) {
		b->window = window;
		b->spent[PUNT_UNKNOWN] = 0;
		b->spent[PUNT_SIGNALLING] = 0;
		b->spent[PUNT_NOTICE] = 0;
	}
	if (b->spent[kind] >= limit)
		return false;
	__sync_fetch_and_add(&b->spent[kind], 1);
	return true;
}

static __always_inline bool punt_allowed(__be32 source, enum punt kind)
{
	__u64 window = bpf_ktime_get_ns() >> PUNT_WINDOW_SHIFT;
	struct punt_budget fresh = {}, *b = bpf_map_lookup_elem(&punt_sources, &source);

	if (!b) {
		bpf_map_update_elem(&punt_sources, &source, &fresh, BPF_NOEXIST);
		b = bpf_map_lookup_elem(&punt_sources, &source);
	}
	return b && punt_spend(b, kind, window, punt_share(kind)) &&
	       punt_spend(&punt_all, kind, window, punt_limit(kind));
}

static __always_inline bool punt_sender(struct xdp_md *ctx, enum punt kind)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct iphdr *ip = frame_ipv4(data, end);
	struct ipv6hdr *six = frame_ipv6(data, end);

	if (ip)
		return punt_allowed(ip->saddr, kind);
	return six && punt_allowed(ue_hash(&six->saddr), kind);
}

/* Counted as dropped also when user space gets to see it. */
static __noinline int punt_unknown(struct xdp_md *ctx)
{
	return punt_sender(ctx, PUNT_UNKNOWN) ? XDP_PASS : XDP_DROP;
}

static __noinline int punt_signalling(struct xdp_md *ctx)
{
	return punt_sender(ctx, PUNT_SIGNALLING) ? XDP_PASS : XDP_DROP;
}
