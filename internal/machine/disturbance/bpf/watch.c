/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Notes when a CPU of the run was taken from the run's own work: by the host
 * or by code with interrupts off (timers that are late), by tasks that are not
 * the run's, and by interrupts. It knows nothing of the traffic. */
#include <linux/bpf.h>
#include <linux/types.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>

/* The few kernel fields it reads; the loader finds them on the running kernel. */
struct rq {
	unsigned int nr_running;
} __attribute__((preserve_access_index));

struct cfs_rq {
	struct rq *rq;
} __attribute__((preserve_access_index));

struct sched_entity {
	struct cfs_rq *cfs_rq;
} __attribute__((preserve_access_index));

struct sched_info {
	unsigned long pcount;            /* how often it got a CPU */
	unsigned long long run_delay;    /* ns it waited for one, in all */
	unsigned long long last_arrival; /* ns of the scheduler's clock */
} __attribute__((preserve_access_index));

struct task_struct {
	int pid;
	int tgid;
	unsigned int flags;
	int wake_cpu;
	unsigned int policy;
	char comm[16];
	struct task_struct *group_leader;
	struct sched_entity se;
	struct sched_info sched_info;
} __attribute__((preserve_access_index));

struct timerqueue_node {
	__s64 expires; /* ktime_t */
} __attribute__((preserve_access_index));

struct hrtimer_clock_base {
	int clockid;
} __attribute__((preserve_access_index));

struct hrtimer {
	struct timerqueue_node node;
	struct hrtimer_clock_base *base;
	__u8 is_soft;
} __attribute__((preserve_access_index));

struct irqaction {
	const char *name;
} __attribute__((preserve_access_index));

#define KERNEL_THREAD 0x00200000 /* PF_KTHREAD */
#define NAME 16

/* Set before loading, ns. */
volatile const __u64 period = 250000; /* of the clock */
volatile const __u64 late = 150000;  /* of a timer: a pause */
volatile const __u64 held = 100000;  /* of a CPU at once by somebody else */
volatile const __u64 given = 20000;  /* until somebody else has given way */
volatile const __u64 share = 200000; /* of a CPU in a window, in pieces that are shorter */
/* The process that watches, and what the names of its traffic threads begin with. */
volatile const __u32 self;
volatile const char traffic[NAME] = "upflab-traffic";

#define WINDOW_SHIFT 20 /* windows of 1.05 ms */
#define SERVED 50000    /* ns after a pause all interrupts that it held up were served */

enum cause { PAUSED, OTHERS, INTERRUPTS, UNSEEN, IDLE };

struct event {
	__u64 from, to; /* ns of CLOCK_MONOTONIC */
	__u64 rested;   /* when the CPU last had nothing to do */
	__u32 cpu;
	__u32 cause;
	__u32 number; /* the process of others; the interrupt, or softirq + 1 << 31 */
	char who[NAME];
	__u32 pad;
};

enum class { NOBODY, DUT, TRAFFIC, KERNEL };

#define KNOWN 8
#define VECTORS 10

enum watch { UNWATCHED, WORKS, POLLS };

struct cpu {
	__u64 watched;  /* 0: not; else enum watch */
	__u64 fired;    /* a timer, last; 0: not yet */
	__u64 paused;   /* the end of the last pause */
	__u64 asleep;   /* the idle task has the CPU */
	__u64 rested;   /* it had nothing to do, last */
	__u64 since;    /* somebody else has the CPU; 0: nobody else */
	__u64 seen;     /* that one, last */
	__u64 unseen;   /* since when events found no room; 0: there is room */
	__u64 waiting;  /* since when a task of the run's waits for it; 0: none does */
	__u64 draining; /* a disturbance has ended, and the CPU was not idle since */
	__u64 irq, softirq; /* began; 0: not in one */
	__u64 switched; /* the last switch that was seen */
	__s64 ahead;    /* of the scheduler's clock: CLOCK_MONOTONIC; 0: not known */
	__u32 runs, pad; /* who has the CPU since then */
	__u64 window, spent, told;
	__u32 holder, process;
	char name[NAME];
	__u64 known[KNOWN]; /* tasks that are the run's: number << 2 | class */
	__u32 ready[KNOWN]; /* those that could run and do not, by number; 0: none */
	struct left {
		__u64 pid, pcount, run_delay;
	} left[KNOWN]; /* tasks as they left the CPU */
	__u64 outside[VECTORS], inside[VECTORS]; /* ns in softirqs: on top of the DUT's threads, and of all else */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* CPUs: set before loading */
	__type(key, __u32);
	__type(value, struct cpu);
} cpus SEC(".maps");

