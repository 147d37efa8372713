/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The part of the generator for slots that are not all alike: several shapes,
 * both directions at once. Pages are as long as the longest frame, and come back
 * with what any slot and its readers left in them. */
#pragma once

#define SHAPE_BITS 24 /* an entry of the sequence is a shape, and its flow above that */

/* next_entry is what the next slot sends. */
static __always_inline __u32 next_entry(void)
{
	__u32 at = st.slot_at, *found = bpf_map_lookup_elem(&slots, &at);

	return found ? *found : 0;
}

static __always_inline __u32 next_flow(void)
{
	return (next_entry() >> SHAPE_BITS) & (FLOWS - 1);
}

/* step_mixed goes to the next slot's flow and stream. */
static __always_inline void step_mixed(void)
{
	__u32 flow = next_flow(), at = st.slot_at;

	turn(flow);
	st.slot_at = at + 1 >= ctl.sequence ? 0 : at + 1;
}

/* resize gives the frame its length. */
static __always_inline int resize(struct xdp_md *ctx, __u32 bytes)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	long more = (long)bytes - (end - data);

	return more ? bpf_xdp_adjust_tail(ctx, more) : 0;
}

/* write_fill restores what longer headers, of the other flow or family, lay over: the bytes
 * behind a signature. */
static __always_inline void write_fill(void *p, void *end, const int bytes)
{
#pragma unroll
	for (int i = 0; i < (bytes + 7) / 8; i++) {
		if (p + 8 > end)
			break;
		*(__u64 *)p = 0x7878787878787878ULL;
		p += 8;
	}
	for (int i = 0; i < 7; i++) {
		if (p + 1 > end)
			break;
		*(volatile __u8 *)p = SIGNATURE_FILL;
		p++;
	}
}

/* restore writes the fill behind a packet's own headers, where those of others of the mixture are longer.
 * Its own are known when this is compiled. */
static __always_inline void restore(struct xdp_md *ctx, const int way, const int v6)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;

#define RESTORE(longest)                                                                                          \
	do {                                                                                                      \
		if (HEADERS(way, v6) < (longest) && data + HEADERS(way, v6) + SIGNATURE_BYTES <= end)               \
			write_fill(data + HEADERS(way, v6) + SIGNATURE_BYTES, end, (longest) - HEADERS(way, v6)); \
		return;                                                                                           \
	} while (0)
	if (outer6 && (families & FAMILY_IPV6))
		RESTORE(HEADERS(TUNNEL6, 1));
	if (outer6)
		RESTORE(HEADERS(TUNNEL6, 0));
	if (families & FAMILY_IPV6)
		RESTORE(HEADERS(TUNNEL4, 1));
	RESTORE(HEADERS(TUNNEL4, 0));
#undef RESTORE
}

static __always_inline int write_content(struct xdp_md *ctx, struct shape *h, __u32 index)
{
	struct content *c = bpf_map_lookup_elem(&payloads, &index);
	__u32 length = h->content, at = HEADERS(h->way, h->ipv6) + SIGNATURE_BYTES;

	asm volatile("" : "+r"(length)); /* so that the verifier sees the bounds */
	if (!c || length - 1 >= CONTENT_MAX)
		return 0; /* nothing but a signature */
	return bpf_xdp_store_bytes(ctx, at, c, length);
}

/* build_mixed writes a frame of a shape, headers and signature. */
static __always_inline int build_mixed(struct xdp_md *ctx, struct shape *h, struct stream *s, __u32 session,
				       __u16 trial, __u64 seq, __u64 intended, __u64 now)
{
	__u64 sum = s->udp_sum + h->udp_sum + signature_varying_sum(trial, seq, intended, now);
	struct checks c = {
		checksum_finish((__u64)s->inner_ip_check + h->inner_ip_sum),
		checksum_finish_udp((__u64)s->outer_udp_check + h->outer_udp_sum),
	};

	session |= h->word;
#define BUILD(way, v6)                                                                                   \
	do {                                                                                             \
		if (write_headers(ctx, h->headers, way, v6, s, c, sum, session, trial, seq, intended, now)) \
			return -1;                                                                       \
		if (!contents)                                                                           \
			restore(ctx, way, v6);                                                           \
		return 0;                                                                                \
	} while (0)
	if (outer6 && h->way && (families & FAMILY_IPV6) && h->ipv6)
		BUILD(TUNNEL6, 1);
	if (outer6 && h->way)
		BUILD(TUNNEL6, 0);
	if (h->way && (families & FAMILY_IPV6) && h->ipv6)
		BUILD(TUNNEL4, 1);
	if (h->way)
		BUILD(TUNNEL4, 0);
	if ((families & FAMILY_IPV6) && h->ipv6)
		BUILD(PLAIN, 1);
	BUILD(PLAIN, 0);
#undef BUILD
}

/* emit_mixed sends what the next slot asks for, for its flow's next stream. */
static __always_inline int emit_mixed(struct xdp_md *ctx, int warm, struct sent_window *w, __u64 intended, __u64 now)
{
	volatile struct flow_progress *f;
	__u32 entry = next_entry(), index = entry & ((1 << SHAPE_BITS) - 1), flow, session, key;
	struct stream *s;
	struct shape *h;
	__u64 seq;

	flow = (entry >> SHAPE_BITS) & (FLOWS - 1);
	f = &st.flows[flow];
	session = f->stream;
	key = flow * (ctl.mask + 1) + (session & ctl.mask);
	s = bpf_map_lookup_elem(&streams, &key);
	if (!s)
		return XDP_DROP;
	if (families == (FAMILY_IPV4 | FAMILY_IPV6) && (s->gnb & UE_IPV6))
		index++; /* the shape of IPv6 follows that of IPv4 */
	h = bpf_map_lookup_elem(&shapes, &index);
	if (!h || resize(ctx, h->frame))
		return XDP_DROP;
	seq = sequence_number(s, warm);
	if (!warm) {
		record(w, now);
		f->sent++;
		f->bytes += h->frame;
		if (w) {
			w->flows[flow].packets++;
			w->flows[flow].bytes += h->frame;
		}
	}
	if (build_mixed(ctx, h, s, session, warm ? ctl.trial - 1 : ctl.trial, seq, intended, now))
		return XDP_DROP;
	if (contents && write_content(ctx, h, index))
		return XDP_DROP;
	return bpf_redirect_map(&port, flow, 0);
}
