/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The rows of IPv6 packets: those of chain.h, whose IPv4 addresses are 0 then, and what
 * they compare beyond. */
#pragma once

#include "chain.h"

#define BLOCK_ROWS 2
#define BLOCK_PAGE_BITS 11 /* blocks are long, and few have any */
#define CHAIN_BLOCKS (CHAIN_ROWS / BLOCK_ROWS)

struct row6 {
	struct row row;
	struct addr6 ue, ue_mask;
	struct addr6 remote, remote_mask;
	struct addr6 local, local_mask;
	__u32 label, label_mask;
};

struct block6 {
	__u32 next; /* 0 for none */
	__u32 count; /* 0: it is cut off */
	struct row6 rows[BLOCK_ROWS];
};

PAGED_BY(chains6, struct block6, BLOCK_PAGE_BITS);

static __always_inline struct block6 *block_get(__u32 number)
{
	__u32 page = number >> BLOCK_PAGE_BITS, at = number & ((1u << BLOCK_PAGE_BITS) - 1);
	void *blocks = bpf_map_lookup_elem(&chains6, &page);

	return blocks ? bpf_map_lookup_elem(blocks, &at) : NULL;
}

struct search6 {
	struct search search;
	struct flow6 flow;
};

/* A search is too long for the stack. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct search6);
} searches6 SEC(".maps");

static __always_inline struct search6 *search6_new(__u8 qfi)
{
	__u32 zero = 0;
	struct search6 *s = bpf_map_lookup_elem(&searches6, &zero);

	if (s) {
		__builtin_memset(&s->search, 0, sizeof(s->search));
		s->search.flow.qfi = qfi;
	}
	return s;
}

/* Compare with one row; 1 ends the search. Not static, for the verifier. */
__noinline int try_row6(struct search6 *s, const struct row6 *r, __u32 at)
{
	if (!s || !r)
		return 0;
	if (!addr6_under(&s->flow.local, &r->ue_mask, &r->ue))
		return 0;
	if (!addr6_under(&s->flow.remote, &r->remote_mask, &r->remote) ||
	    !addr6_under(&s->flow.local, &r->local_mask, &r->local) ||
	    (s->flow.label & r->label_mask) != r->label || !row_matches(&r->row, &s->search.flow)) {
		s->search.why = DROP_NO_PDR;
		return 0;
	}
	s->search.at = at;
	s->search.found = 1;
	return 1;
}

/* One block; 1 ends the search. */
static long try_block6(__u32 i, struct search6 **search)
{
	struct search6 *s = *search;
	struct block6 *b = block_get(s->search.row);

	if (!b)
		return 1;
	if (b->count > 0 && try_row6(s, &b->rows[0], 0))
		return 1;
	if (b->count > 1 && try_row6(s, &b->rows[1], 1))
		return 1;
	s->search.row = b->next;
	return !b->next;
}

/* The row that a search found. NULL: it is gone. */
static __always_inline struct row *row_found6(struct search6 *s)
{
	struct block6 *b = block_get(s->search.row);

	return b ? &b->rows[s->search.at & (BLOCK_ROWS - 1)].row : NULL;
}

/* The row of the packet, or NULL with the reason in search.why. */
static __always_inline struct row *chain_find6(struct search6 *s, __u32 chain)
{
	s->search.row = chain;
	s->search.found = 0;
	s->search.why = chain ? DROP_SOURCE_MISMATCH : DROP_NO_PDR;
	if (chain)
		bpf_loop(CHAIN_BLOCKS, try_block6, &s, 0);
	return s->search.found ? row_found6(s) : NULL;
}