/* The DUT's processes and the kernel threads that receive for it. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, __u32);
	__type(value, __u8);
} ours SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} events SEC(".maps");

static __always_inline struct cpu *this_cpu(__u32 *id)
{
	struct cpu *c;

	*id = bpf_get_smp_processor_id();
	c = bpf_map_lookup_elem(&cpus, id);
	return c && c->watched ? c : NULL;
}

static __always_inline struct event *event(__u32 cpu, __u32 cause, __u64 from, __u64 to)
{
	struct event *e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);

	if (!e)
		return NULL;
	__builtin_memset(e, 0, sizeof(*e));
	e->cpu = cpu;
	e->cause = cause;
	e->from = from;
	e->to = to;
	return e;
}

static __always_inline void submit(struct event *e) { bpf_ringbuf_submit(e, BPF_RB_NO_WAKEUP); }

/* disturbed notes an interval. What finds no room is noted as a whole once there is. */
static __noinline int disturbed(struct cpu *c, __u32 cpu, struct event *as)
{
	struct event *e;

	if (!c || !as)
		return 0;
	c->draining = 1;
	if (c->unseen) {
		e = event(cpu, UNSEEN, c->unseen, as->to);
		if (!e)
			return 0;
		c->unseen = 0;
		submit(e);
	}
	e = event(cpu, as->cause, as->from, as->to);
	if (!e) {
		c->unseen = as->from;
		return 0;
	}
	e->number = as->number;
	e->rested = c->rested;
	__builtin_memcpy(e->who, as->who, NAME);
	submit(e);
	return 0;
}

/* took adds a stretch that somebody else had the CPU: a long one is an interval, short
 * ones are when there are many of them in a window. */
static __always_inline void took(struct cpu *c, __u32 cpu, struct event *as)
{
	__u64 window = as->to >> WINDOW_SHIFT, begin = window << WINDOW_SHIFT;

	if (as->to - as->from > held) {
		disturbed(c, cpu, as);
		return;
	}
	if (c->window != window) {
		c->window = window;
		c->spent = c->told = 0;
	}
	c->spent += as->to - (as->from > begin ? as->from : begin);
	if (c->spent <= share || c->told)
		return;
	c->told = 1;
	as->from = begin;
	as->to = begin + (1ULL << WINDOW_SHIFT);
	disturbed(c, cpu, as);
}

static __always_inline void idle(struct cpu *c, __u32 cpu, __u64 now)
{
	struct event *e = event(cpu, IDLE, now, now);

	if (!e)
		return; /* it drains until one finds room */
	c->draining = 0;
	submit(e);
}

static __always_inline int begins(const char *name, const char *with, int n)
{
	for (int i = 0; i < n; i++)
		if (name[i] != with[i])
			return 0;
	return 1;
}

/* class_of looks up whose a task is. */
static __noinline int class_of(struct cpu *c, struct task_struct *t)
{
	__u32 pid = BPF_CORE_READ(t, pid), tgid = BPF_CORE_READ(t, tgid), class = NOBODY;
	char name[NAME] = {};

	if (!c)
		return NOBODY;
	if (bpf_map_lookup_elem(&ours, &tgid) || bpf_map_lookup_elem(&ours, &pid)) {
		class = DUT;
	} else if (tgid == self || BPF_CORE_READ(t, flags) & KERNEL_THREAD) {
		BPF_CORE_READ_STR_INTO(&name, t, comm);
		if (tgid == self) {
			class = TRAFFIC;
			for (int i = 0; i < NAME - 1; i++)
				if (traffic[i] && name[i] != traffic[i])
					class = NOBODY;
		} else if (begins(name, "ksoftirqd/", 10) || begins(name, "migration/", 10)) {
			class = KERNEL;
		}
	}
	if (class)
		c->known[pid % KNOWN] = (__u64)pid << 2 | class;
	return class;
}

