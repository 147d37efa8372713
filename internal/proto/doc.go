// Package proto is where the formats that Go and BPF programs share are written, once
// in each language and side by side:
//
//	checksum/   Internet checksums
//	signature/  what upflab's own traffic is recognised by
//	histogram/  the buckets that values are counted in
//
// C files include them as "checksum/checksum.h", with -I set to this folder. The tests
// here run the headers in the kernel and compare them with the Go code.
package proto

//go:generate go tool bpf2go -tags linux -target bpfel -cc clang -cflags "-O2 -g -Wall -Werror -mcpu=v3 -I. -idirafter /usr/include/x86_64-linux-gnu" -output-suffix _test kit bpf/kit.c
