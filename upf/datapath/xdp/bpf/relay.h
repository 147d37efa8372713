/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* From a tunnel into a tunnel (N9): another outer header, and the T-PDU as it came. */
#pragma once

#include "downlink.h"

#define RELAY_DOWNLINK 0x100 /* beside the QFI: the packet came from the core */
#define PSC_UPLINK_TYPE 0x10 /* UL PDU SESSION INFORMATION, TS 38.415 clause 5.5.2.2 */

#define EXTENSION_UNKNOWN 1 /* one that has to be understood, TS 29.281 clause 5.2.1 */
#define EXTENSION_RQI 2     /* a downlink PDU session container with the RQI */

/* The GTP-U header of a frame that was parsed already: its first octet. */
static __always_inline struct gtpu *frame_gtpu(void *data, void *end)
{
	struct iphdr *ip = frame_ipv4(data, end);
	struct ipv6hdr *six = frame_ipv6(data, end);

	if (ip)
		return (void *)ip + ip->ihl * 4u + sizeof(struct udphdr);
	return six ? (void *)(six + 1) + sizeof(struct udphdr) : NULL;
}

/* What is in the extension headers of a G-PDU that was parsed already. Not static, for the
 * verifier. */
__noinline int extensions(struct xdp_md *ctx)
{
	void *end = (void *)(long)ctx->data_end;
	struct gtpu *gtp = frame_gtpu((void *)(long)ctx->data, end);
	struct gtpu_optional *optional;
	__u32 found = 0;
	__u8 next, *at;

	if (!gtp)
		return 0;
	optional = (void *)(gtp + 1);
	if ((void *)(optional + 1) > end || !(gtp->flags & GTPU_E))
		return 0;
	at = (void *)(optional + 1);
	next = optional->next;
#pragma unroll
	for (int i = 0; i < GTPU_EXT_MAX; i++) {
		__u8 typ = next, qfi;

		if (!typ)
			break;
		if ((void *)(at + 4) > end)
			break;
		if (typ == GTPU_EXT_PSC && !(at[1] >> 4) && at[2] & PSC_RQI && !(found & EXTENSION_RQI))
			found |= EXTENSION_RQI;
		if (typ != GTPU_EXT_PSC && typ & 0x80)
			found |= EXTENSION_UNKNOWN;
		at = gtpu_extension(at, end, &next, &qfi);
		if (!at)
			break;
	}
	return found;
}

/* A packet that came by a tunnel is held. at_length is its offset in the frame, and its
 * length. Not static, for the verifier. */
__noinline int hold_tpdu(struct xdp_md *ctx, struct counters *c, const struct row *row, __u32 at_length, __u32 qfi)
{
	__u32 mark = qfi & PSC_QFI;

	if (!c || !row)
		return XDP_DROP;
	if (extensions(ctx) & EXTENSION_RQI)
		mark |= PSC_RQI;
	hold_packet(ctx, row->teid, at_length >> 16, at_length & 0xffff, mark);
	return drop(c, DROP_BUFFERED);
}

/* cut is what goes in front of the T-PDU, after the Ethernet header; qfi is the packet's,
 * with RELAY_DOWNLINK. Not static, for the verifier. */
__noinline int relay(struct xdp_md *ctx, struct counters *c, const struct row *row, __u32 cut_length, __u32 qfi)
{
	struct delivery d = {.length = cut_length & 0xffff};
	bool downlink = qfi & RELAY_DOWNLINK;
	__u8 mark;
	bool done;

	if (!c || !row)
		return XDP_DROP;
	mark = row->qfi ? row->qfi : qfi & PSC_QFI;
	if (!row->qfi && downlink && extensions(ctx) & EXTENSION_RQI)
		mark |= PSC_RQI;
	if (!downlink) {
		mark &= PSC_QFI;
		d.type = PSC_UPLINK_TYPE;
	}
	if (outer6 && row->flags & ROW_OUTER6) {
		struct way6 *w = way6_new(row->teid, row->peer, mark, downlink ? WAY_RELAYED | WAY_DOWNLINK : WAY_RELAYED,
					  (cut_length >> 16) + ETH_HLEN, d.length, row);

		if (!w)
			return XDP_DROP;
		w->type = d.type;
		return DELIVER6;
	}
	if (!address(&d, row->peer, row->teid, mark))
		return drop(c, DROP_NO_ROUTE);
	d.marking = row->marking | ecn_at(ctx, (cut_length >> 16) + ETH_HLEN);
	d.id = c->ul_packets + c->dl_packets;
	if (route_get(ctx, d.peer, DOWNLINK, &d.route) != ROUTE_OK || !d.route)
		return drop(c, DROP_NO_ROUTE);
	if (d.length + (d.qfi ? OUTER_PSC : OUTER_PLAIN) > d.route->mtu)
		return drop(c, DROP_TOO_BIG);
	if (!usages_admit(row))
		return drop(c, DROP_QUOTA);
	if (!meters_admit(row, d.length))
		return drop(c, DROP_RATE);
	copy_packet(ctx, row, (cut_length >> 16) + ETH_HLEN, d.length, mark);
	if (bpf_xdp_adjust_head(ctx, (int)(cut_length >> 16)))
		return drop(c, DROP_HEADROOM);
	done = d.qfi ? encapsulate(ctx, &d, OUTER_PSC) : encapsulate(ctx, &d, OUTER_PLAIN);
	if (!done)
		return drop(c, DROP_HEADROOM);
	if (downlink) {
		c->dl_packets++;
		c->dl_bytes += d.length;
	} else {
		c->ul_packets++;
		c->ul_bytes += d.length;
	}
	usages_count(row, d.length, downlink);
	return route_send(d.route);
}