#define SCHED_IDLE 5

/* nothing_to_do: a CPU that runs it is idle. Tasks of least priority are there to keep
 * it from sleeping, or do what has time. */
static __always_inline int nothing_to_do(struct task_struct *t)
{
	return !t->pid || t->policy == SCHED_IDLE;
}

/* is_idle: a task of least priority has a CPU for a tick now and then although others
 * wait for it. */
static __always_inline int is_idle(struct task_struct *t)
{
	return !t->pid || (t->policy == SCHED_IDLE && BPF_CORE_READ(t, se.cfs_rq, rq, nr_running) <= 1);
}

static __always_inline int class(struct cpu *c, struct task_struct *t)
{
	__u32 pid = t->pid;
	__u64 known;

	if (nothing_to_do(t))
		return KERNEL;
	known = c->known[pid % KNOWN];
	if (known >> 2 == pid)
		return known & 3;
	return class_of(c, t);
}

/* queue notes that a task waits for the CPU, or that it does not. */
static __always_inline void queue(struct cpu *c, struct task_struct *t, int waits)
{
	__u32 pid = t->pid;

	if (waits && !nothing_to_do(t) && class(c, t))
		c->ready[pid % KNOWN] = pid;
	else if (c->ready[pid % KNOWN] == pid)
		c->ready[pid % KNOWN] = 0;
}

/* one_waits: a task of the run's. */
static __always_inline int one_waits(struct cpu *c)
{
	__u32 any = 0;

	for (int i = 0; i < KNOWN; i++)
		any |= c->ready[i];
	return any != 0;
}

/* starts notes who has the CPU from now on, and whether the run would have it. */
static __always_inline void starts(struct cpu *c, struct task_struct *t)
{
	__u64 now = bpf_ktime_get_ns();

	c->since = c->seen = now;
	c->waiting = c->watched == POLLS || one_waits(c) ? now : 0;
	c->holder = t->pid;
	c->process = t->tgid;
	__builtin_memset(c->name, 0, NAME);
	BPF_CORE_READ_STR_INTO(&c->name, t, comm);
}

/* knows: not the idle task, nor without CONFIG_SCHED_INFO. */
static __always_inline int knows(struct task_struct *t)
{
	return t->pid && bpf_core_field_exists(t->sched_info.last_arrival);
}

/* leaves notes how long a task of the run's has waited for a CPU so far. */
static __always_inline void leaves(struct cpu *c, struct task_struct *t)
{
	struct left *l = &c->left[(__u32)t->pid % KNOWN];

	if (!knows(t))
		return;
	l->pid = (__u32)t->pid;
	l->pcount = t->sched_info.pcount;
	l->run_delay = t->sched_info.run_delay;
}

/* waited is for how long a task had to wait for the CPU that it has; 0: not known. */
static __always_inline __u64 waited(struct cpu *c, struct task_struct *t)
{
	struct left *l = &c->left[(__u32)t->pid % KNOWN];

	if (!knows(t) || l->pid != (__u32)t->pid || t->sched_info.pcount != l->pcount + 1)
		return 0;
	return t->sched_info.run_delay - l->run_delay;
}

/* arrived is when a task that has the CPU got it: as the scheduler noted, whose clock
 * may stand still between the task's wake-up and then. 0: not known. */
static __always_inline __u64 arrived(struct cpu *c, struct task_struct *t, __u64 now)
{
	__u64 at;

	if (!knows(t) || !c->ahead)
		return 0;
	at = t->sched_info.last_arrival + c->ahead;
	return at <= now ? at : 0;
}

/* ends notes that somebody else had the CPU until then, and since when that kept the
 * run from it: a task that runs only while the run has nothing to do disturbs nothing. */
