// Package disturbance finds the times in which a CPU of the run was taken from the
// run's own work, whoever took it: the host, other programs, interrupts. It sees
// CPUs and tasks and nothing of the traffic, so that what it excludes does not depend
// on what was measured.
package disturbance

//go:generate go tool bpf2go -tags linux -target bpfel -cc clang -type event -type cpu -cflags "-O2 -g -Wall -Werror -mcpu=v3 -idirafter /usr/include/x86_64-linux-gnu" watch bpf/watch.c
