package xdp

//go:generate go tool bpf2go -tags linux -target bpfel -cc clang -cflags "-O2 -g -Wall -Werror -mcpu=v3 -I../../proto -idirafter /usr/include/x86_64-linux-gnu" generator generator.bpf.c
//go:generate go tool bpf2go -tags linux -target bpfel -cc clang -cflags "-O2 -g -Wall -Werror -mcpu=v3 -I../../proto -idirafter /usr/include/x86_64-linux-gnu" sink sink.bpf.c
//go:generate go tool bpf2go -tags linux -target bpfel -cc clang -cflags "-O2 -g -Wall -Werror -mcpu=v3 -I../../proto -idirafter /usr/include/x86_64-linux-gnu" stamped stamped.bpf.c
//go:generate go tool bpf2go -tags linux -target bpfel -cc clang -cflags "-O2 -g -Wall -Werror -mcpu=v3 -I../../proto -idirafter /usr/include/x86_64-linux-gnu" -output-suffix _test kit kit.bpf.c
//go:generate go tool bpf2go -tags linux -target bpfel -cc clang -cflags "-O2 -g -Wall -Werror -mcpu=v3 -I../../proto -idirafter /usr/include/x86_64-linux-gnu" recorder recorder.bpf.c
