/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The recorder. It finds the signature by parsing, as the sink does, and writes down
 * when each packet was due, was sent and arrived. It compares nothing else. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "headers.h"

#define EXTENSIONS 4 /* extension headers that are stepped over */

/* What is known of a packet, ns of CLOCK_MONOTONIC; arrived is 0 until it has. */
struct passage {
	__u64 due, sent, arrived;
};

volatile const __u32 sessions; /* that take turns */
volatile const __u32 room;     /* entries of passages */
volatile __u16 trial;          /* only frames of this trial count */
volatile __u64 received, again, beyond;

/* Entry n * sessions + s is packet n of session s. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* set by the loader */
	__type(key, __u32);
	__type(value, struct passage);
} passages SEC(".maps");

/* inner_of is the offset of the inner IP header; 0: the frame is none of ours. */
static __always_inline __u32 inner_of(void *data, void *end)
{
	struct ether_header *eth = data;
	struct ip_header *ip = data + ETH_LEN;
	__u32 udp_end = UDP_END, at;
	struct udp_header *udp;
	struct gtp_header *gtp;
	struct gtp_optional *opt;
	__u8 next;

	if ((void *)(eth + 1) > end)
		return 0;
	if (eth->type == bpf_htons(ETH_IPV6))
		udp_end = UDP6_END;
	udp = data + udp_end - sizeof(*udp);
	gtp = data + udp_end;
	opt = (void *)(gtp + 1);
	at = udp_end + sizeof(*gtp) + sizeof(*opt);
	if ((void *)(opt + 1) > end)
		return 0;
	if (eth->type == bpf_htons(ETH_IPV6)) {
		if (((__u8 *)ip)[6] != IPPROTO_UDP_)
			return ETH_LEN;
	} else if (eth->type != bpf_htons(ETH_IPV4) || ip->version_ihl != 0x45 || ip->protocol != IPPROTO_UDP_) {
		return 0;
	}
	if (udp->destination != bpf_htons(GTP_PORT))
		return ETH_LEN;
	if (gtp->type != GTP_GPDU)
		return 0;
	if (!(gtp->flags & 0x07))
		return udp_end + sizeof(*gtp);
	next = gtp->flags & GTP_E ? opt->next : 0;
	for (int i = 0; i < EXTENSIONS && next; i++) {
		__u8 *extension = data + (at & 0x7ff);
		__u32 bytes;

		if ((void *)(extension + 4) > end)
			return 0;
		bytes = extension[0] * 4;
		extension = data + ((at + bytes - 1) & 0x7ff);
		if (!bytes || (void *)(extension + 1) > end)
			return 0;
		next = *extension;
		at += bytes;
	}
	return next ? 0 : at;
}

static __always_inline void note(struct signature *sig, __u64 now)
{
	__u32 session = signature_session(sig->word), entry = sig->sequence * sessions + session;
	struct passage *p;

	if (session >= sessions || sig->sequence >= room || entry >= room || !(p = bpf_map_lookup_elem(&passages, &entry))) {
		__sync_fetch_and_add(&beyond, 1);
		return;
	}
	if (p->arrived) {
		__sync_fetch_and_add(&again, 1);
		return;
	}
	p->due = sig->intended;
	p->sent = sig->sent;
	p->arrived = now;
	__sync_fetch_and_add(&received, 1);
}

SEC("xdp")
int record_passage(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	__u64 now = bpf_ktime_get_ns();
	__u32 inner = inner_of(data, end);
	__u8 *ip = data + (inner & 0x7ff);
	struct inner_datagram *in;

	if (!inner || (void *)(ip + IP_LEN + sizeof(*in)) > end)
		return XDP_PASS;
	in = (void *)(ip + inner_length(FAMILY_IPV4 | FAMILY_IPV6, ip));
	if ((void *)(in + 1) > end || in->sig.magic != SIGNATURE_MAGIC)
		return XDP_PASS;
	if (in->sig.trial == trial)
		note(&in->sig, now);
	return XDP_DROP;
}

char _license[] SEC("license") = "Dual BSD/GPL";
