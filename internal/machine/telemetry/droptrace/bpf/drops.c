/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Counts what the kernel drops in the namespaces that are watched, by reason:
 * socket buffers it frees as lost, and frames that XDP could not redirect. It
 * runs only when something is dropped. */
#include <linux/bpf.h>
#include <linux/types.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

/* The few kernel fields it reads; the loader finds them on the running kernel. They are
 * read without helpers, which would take most of the time: a tester that drops what it
 * has counted comes here with each packet. */
struct ns_common {
	unsigned int inum;
} __attribute__((preserve_access_index));

struct net {
	struct ns_common ns;
} __attribute__((preserve_access_index));

typedef struct {
	struct net *net;
} __attribute__((preserve_access_index)) possible_net_t;

struct net_device {
	possible_net_t nd_net;
} __attribute__((preserve_access_index));

struct sk_buff {
	struct net_device *dev;
} __attribute__((preserve_access_index));

enum kind {
	KIND_SKB,       /* reason: enum skb_drop_reason */
	KIND_REDIRECT,  /* reason: errno of a failed XDP redirect */
	KIND_EXCEPTION, /* reason: the XDP verdict that was not one */
};

struct key {
	__u32 netns; /* inode number */
	__u32 kind;
	__u32 reason;
	__u32 pad;
	__u64 where; /* the kernel's code that dropped it, where the reason says nothing */
};

/* enum skb_drop_reason's "not specified" on this kernel. */
volatile const __u32 unspecified = 2;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u8);
} watched SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 1024);
	__type(key, struct key);
	__type(value, __u64);
} drops SEC(".maps");

static __always_inline int count(struct net_device *dev, __u32 kind, __u32 reason, __u64 where)
{
	struct key key = { .kind = kind, .reason = reason, .where = where };
	__u64 one = 1, *n;

	if (!dev)
		return 0;
	key.netns = dev->nd_net.net->ns.inum;
	if (!bpf_map_lookup_elem(&watched, &key.netns))
		return 0;
	n = bpf_map_lookup_elem(&drops, &key);
	if (n)
		(*n)++;
	else
		bpf_map_update_elem(&drops, &key, &one, BPF_NOEXIST);
	return 0;
}

SEC("tp_btf/kfree_skb")
int BPF_PROG(on_kfree_skb, struct sk_buff *skb, void *location, unsigned int reason)
{
	return count(skb->dev, KIND_SKB, reason, reason == unspecified ? (__u64)location : 0);
}

SEC("tp_btf/xdp_redirect_err")
int BPF_PROG(on_redirect_error, struct net_device *dev, void *prog, void *to, int err)
{
	return count(dev, KIND_REDIRECT, err < 0 ? -err : err, 0);
}

SEC("tp_btf/xdp_exception")
int BPF_PROG(on_exception, struct net_device *dev, void *prog, unsigned int verdict)
{
	return count(dev, KIND_EXCEPTION, verdict, 0);
}

char _license[] SEC("license") = "Dual BSD/GPL";
