// Package nosleep keeps CPUs from sleeping by running on them while nothing else wants
// to.
package nosleep

//go:generate go tool bpf2go -tags linux -target bpfel -cc clang -cflags "-O2 -g -Wall -Werror -mcpu=v3 -idirafter /usr/include/x86_64-linux-gnu" spin bpf/spin.c