static __always_inline void ends(struct cpu *c, __u32 cpu, __u64 from, __u64 to)
{
	struct event e = { .from = from, .to = to, .cause = OTHERS, .number = c->process };

	c->since = c->waiting = 0;
	/* To be preempted takes the other task some us: no more than to wake an idle CPU. */
	if (!e.from || to < e.from + given)
		return;
	__builtin_memcpy(e.who, c->name, NAME);
	took(c, cpu, &e);
}

/* gone: the task t has the CPU, another one than was seen last to get it. Some kernels
 * show neither switches away from some tasks nor who is woken while they run. So t tells
 * how long it waited, and until when is known to an interval of the clock, which would
 * have been seen in t. */
static __always_inline void gone(struct cpu *c, __u32 cpu, struct task_struct *t, __u64 now, __u64 within)
{
	__u64 at = arrived(c, t, now), wait = waited(c, t), from = c->waiting, to = c->seen;

	if (at > to)
		to = at;
	if (now - within > to)
		to = now - within;
	if (!from && at && to - at + wait > given)
		from = at - wait > c->since ? at - wait : c->since;
	ends(c, cpu, from, to);
}

/* compare finds out how the scheduler's clock stands: after a switch that was seen. */
static __always_inline void compare(struct cpu *c, struct task_struct *prev)
{
	if (c->runs == prev->pid && knows(prev))
		c->ahead = c->switched - prev->sched_info.last_arrival;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, int preempt, struct task_struct *prev, struct task_struct *next, unsigned int prev_state)
{
	__u64 now = bpf_ktime_get_ns();
	__u32 cpu;
	struct cpu *c = this_cpu(&cpu);

	if (!c)
		return 0;
	compare(c, prev);
	if (c->since && c->holder == prev->pid) {
		ends(c, cpu, c->waiting, now);
	} else {
		if (c->since)
			gone(c, cpu, prev, now, period);
		if (nothing_to_do(prev))
			c->rested = now;
		else if (class(c, prev))
			leaves(c, prev);
	}
	queue(c, prev, preempt || !prev_state);
	queue(c, next, 0);
	c->switched = now;
	c->runs = next->pid;
	c->asleep = !next->pid;
	if (!class(c, next))
		starts(c, next);
	else if (c->draining && is_idle(next))
		idle(c, cpu, now);
	return 0;
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(on_wakeup, struct task_struct *t)
{
	__u32 cpu = t->wake_cpu;
	struct cpu *c = bpf_map_lookup_elem(&cpus, &cpu);

	if (!c || !c->watched || nothing_to_do(t) || !class(c, t))
		return 0;
	queue(c, t, 1);
	if (c->since && !c->waiting)
		c->waiting = bpf_ktime_get_ns();
	return 0;
}

/* A task that goes to another CPU does not wait for this one. */
SEC("tp_btf/sched_migrate_task")
int BPF_PROG(on_migrate, struct task_struct *t, int to)
{
	__u32 from = t->wake_cpu;
	struct cpu *c = bpf_map_lookup_elem(&cpus, &from);

	if (c && c->watched)
		queue(c, t, 0);
	return 0;
}

/* look compares what the switches say with who has the CPU now. */
static __always_inline void look(struct cpu *c, __u32 cpu)
{
	struct task_struct *t = bpf_get_current_task_btf();

	c->asleep = !t->pid;
	if (is_idle(t) && !c->softirq)
		c->rested = c->fired;
	queue(c, t, 0);
	if (c->since && c->holder != t->pid)
		gone(c, cpu, t, c->fired, period);
	if (c->since)
		c->seen = c->fired;
	else if (!class(c, t))
		starts(c, t);
	else if (c->draining && is_idle(t) && !c->softirq && c->fired - c->paused > SERVED)
		idle(c, cpu, c->fired);
}

#define MONOTONIC 1 /* CLOCK_MONOTONIC */

/* lateness is for how long a timer had been due when it fired, ns. One interrupt serves
 * many timers and reads the time of their clocks once, before the first of them: where
 * that is the clock we read ourselves, the time that those before it took counts. */
static __always_inline __s64 lateness(struct hrtimer *timer, __s64 *base_now, __u64 fired)
{
	__s64 now = fired;

	if (BPF_CORE_READ(timer, base, clockid) != MONOTONIC)
		bpf_probe_read_kernel(&now, sizeof(now), base_now);
	return now - timer->node.expires;
}

/* A timer of the kernel's that is served in hard interrupt context, long after it was
 * due: the host had the CPU, or interrupts were off. */
SEC("tp_btf/hrtimer_expire_entry")
int BPF_PROG(on_timer, struct hrtimer *timer, __s64 *base_now)
{
	__u32 cpu;
	struct cpu *c = this_cpu(&cpu);
	struct event e = { .cause = PAUSED };
	__s64 behind;

	if (!c || timer->is_soft)
		return 0;
	c->fired = bpf_ktime_get_ns();
	behind = lateness(timer, base_now, c->fired);
	if (behind > (__s64)late) {
		e.to = c->fired;
		e.from = e.to - behind;
		if (e.from < c->paused)
			e.from = c->paused; /* another timer has shown the same pause */
		if (e.to - e.from > late) {
			c->paused = e.to;
			disturbed(c, cpu, &e);
		}
	}
	look(c, cpu);
	return 0;
}

/* The clock keeps such timers coming; its own event is not wanted. */
SEC("perf_event")
int on_clock(void *ctx)
{
	return 0;
}

/* A child of the DUT's is the DUT's. */
SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	__u32 from = parent->tgid, to = child->tgid;
	__u8 one = 1;

	if (from != to && bpf_map_lookup_elem(&ours, &from))
		bpf_map_update_elem(&ours, &to, &one, BPF_ANY);
	return 0;
}

