/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Keys with more to them than one plain PDR: rows, the most important first, that a
 * packet is compared with. Rows are in blocks, and each block names the next. A chain
 * never changes: new rules are a new chain under a new number, and the old one goes when
 * no packet can be on it any more. */
#pragma once

#include "flow.h"
#include "rules.h"

#define BLOCK_ROWS 2
#define CHAIN_BLOCKS 512 /* rows a key may have, in blocks */
#define ROW_METERS 3
#define ROW_USAGES 4

enum row_flags {
	ROW_PROTOCOL = 1,
	ROW_PORTS = 2,
	ROW_SPI = 4,
	ROW_RELAY = 8, /* from a tunnel into a tunnel */
	ROW_OUTER6 = 16, /* the tunnel is over IPv6 */
	ROW_EXIT = 32,	 /* into a tunnel on N6 */
};

struct row {
	__u64 qfis; /* a bit each; 0: any */
	__be32 ue, ue_mask; /* the inner source of an uplink packet; a mask of 0: any */
	__be32 remote, remote_mask;
	__be32 local, local_mask;
	__u16 remote_low, remote_high, local_low, local_high;
	__be32 spi;
	__u8 flags, protocol, tos, tos_mask;
	__u8 verdict;
	__u8 qfi; /* of a downlink packet, with RQI; 0 for none */
	__u16 peer;
	__be32 teid; /* or who holds it; of a tunnel on N6 the UDP port, in network order */
	__u32 meters[ROW_METERS]; /* 0 for none */
	__u32 usages[ROW_USAGES]; /* the same */
	__u8 limited; /* a bit for each usage that has limits */
	__u8 marking; /* the outer header's type of service */
	__u8 entrance; /* the kind of tunnel on N6 that it comes by; 0: none */
	__u8 exit;     /* that it leaves in, with ROW_EXIT */
	__u32 copy; /* who sends copies; 0: there are none */
};

struct block {
	__u32 next; /* 0 for none */
	__u32 count;
	struct row rows[BLOCK_ROWS];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, struct block);
} chains SEC(".maps");

struct search {
	struct flow flow;
	__u32 block;
	__u32 at; /* which row of the block */
	__u32 found;
	__u32 why; /* when there is none */
};

static __always_inline bool row_ports(const struct row *r, const struct flow *f)
{
	return f->flags & ROW_PORTS && f->remote_port >= r->remote_low &&
	       f->remote_port <= r->remote_high && f->local_port >= r->local_low &&
	       f->local_port <= r->local_high;
}

static __always_inline int row_matches(const struct row *r, const struct flow *f)
{
	return r->entrance == f->entrance && (!r->qfis || r->qfis >> (f->qfi & PSC_QFI) & 1) &&
	       (f->remote & r->remote_mask) == r->remote && (f->local & r->local_mask) == r->local &&
	       (!(r->flags & ROW_PROTOCOL) || r->protocol == f->protocol) &&
	       (f->tos & r->tos_mask) == r->tos &&
	       (!(r->flags & ROW_SPI) || (f->flags & ROW_SPI && f->spi == r->spi)) &&
	       (!(r->flags & ROW_PORTS) || row_ports(r, f));
}

/* Compare with one row; 1 ends the search. Not static: the verifier looks at it once, and
 * not on every path that leads here. */
__noinline int try_row(struct search *s, const struct row *r, __u32 at)
{
	if (!s || !r)
		return 0;
	if ((s->flow.local & r->ue_mask) != r->ue)
		return 0;
	if (!row_matches(r, &s->flow)) {
		s->why = DROP_NO_PDR;
		return 0;
	}
	s->at = at;
	s->found = 1;
	return 1;
}

/* One block; 1 ends the search. */
static long try_block(__u32 i, struct search *s)
{
	struct block *b = bpf_map_lookup_elem(&chains, &s->block);

	if (!b)
		return 1;
	if (b->count > 0 && try_row(s, &b->rows[0], 0))
		return 1;
	if (b->count > 1 && try_row(s, &b->rows[1], 1))
		return 1;
	s->block = b->next;
	return !b->next;
}

/* The row of the packet, or NULL with the reason in *why. */
static __always_inline struct row *chain_find(struct search *s, __u32 chain)
{
	struct block *b;

	s->block = chain;
	s->found = 0;
	s->why = chain ? DROP_SOURCE_MISMATCH : DROP_NO_PDR;
	if (chain)
		bpf_loop(CHAIN_BLOCKS, try_block, s, 0);
	if (!s->found)
		return NULL;
	b = bpf_map_lookup_elem(&chains, &s->block);
	return b ? &b->rows[s->at & (BLOCK_ROWS - 1)] : NULL;
}
