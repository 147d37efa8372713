/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Bare forwarding: what comes in at one port goes out at the other. What it
 * takes is what the bench itself costs. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_endian.h>

struct macs {
	__u8 to[6], from[6];
};

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, __u32);
} ports SEC(".maps");

volatile const struct macs n3, n6; /* of frames that leave there */

static __always_inline int forward(struct xdp_md *ctx, __u32 port, volatile const struct macs *m)
{
	__u8 *p = (void *)(long)ctx->data;

	if (p + 14 > (__u8 *)(long)ctx->data_end)
		return XDP_PASS;
	if (!(p[12] == 0x08 && p[13] == 0x00) && !(p[12] == 0x86 && p[13] == 0xdd))
		return XDP_PASS; /* neither IPv4 nor IPv6 */
	for (int i = 0; i < 6; i++) {
		p[i] = m->to[i];
		p[i + 6] = m->from[i];
	}
	return bpf_redirect_map(&ports, port, 0);
}

SEC("xdp")
int from_n3(struct xdp_md *ctx)
{
	return forward(ctx, 1, &n6);
}

SEC("xdp")
int from_n6(struct xdp_md *ctx)
{
	return forward(ctx, 0, &n3);
}

char _license[] SEC("license") = "Dual BSD/GPL";
