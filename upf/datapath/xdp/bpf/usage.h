/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What URRs count: one entry each, which all CPUs add to. Its limits are apart, because
 * user space replaces them while packets are counted. */
#pragma once

#include "chain6.h"
#include "config.h"
#include "counters.h"

#define VOLUMES 3 /* both directions, uplink, downlink */

struct usage {
	__u64 packets[2]; /* uplink, downlink */
	__u64 octets[2];
	__u64 first; /* when the first packet since the last report came, on the monotonic clock; 0: none */
	__u64 told;  /* the edition of the limits whose alarm was told */
	__u64 last;  /* when the last packet came; 0: none */
	__u64 spare; /* a cache line */
};

struct usage_limits {
	__u64 edition; /* counts up, from 1; 0: there are no limits */
	__u64 alarm[VOLUMES];
	__u64 quota[VOLUMES];
};

PAGED(usages, struct usage);

static __always_inline struct usage *usage_get(__u32 id)
{
	__u32 page = page_of(id), at = place_in_page(id);
	void *list = bpf_map_lookup_elem(&usages, &page);

	return list ? bpf_map_lookup_elem(list, &at) : NULL;
}

/* By the number of the usage. User space writes them in place, the edition last: a packet
 * meanwhile meets old or new ones. */
PAGED(limits, struct usage_limits);

/* NULL where the URR has none. */
static __always_inline struct usage_limits *limits_get(__u32 id)
{
	__u32 page = page_of(id), at = place_in_page(id);
	void *list = bpf_map_lookup_elem(&limits, &page);
	struct usage_limits *l = list ? bpf_map_lookup_elem(list, &at) : NULL;

	return l && l->edition ? l : NULL;
}

/* Numbers of usages that reached their alarm. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 18);
} alarms SEC(".maps");

static __always_inline bool volume_reached(const struct usage *u, const __u64 *limit)
{
	return u->octets[0] + u->octets[1] >= limit[0] || u->octets[0] >= limit[1] ||
	       u->octets[1] >= limit[2];
}

/* The quota of one URR has room for a packet. */
static __always_inline bool usage_has_room(__u32 id)
{
	struct usage_limits *l;
	struct usage *u;

	l = limits_get(id);
	u = usage_get(id);
	return !l || !u || !volume_reached(u, l->quota);
}

/* All URRs of the row have room. Not static, for the verifier. */
__noinline int limits_admit(const struct row *r)
{
	if (!r)
		return 0;
	for (int i = 0; i < ROW_USAGES && r->usages[i]; i++)
		if (r->limited >> i & 1 && !(r->limited >> (LIMITED_ACTION + i) & 1) && !usage_has_room(r->usages[i]))
			return 0;
	return 1;
}

/* Not static: the verifier looks at it once. */
__noinline int quota_used_up(__u32 id) { return !usage_has_room(id); }

/* The number of the row of IPv4 packets that goes for another one whose quota is used up; 0: none does. Not static, for
 * the verifier. */
__noinline __u32 quota_action(const struct row *r)
{
	__u32 at;

	if (!r)
		return 0;
	at = r->other;
#pragma clang loop unroll(disable)
	for (int i = 0; i < ROW_USAGES && at; i++) {
		struct row *to = row_get(at);

		if (!to || quota_used_up(to->spi))
			return at;
		at = to->other;
	}
	return 0;
}

/* The row that the packets of a row go by: its own, or that of the FAR for a quota action. NULL: it is gone. */
static __always_inline struct row *row_in_effect(struct row *r)
{
	__u32 other = r->limited >> LIMITED_ACTION ? quota_action(r) : 0;

	return other ? row_get(other) : r;
}

static __always_inline int usages_admit(const struct row *r)
{
	return !r->limited || limits_admit(r);
}

/* The same of IPv6 packets, by the block that the search found. */
__noinline int quota_action6(struct search6 *s, const struct row *r)
{
	__u32 at;

	if (!s || !r)
		return 0;
	at = r->other;
#pragma clang loop unroll(disable)
	for (int i = 0; i < ROW_USAGES && at; i++) {
		struct block6 *b = block_get(at);

		if (!b || quota_used_up(b->rows[0].row.spi)) {
			s->search.row = at;
			s->search.at = 0;
			return 1;
		}
		at = b->rows[0].row.other;
	}
	return 0;
}

static __always_inline struct row *row_in_effect6(struct search6 *s, struct row *r)
{
	if (r->limited >> LIMITED_ACTION && quota_action6(s, r))
		return row_found6(s);
	return r;
}

/* Tell user space, once for each edition of the limits. */
static __always_inline void usage_alarm(struct usage *u, __u32 id)
{
	struct usage_limits *l = limits_get(id);
	__u64 told = u->told;

	if (!l || told == l->edition || !volume_reached(u, l->alarm))
		return;
	if (__sync_val_compare_and_swap(&u->told, told, l->edition) != told)
		return;
	if (bpf_ringbuf_output(&alarms, &id, sizeof(id), 0))
		u->told = told; /* no room: the next packet tries again */
}

static __always_inline void usage_add(struct usage *u, __u32 octets, __u32 downlink)
{
	__u64 now = bpf_ktime_get_coarse_ns(); /* reports have seconds */

	if (!u->first)
		u->first = now;
	u->last = now;
	__sync_fetch_and_add(&u->packets[downlink & 1], 1);
	__sync_fetch_and_add(&u->octets[downlink & 1], octets);
}

/* Count a packet for each URR of the row. Not static, for the verifier. */
__noinline int several_count(const struct row *r, __u32 octets, __u32 downlink)
{
	if (!r)
		return 0;
	for (int i = 0; i < ROW_USAGES && r->usages[i]; i++) {
		__u32 id = r->usages[i];
		struct usage *u = usage_get(id);

		if (!u)
			continue;
		usage_add(u, octets, downlink);
		if (r->limited >> i & 1)
			usage_alarm(u, id);
	}
	return 0;
}

/* Count a packet that is forwarded, for all URRs of the row. One without limits takes no
 * call, as in meters_admit. */
static __always_inline void usages_count(const struct row *r, __u32 octets, __u32 downlink)
{
	struct usage *u;

	if (r->usages[1] || r->limited) {
		several_count(r, octets, downlink);
		return;
	}
	u = r->usages[0] ? usage_get(r->usages[0]) : NULL;
	if (u)
		usage_add(u, octets, downlink);
}

/* Who sees a chain is between these two. User space, having taken a chain away, waits
 * until each CPU was outside: then nothing more is counted by its rows. The first is a
 * full barrier: the chain is looked up after it. */
static __always_inline void chain_enter(struct counters *c)
{
	__sync_fetch_and_add(&c->entered, 1);
}

static __always_inline int chain_leave(struct counters *c, int verdict)
{
	if (outer6 && verdict == DELIVER6)
		return verdict; /* deliver6 leaves */
	__sync_fetch_and_add(&c->left, 1);
	return verdict;
}
