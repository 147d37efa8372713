/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Looks at packets as they come and as they go: counts them by session, or copies those of
 * one. Only the programs of watched.c have it, which are attached while somebody looks. */
#pragma once

#include "config.h"
#include "gtpu.h"

#define SEEN_MAX 2048 /* octets of a frame that are copied */
#define SEEN_HEAD 96  /* of a frame, that the key is found in */

enum seen_kind { SEEN_TEID = 1, SEEN_IPV4, SEEN_IPV6 };

/* Whose a packet is: the TEID of the tunnel that it came by, or the UE's address, of IPv6
 * the first half, as the packet has them. */
struct seen_key {
	__u32 kind;
	__u32 pad;
	__u64 id;
};

struct seen_count {
	__u64 packets;
	__u64 octets; /* of frames, without FCS */
	__u64 dropped;
};

enum seen_stage { SEEN_IN, SEEN_OUT, SEEN_DROPPED, SEEN_PASSED };

struct seen_frame {
	__u64 at; /* ns, CLOCK_MONOTONIC */
	__u32 port;
	__u32 stage;
	__u32 kind;
	__u32 length; /* without FCS */
	__u32 copied;
	__u32 pad;
	__u8 bytes[SEEN_MAX];
};

const volatile __u32 capturing; /* else: counting */

const struct seen_frame *const seen_frame_unused __attribute__((unused)) = 0; /* for its type */

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1 << 16);
	__type(key, struct seen_key);
	__type(value, struct seen_count);
} seen_counts SEC(".maps");

/* Those that are captured. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1 << 11);
	__type(key, struct seen_key);
	__type(value, __u8);
} seen_wanted SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 22);
} seen_frames SEC(".maps");

/* The packet under way on a CPU. */
struct seen_now {
	struct seen_key key;
	__u32 length;
	__u32 missed; /* frames that there was no room to copy */
	__u8 head[SEEN_HEAD];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct seen_now);
} seen_current SEC(".maps");

static __always_inline __u32 seen_word(const __u8 *p) { return *(const __u32 *)p; }

static __always_inline __u16 seen_half(const __u8 *p) { return *(const __u16 *)p; }

/* The tunnel's of a G-PDU whose UDP header is at udp; else nobody's: it is for the UPF. */
static __always_inline void seen_tunnel(struct seen_now *s, bool is_udp, const __u8 *udp)
{
	s->key.kind = 0;
	if (!is_udp || seen_half(udp + 2) != bpf_htons(2152) || udp[9] != 255)
		return;
	s->key.kind = SEEN_TEID;
	s->key.id = seen_word(udp + 12);
}

static __always_inline bool seen_at_n3(const __u8 *address)
{
	const __u64 *word = (const void *)address;

	return outer6 && word[0] == n3_address6.word[0] && word[1] == n3_address6.word[1];
}

/* A G-PDU to the UPF's port is its tunnel's; all else is its destination's. */
static __always_inline void seen_find(struct seen_now *s)
{
	const __u8 *ip = s->head + ETH_HLEN;
	__u16 type = seen_half(s->head + 12);

	s->key.kind = 0;
	s->key.id = 0;
	if (type == bpf_htons(ETH_P_IPV6)) {
		s->key.kind = SEEN_IPV6;
		s->key.id = *(const __u64 *)(ip + 24);
	} else if (type == bpf_htons(ETH_P_IP)) {
		s->key.kind = SEEN_IPV4;
		s->key.id = seen_word(ip + 16);
	}
	if (s->key.kind == SEEN_IPV6 && seen_at_n3(ip + 24))
		seen_tunnel(s, ip[6] == IPPROTO_UDP, ip + 40);
	else if (s->key.kind == SEEN_IPV4 && s->key.id == n3_address)
		seen_tunnel(s, ip[0] == 0x45 && ip[9] == IPPROTO_UDP, ip + 20);
}

static __always_inline void seen_copy(struct xdp_md *ctx, struct seen_now *s, __u32 port, __u32 stage)
{
	__u32 length = bpf_xdp_get_buff_len(ctx), n = length;
	struct seen_frame *f;

	f = bpf_ringbuf_reserve(&seen_frames, sizeof(*f), 0);
	if (!f) {
		s->missed++;
		return;
	}
	if (n > SEEN_MAX)
		n = SEEN_MAX;
	n--; /* 0 becomes too many, as in sum.h */
	SEPARATE_BOUNDS(n);
	if (n >= SEEN_MAX || bpf_xdp_load_bytes(ctx, 0, f->bytes, n + 1)) {
		bpf_ringbuf_discard(f, 0);
		return;
	}
	n++;
	f->at = bpf_ktime_get_ns();
	f->port = port;
	f->stage = stage;
	f->kind = s->key.kind;
	f->length = length;
	f->copied = n;
	bpf_ringbuf_submit(f, 0);
}

/* Before the program. Not static, for the verifier. */
__noinline int seen_enter(struct xdp_md *ctx, __u32 port)
{
	__u32 zero = 0, n;
	struct seen_now *s = bpf_map_lookup_elem(&seen_current, &zero);

	if (!s)
		return 0;
	s->key.kind = 0;
	n = bpf_xdp_get_buff_len(ctx);
	s->length = n;
	if (n > SEEN_HEAD)
		n = SEEN_HEAD;
	if (n < ETH_HLEN + 20 || bpf_xdp_load_bytes(ctx, 0, s->head, n))
		return 0;
	seen_find(s);
	if (!capturing || !s->key.kind)
		return 0;
	if (!bpf_map_lookup_elem(&seen_wanted, &s->key)) {
		s->key.kind = 0;
		return 0;
	}
	seen_copy(ctx, s, port, SEEN_IN);
	return 0;
}

static __always_inline void seen_add(struct seen_now *s, int verdict)
{
	struct seen_count fresh = {}, *found = bpf_map_lookup_elem(&seen_counts, &s->key);

	if (!found) {
		bpf_map_update_elem(&seen_counts, &s->key, &fresh, BPF_NOEXIST);
		found = bpf_map_lookup_elem(&seen_counts, &s->key);
		if (!found)
			return;
	}
	__sync_fetch_and_add(&found->packets, 1);
	__sync_fetch_and_add(&found->octets, s->length);
	if (verdict == XDP_DROP)
		__sync_fetch_and_add(&found->dropped, 1);
}

/* After the program, with its verdict. Not static, for the verifier. */
__noinline int seen_leave(struct xdp_md *ctx, __u32 port, int verdict)
{
	__u32 zero = 0, stage = SEEN_OUT;
	struct seen_now *s = bpf_map_lookup_elem(&seen_current, &zero);

	if (!s || !s->key.kind)
		return 0;
	if (!capturing) {
		seen_add(s, verdict);
		return 0;
	}
	if (verdict == XDP_DROP)
		stage = SEEN_DROPPED;
	else if (verdict == XDP_PASS)
		stage = SEEN_PASSED;
	seen_copy(ctx, s, port, stage);
	return 0;
}
