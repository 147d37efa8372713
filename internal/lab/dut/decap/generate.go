package decap

//go:generate go tool bpf2go -tags linux -target bpfel -cc clang -cflags "-O2 -g -Wall -Werror -mcpu=v3 -I../../../proto/bpf -I/usr/include/x86_64-linux-gnu" decap bpf/decap.c
