/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Stands before a port's XDP program: copies the frame and goes on with that. */
#include <linux/bpf.h>
#include <linux/types.h>
#include <bpf/bpf_helpers.h>

#define SNAP 2048

struct frame {
	__u64 at;     /* ns, CLOCK_MONOTONIC */
	__u32 hop;
	__u32 length; /* on the wire, without FCS */
	__u32 copied;
	__u32 pad;
	__u8 bytes[SNAP];
};

volatile const __u32 hop;
volatile __s32 left; /* frames that are yet to be copied */

const struct frame *unused __attribute__((unused)); /* for its type */

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 22);
} frames SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} next SEC(".maps");

static __always_inline void copy(struct xdp_md *ctx)
{
	struct frame *f;
	__u32 n = bpf_xdp_get_buff_len(ctx);

	if (left <= 0 || __sync_fetch_and_add(&left, -1) <= 0)
		return;
	f = bpf_ringbuf_reserve(&frames, sizeof(*f), 0);
	if (!f)
		return;
	f->at = bpf_ktime_get_ns();
	f->hop = hop;
	f->length = n;
	f->pad = 0;
	if (n > SNAP)
		n = SNAP;
	f->copied = n;
	if (n < 1 || bpf_xdp_load_bytes(ctx, 0, f->bytes, n))
		f->copied = 0;
	bpf_ringbuf_submit(f, 0);
}

SEC("xdp")
int copy_frames(struct xdp_md *ctx)
{
	copy(ctx);
	bpf_tail_call(ctx, &next, 0);
	return XDP_DROP; /* the program is gone, and takes its port with it */
}

char _license[] SEC("license") = "Dual BSD/GPL";
