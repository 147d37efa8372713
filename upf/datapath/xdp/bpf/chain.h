/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Keys with more to them than one plain PDR: rows, the most important first, that a
 * packet is compared with; each names the next. Where they are many, branches lead to the few
 * that a packet may match. A chain never changes: new rules are a new
 * chain under a new number, and the old one goes when no packet can be on it any more. */
#pragma once

#include "flow.h"
#include "pages.h"
#include "rules.h"

#define CHAIN_ROWS 1024 /* that a key may have */
#define ROW_METERS 3
#define ROW_USAGES 4

/* The key of rows of a network behind a UE, which packets have not. */
#define KEY_FRAMED 0xffffffff

enum row_flags {
	ROW_PROTOCOL = 1,
	ROW_PORTS = 2,
	ROW_SPI = 4,
	ROW_RELAY = 8, /* from a tunnel into a tunnel */
	ROW_OUTER6 = 16, /* the tunnel is over IPv6 */
	ROW_EXIT = 32,	 /* into a tunnel on N6 */
	ROW_ALL = 64,	 /* there is no filter to compare with */
	ROW_COPY = 128,	 /* copies are sent */
};

/* What a row with VERDICT_BRANCH compares, in host order: its protocol. */
enum branch_field {
	BRANCH_REMOTE,
	BRANCH_LOCAL,
	BRANCH_REMOTE_PORT,
	BRANCH_LOCAL_PORT,
	BRANCH_PROTOCOL,
};

/* All that a packet without a filter needs is in the first 64 octets, one cache line. */
struct row {
	__be32 key; /* the TEID or UE address that has the chain; 0: it is cut off */
	__u8 flags, protocol, tos, tos_mask;
	__u64 qfis; /* a bit each; 0: any */
	__be32 ue, ue_mask; /* the inner source of an uplink packet; a mask of 0: any */
	__u8 verdict;
	__u8 qfi; /* of a downlink packet, with RQI, and PSC_PPP where it has a PPI; 0 for none */
	__u16 peer;
	__be32 teid; /* or who holds it; of a tunnel on N6 the UDP port, in network order */
	__u32 meters[ROW_METERS]; /* 0 for none */
	__u32 usages[ROW_USAGES]; /* the same */
	__u8 limited; /* a bit for each usage that has limits, and from LIMITED_ACTION on for each whose quota does not drop */
	__u8 marking; /* the outer header's type of service */
	__u8 entrance; /* the kind of tunnel on N6 that it comes by; 0: none */
	__u8 exit;     /* that it leaves in, with ROW_EXIT; the PPI, with PSC_PPP in qfi */
	__u32 next; /* the row after it; 0 for none */
	__u32 copy; /* who sends copies, with ROW_COPY */
	__be32 remote, remote_mask;
	__be32 local, local_mask;
	__u16 remote_low, remote_high, local_low, local_high;
	__be32 spi; /* of a branch the bound, in host order: packets below it go to next; of a row that goes for others the usage */
	__u32 other; /* the row of the others; else the one that goes for this one when a quota is used up, or for that */
};

#define LIMITED_ACTION 4 /* shift */

_Static_assert(__builtin_offsetof(struct row, next) == 64, "a cache line");

/* Two cache lines. */
struct line {
	struct row row;
	__u64 spare[3];
};

_Static_assert(sizeof(struct line) == 128, "cache lines");

PAGED(chains, struct line);

static __always_inline struct row *row_get(__u32 number)
{
	__u32 page = page_of(number), at = place_in_page(number);
	void *lines = bpf_map_lookup_elem(&chains, &page);

	return lines ? bpf_map_lookup_elem(lines, &at) : NULL;
}

struct search {
	struct flow flow;
	__u32 row; /* which is next, or was found; of IPv6 the block */
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
__noinline int try_row(struct search *s, const struct row *r)
{
	if (!s || !r)
		return 0;
	if ((s->flow.local & r->ue_mask) != r->ue)
		return 0;
	if (!row_matches(r, &s->flow)) {
		s->why = DROP_NO_PDR;
		return 0;
	}
	s->found = 1;
	return 1;
}

static __always_inline __u32 branch_value(const struct flow *f, __u8 field)
{
	switch (field) {
	case BRANCH_REMOTE:
		return bpf_ntohl(f->remote);
	case BRANCH_LOCAL:
		return bpf_ntohl(f->local);
	case BRANCH_REMOTE_PORT:
		return f->remote_port;
	case BRANCH_LOCAL_PORT:
		return f->local_port;
	}
	return f->protocol;
}

/* Which row is next; 1 ends the search. All rows after it want the same inner source. */
__noinline int take_branch(struct search *s, const struct row *r)
{
	if (!s || !r || (s->flow.local & r->ue_mask) != r->ue)
		return 1;
	s->why = DROP_NO_PDR;
	s->row = branch_value(&s->flow, r->protocol) < r->spi ? r->next : r->other;
	return !s->row;
}

/* One row; 1 ends the search. */
static long try_next(__u32 i, struct search *s)
{
	struct row *r = row_get(s->row);

	if (!r)
		return 1;
	if (r->verdict == VERDICT_BRANCH)
		return take_branch(s, r) ? 1 : 0;
	if (try_row(s, r))
		return 1;
	s->row = r->next;
	return !r->next;
}

/* The first row of a key's chain. Another key has the number only when the chain is long
 * gone: then it is none. */
static __always_inline struct row *chain_first(__u32 chain, __be32 key)
{
	struct row *r = chain ? row_get(chain) : NULL;

	return r && r->key == key ? r : NULL;
}

/* The row takes the packet, and there is no filter to compare with: what is most common. */
static __always_inline bool row_takes(const struct row *r, __be32 local, __u8 qfi, __u8 entrance)
{
	return r->flags & ROW_ALL && (local & r->ue_mask) == r->ue && r->entrance == entrance &&
	       (!r->qfis || r->qfis >> (qfi & PSC_QFI) & 1);
}

/* The row of the packet, from the first of its chain on, or NULL with the reason in why. */
static __always_inline struct row *chain_find(struct search *s, __u32 chain)
{
	s->row = chain;
	s->found = 0;
	s->why = DROP_SOURCE_MISMATCH;
	bpf_loop(CHAIN_ROWS, try_next, s, 0);
	return s->found ? row_get(s->row) : NULL;
}
