package xdp

//go:generate go tool bpf2go -tags linux -target bpfel -cc clang -cflags "-O2 -g -Wall -Werror -mcpu=v3 -I../../../internal/proto/bpf -I../../../internal/proto -I/usr/include/x86_64-linux-gnu" -type row -type row6 -type line -type meter -type usage -type usage_limits -type block6 upf bpf/upf.c
//go:generate go tool bpf2go -tags linux -target bpfel -cc clang -cflags "-O2 -g -Wall -Werror -mcpu=v3 -I../../../internal/proto/bpf -I../../../internal/proto -I/usr/include/x86_64-linux-gnu" -output-suffix _test bench bpf/bench.c
//go:generate go tool bpf2go -tags linux -target bpfel -cc clang -cflags "-O2 -g -Wall -Werror -mcpu=v3 -I../../../internal/proto/bpf -I../../../internal/proto -I/usr/include/x86_64-linux-gnu" -type seen_frame -type seen_key -type seen_count watched bpf/watched.c
