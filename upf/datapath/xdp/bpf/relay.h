/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* From a tunnel into a tunnel (N9): another outer header, and the T-PDU as it came. */
#pragma once

#include "deliver.h"

#define RELAY_DOWNLINK 0x100 /* beside the QFI: the packet came from the core */
#define PSC_UPLINK_TYPE 0x10 /* UL PDU SESSION INFORMATION, TS 38.415 clause 5.5.2.2 */

#define EXTENSION_UNKNOWN 1 /* one that has to be understood, TS 29.281 clause 5.2.1 */
#define EXTENSION_RQI 2     /* a downlink PDU session container with the RQI */
/* Of the last PDU session container: its length, in four octets, and its offset in the frame. */
#define EXTENSION_WORDS(found) ((found) >> 8 & 0xff)
#define EXTENSION_AT(found) ((found) >> 16)

/* The GTP-U header of a frame that was parsed already: its first octet. */
static __always_inline struct gtpu *frame_gtpu(void *data, void *end)
{
	struct iphdr *ip = frame_ipv4(data, end);
	struct ipv6hdr *six = frame_ipv6(data, end);

	if (ip)
		return (void *)ip + ip->ihl * 4u + sizeof(struct udphdr);
	return six ? (void *)(six + 1) + sizeof(struct udphdr) : NULL;
}

/* What is in the extension headers of a G-PDU that was parsed already: EXTENSION_*. Not static, for
 * the verifier. */
