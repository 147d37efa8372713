/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A sample of the packets is turned around where it arrives, and goes back through the UPF
 * to the host that sent it: a round trip by one clock. How long the packet was here is added
 * to the times in it, so that it is not in the round trip. */
#pragma once

#define SIGNATURE_BACK 0xba75 /* the magic of a packet on its way back */
#define BACK_TUNNEL 58        /* where its inner packet is, uplink */
#define TUNNEL_IP (ETH_LEN)
#define TUNNEL_UDP (ETH_LEN + IP_LEN)
#define TUNNEL_GTP UDP_END
#define TUNNEL_QFI 56

volatile __u32 turn_every; /* one packet in so many, a power of two; 0: none */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, HISTOGRAM_BUCKETS); /* times CPUs, set by the loader */
	__type(key, __u32);
	__type(value, __u64);
} returns SEC(".maps");

/* turns returns whether a packet is of the sample, which does not follow a pattern of
 * arrivals. */
static __always_inline int turns(__u32 session, __u64 sequence)
{
	__u32 hash = (__u32)(sequence + session * 0x9e3779b1u) * 0x9e3779b1u >> 8;

	return turn_every && !(hash & (turn_every - 1)) && session % back.lanes < back.below;
}

/* tunnel writes the headers before the inner packet. */
static __always_inline void tunnel(__u8 *head, __u16 inner, struct expected_stream *s)
{
	struct ip_header *ip = (void *)(head + TUNNEL_IP);
	struct udp_header *udp = (void *)(head + TUNNEL_UDP);
	struct gtp_header *gtp = (void *)(head + TUNNEL_GTP);
	__u16 length = inner + BACK_TUNNEL - ETH_LEN;

#pragma unroll
	for (int i = ETH_LEN; i < BACK_TUNNEL; i++)
		head[i] = back.headers[i];
	ip->length = bpf_htons(length);
	ip->source = s->gnb;
	ip->check = 0;
	ip->check = ~ip_sum(ip);
	udp->length = bpf_htons(length - IP_LEN);
	udp->check = 0; /* none, RFC 768 */
	gtp->length = bpf_htons(inner + BACK_TUNNEL - UDP_END - sizeof(*gtp));
	gtp->teid = s->back;
	head[TUNNEL_QFI] = s->qfi & 0x3f;
}

/* swap has the inner packet go back to who sent it. No checksum changes by that. */
static __always_inline void swap(struct inner_packet *in)
{
	__u32 address = in->ip.source;
	__u16 port = in->udp.source;

	in->ip.source = in->ip.destination;
	in->ip.destination = address;
	in->udp.source = in->udp.destination;
	in->udp.destination = port;
}

/* inner_at is where the inner packet of one that was received is. */
static __always_inline __u32 inner_at(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct udp_header *udp = data + ETH_LEN + IP_LEN;
	struct gtp_header *gtp = (void *)(udp + 1);
	struct gtp_optional *opt = (void *)(gtp + 1);

	if (!want.encapsulated)
		return ETH_LEN;
	if ((void *)(opt + 1) > end || !(gtp->flags & 0x07))
		return UDP_END + sizeof(*gtp);
	if ((gtp->flags & GTP_E) && opt->next == GTP_EXT_PSC)
		return UDP_END + sizeof(*gtp) + sizeof(*opt) + sizeof(struct gtp_psc);
	return UDP_END + sizeof(*gtp) + sizeof(*opt);
}

/* turn_around sends a packet that was received back by the port that it came from, if it is of
 * the sample. It was here at a time, ns of this host's clock. Not static: so it is verified once, and apart. */
__noinline int turn_around(struct xdp_md *ctx, __u64 arrived)
{
	__u32 zero = 0, session, shape, inner = inner_at(ctx) & 0xff, to = back.inner == BACK_TUNNEL ? BACK_TUNNEL : ETH_LEN;
	struct totals *t = bpf_map_lookup_elem(&totals, &zero);
	const volatile struct expected_shape *h;
	struct expected_stream *s;
	struct inner_packet *in;
	__u64 here, sum;
	__u8 *head;

	in = (void *)(long)ctx->data + inner;
	if ((void *)(in + 1) > (void *)(long)ctx->data_end)
		return XDP_DROP;
	session = signature_session(in->sig.word);
	if (!turns(session, in->sig.sequence))
		return XDP_DROP;
	s = bpf_map_lookup_elem(&expected, &session);
	if (!s || !t || bpf_xdp_adjust_head(ctx, (int)inner - (int)to))
		return XDP_DROP;
	head = (void *)(long)ctx->data;
	in = (void *)(head + to);
	if ((void *)(in + 1) > (void *)(long)ctx->data_end)
		return XDP_DROP;
	shape = signature_shape(in->sig.word);
	h = shape_count > 1 ? bpf_map_lookup_elem(&expected_shapes, &shape) : &only;
	if (!h)
		return XDP_DROP;
	if (to == BACK_TUNNEL)
		tunnel(head, bpf_ntohs(in->ip.length), s);
#pragma unroll
	for (int i = 0; i < ETH_LEN; i++)
		head[i] = back.headers[i];
	swap(in);
	here = bpf_ktime_get_ns() - arrived;
	in->sig.magic = SIGNATURE_BACK;
	in->sig.intended += here;
	in->sig.sent += here;
	sum = s->udp_sum + h->udp_sum + SIGNATURE_BACK - SIGNATURE_MAGIC +
	      signature_varying_sum(in->sig.trial, in->sig.sequence, in->sig.intended, in->sig.sent);
	in->udp.check = checksum_finish_udp(sum);
	t->turned++;
	t->turn_sum += here;
	return bpf_redirect(ctx->ingress_ifindex, 0);
}

/* come_back books a packet that was turned around and is here again, with its inner packet
 * at an offset. Not static, likewise. */
__noinline int come_back(struct xdp_md *ctx, __u32 inner, __u32 encapsulated, __u32 teid)
{
	struct inner_packet *in = (void *)(long)ctx->data + (inner & 0xff);
	__u32 zero = 0, index;
	struct totals *t = bpf_map_lookup_elem(&totals, &zero);
	struct expected_stream *s;
	__u64 took;

	if (!t || (void *)(in + 1) > (void *)(long)ctx->data_end)
		return XDP_DROP;
	took = bpf_ktime_get_ns() + ahead - in->sig.intended;
	index = signature_session(in->sig.word);
	s = bpf_map_lookup_elem(&expected, &index);
	if (!s || in->sig.trial != trial || (encapsulated && want.encapsulated && teid != s->teid) ||
	    in->ip.source != (want.uplink ? s->ue : want.peer) || in->ip.destination != (want.uplink ? want.peer : s->ue)) {
		t->stale++;
		return XDP_DROP;
	}
	if (!t->return_count++ || took < t->return_min)
		t->return_min = took;
	if (took > t->return_max)
		t->return_max = took;
	t->return_sum += took;
	count(&returns, took);
	return XDP_DROP;
}
