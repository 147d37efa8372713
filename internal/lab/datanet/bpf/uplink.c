/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Connections and datagrams to other hosts than the data network's own go to the two
 * sockets of the uplink, whatever their destination. */
#include <stdbool.h>

#include <linux/bpf.h>
#include <linux/in.h>

#include <bpf/bpf_helpers.h>

#define AF_INET 2

volatile const __be32 own; /* the data network's host */

struct {
	__uint(type, BPF_MAP_TYPE_SOCKMAP);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, __u64);
} sockets SEC(".maps"); /* TCP, UDP */

SEC("sk_lookup")
int to_uplink(struct bpf_sk_lookup *ctx)
{
	__u32 which = ctx->protocol == IPPROTO_UDP;
	struct bpf_sock *sk;

	if (ctx->family != AF_INET || ctx->local_ip4 == own)
		return SK_PASS;
	sk = bpf_map_lookup_elem(&sockets, &which);
	if (!sk)
		return SK_DROP;
	bpf_sk_assign(ctx, sk, 0);
	bpf_sk_release(sk);
	return SK_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";