__noinline __u32 extensions(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct gtpu *gtp = frame_gtpu(data, end);
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
		if (typ == GTPU_EXT_PSC)
			found = (found & 0xff) | (__u32)((void *)at - data) << 16 | (__u32)at[0] << 8;
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

#define PSC_QMP 0x08 /* in the octet of the PDU type: a time stamp of eight octets, */
#define PSC_SNP 0x04 /* a sequence number of three, */
#define PSC_MSNP 0x02 /* and one of four */
#define PSC_SPARE 0x01

/* How many octets more a kept container needs for a Paging Policy Indicator: its fields may leave some. */
static __always_inline __u32 container_growth(const __u8 *octets, __u32 length)
{
	__u32 used = 4 + (octets[1] & PSC_QMP ? 8 : 0) + (octets[1] & PSC_SNP ? 3 : 0) + (octets[1] & PSC_MSNP ? 4 : 0);

	return octets[1] & PSC_SPARE || used + 1 > length ? 4 : 0;
}

/* A kept downlink container of so many octets gets the Paging Policy Indicator, in front of its other fields where it
 * had none. at is its offset in the frame. Returns its length then. Not static, for the verifier. */
__noinline __u32 container_ppi(struct xdp_md *ctx, __u32 at, __u32 octets, __u32 ppi)
{
	struct kept *k = kept_get();
	__u32 fields, growth;

	SEPARATE_BOUNDS(octets);
	if (!k || octets < 8 || octets > CONTAINER_MAX - 4 || k->octets[1] >> 4)
		return octets;
	if (!(k->octets[2] & PSC_PPP)) {
		growth = container_growth(k->octets, octets);
		fields = octets - (growth ? 4 : 5);
		SEPARATE_BOUNDS(fields);
		if (fields < 3 || fields > CONTAINER_MAX - 8 || bpf_xdp_load_bytes(ctx, at + 3, k->octets + 4, fields))
			return octets;
#pragma unroll
		for (int i = 0; i < 4; i++)
			k->octets[4 + fields + i] = 0;
		octets += growth;
		k->octets[0] = octets / 4;
		k->octets[2] |= PSC_PPP;
	}
	k->octets[3] = ppi << PSC_PPI_SHIFT;
	return octets;
}

/* A PDU session container with more than QFI and RQI is kept, for the time that the headers are made
 * anew: paging policy and time stamps are of those who measure from end to end (TS 38.415 clause
 * 5.5.2), and pass. Only the QFI is what the row says, where it says one: mark. Returns the container's
 * length, 0 where there is none to keep. Not static, for the verifier. */
__noinline __u32 keep_container(struct xdp_md *ctx, __u32 found, __u32 mark)
{
	__u32 octets = EXTENSION_WORDS(found) * 4;
	struct kept *k = kept_get();

	if (!k || octets <= 4)
		return 0;
	SEPARATE_BOUNDS(octets);
	if (octets > CONTAINER_MAX ||
	    bpf_xdp_load_bytes(ctx, EXTENSION_AT(found), k->octets, octets))
		return 0;
	if (mark & PSC_QFI)
		k->octets[2] = (k->octets[2] & ~PSC_QFI) | (mark & ~PSC_PPP);
	k->octets[octets - 1] = 0; /* it is the last extension header */
	return octets;
}

/* The QFI and RQI of a packet that leaves into another tunnel, and, from bit 8 on, how many octets of
 * its container are kept. cut and qfi are relay's, mark and ppi the row's. Not static, for the verifier. */
__noinline __u32 relay_mark(struct xdp_md *ctx, __u32 cut, __u32 qfi, __u32 mark, __u32 ppi)
{
	bool downlink = qfi & RELAY_DOWNLINK;
	__u32 found = 0, kept = 0;

	if (!downlink)
		mark &= PSC_QFI;
	if (downlink || cut > OUTER_PSC) /* an RQI, or more than a container of four octets */
		found = extensions(ctx);
	if (EXTENSION_WORDS(found) > 1)
		kept = keep_container(ctx, found, mark);
	if (!(mark & PSC_QFI))
		mark |= qfi & PSC_QFI;
	if (downlink && found & EXTENSION_RQI)
		mark |= PSC_RQI;
	if (mark & PSC_PPP && kept)
		kept = container_ppi(ctx, EXTENSION_AT(found), kept, ppi);
	else if (mark & PSC_PPP && mark & PSC_QFI)
		kept = ppi_container(mark, ppi);
	return (mark & ~PSC_PPP) | kept << 8;
}

/* cut is what goes in front of the T-PDU, after the Ethernet header; qfi is the packet's,
 * with RELAY_DOWNLINK. Not static, for the verifier. */
__noinline int relay(struct xdp_md *ctx, struct counters *c, const struct row *row, __u32 cut_length, __u32 qfi)
{
	struct delivery d = {.length = cut_length & 0xffff};
	bool downlink = qfi & RELAY_DOWNLINK;
	__u32 mark;

	if (!c || !row)
		return XDP_DROP;
	mark = relay_mark(ctx, cut_length >> 16, qfi, row->qfi, row->exit);
	d.kept = mark >> 8;
	if (!downlink)
		d.type = PSC_UPLINK_TYPE;
	if (outer6 && row->flags & ROW_OUTER6) {
		struct way6 *w = way6_new(row->teid, row->peer, mark, downlink ? WAY_RELAYED | WAY_DOWNLINK : WAY_RELAYED,
					  (cut_length >> 16) + ETH_HLEN, d.length, row);

		if (!w)
			return XDP_DROP;
		w->type = d.type;
		w->kept = d.kept;
		return DELIVER6;
	}
	if (!address(&d, row->peer, row->teid, mark))
		return drop(c, DROP_NO_ROUTE);
	d.marking = row->marking | ecn_at(ctx, (cut_length >> 16) + ETH_HLEN);
	d.id = c->ul_packets + c->dl_packets;
	if (route_get(ctx, d.peer, DOWNLINK, &d.route) > ROUTE_KERNEL || !d.route)
		return drop(c, DROP_NO_ROUTE);
	if (d.length + outer_octets(&d) > d.route->mtu) /* the outer packet is fragmented */
		route_slowly(d.route, d.route->mtu | SLOW_OUTER, MTU_MAX);
	if (!usages_admit(row))
		return drop(c, DROP_QUOTA);
	if (!meters_admit(row, d.length))
		return drop(c, DROP_RATE);
	copy_packet(ctx, row, (cut_length >> 16) + ETH_HLEN, d.length, d.qfi);
	if (bpf_xdp_adjust_head(ctx, (int)(cut_length >> 16)))
		return drop(c, DROP_HEADROOM);
	if (!encapsulate(ctx, &d, outer_octets(&d)) || (d.kept && !kept_write(ctx, OUTER_PLAIN, d.kept)))
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