/* The number of a process that has ended may be given to another. */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct *t)
{
	__u32 pid = t->pid;

	if (t->pid == t->tgid)
		bpf_map_delete_elem(&ours, &pid);
	return 0;
}

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(on_irq, int irq, struct irqaction *action)
{
	__u32 cpu;
	struct cpu *c = this_cpu(&cpu);

	if (c)
		c->irq = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(on_irq_end, int irq, struct irqaction *action)
{
	__u32 cpu;
	struct cpu *c = this_cpu(&cpu);

	if (!c || !c->irq)
		return 0;
	/* On top of another task it is part of that one's time. */
	if (!c->since) {
		struct event e = { .from = c->irq, .to = bpf_ktime_get_ns(), .cause = INTERRUPTS, .number = irq };
		const char *name = BPF_CORE_READ(action, name);

		bpf_probe_read_kernel_str(e.who, NAME, name);
		took(c, cpu, &e);
	}
	c->irq = 0;
	return 0;
}

/* The kernel's softirq vectors (enum in linux/interrupt.h). */
#define NET_TX 2
#define NET_RX 3
#define BLOCK 4
#define IRQ_POLL 5
#define TASKLET 6

SEC("tp_btf/softirq_entry")
int BPF_PROG(on_softirq, unsigned int vector)
{
	__u32 cpu;
	struct cpu *c = this_cpu(&cpu);

	struct task_struct *t = bpf_get_current_task_btf();

	if (!c)
		return 0;
	c->softirq = bpf_ktime_get_ns();
	/* A thread that receives does little else. */
	if (c->since && c->holder != t->pid && t->flags & KERNEL_THREAD)
		gone(c, cpu, t, c->softirq, 0);
	return 0;
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(on_softirq_end, unsigned int vector)
{
	__u32 cpu;
	struct cpu *c = this_cpu(&cpu);
	__u64 from, now;

	if (!c || !c->softirq || vector >= VECTORS)
		return 0;
	from = c->softirq;
	c->softirq = 0;
	now = bpf_ktime_get_ns();
	if (class(c, bpf_get_current_task_btf()) == DUT)
		c->inside[vector] += now - from;
	else
		c->outside[vector] += now - from;
	if (vector >= BLOCK && vector <= TASKLET && !c->since) {
		struct event e = { .from = from, .to = now, .cause = INTERRUPTS, .number = vector | 1U << 31 };

		took(c, cpu, &e);
	}
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
