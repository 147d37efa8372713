package xdp

//go:generate go tool bpf2go -tags linux -target bpfel -cc clang -cflags "-O2 -g -Wall -Werror -mcpu=v3 -I../../proto -idirafter /usr/include/x86_64-linux-gnu" generator bpf/generator.c
//go:generate go tool bpf2go -tags linux -target bpfel -cc clang -cflags "-O2 -g -Wall -Werror -mcpu=v3 -I../../proto -idirafter /usr/include/x86_64-linux-gnu" sink bpf/sink.c
//go:generate go tool bpf2go -tags linux -target bpfel -cc clang -cflags "-O2 -g -Wall -Werror -mcpu=v3 -I../../proto -idirafter /usr/include/x86_64-linux-gnu" stamped bpf/stamped.c
//go:generate go tool bpf2go -tags linux -target bpfel -cc clang -cflags "-O2 -g -Wall -Werror -mcpu=v3 -I../../proto -idirafter /usr/include/x86_64-linux-gnu" -output-suffix _test kit bpf/kit.c
//go:generate go tool bpf2go -tags linux -target bpfel -cc clang -cflags "-O2 -g -Wall -Werror -mcpu=v3 -I../../proto -idirafter /usr/include/x86_64-linux-gnu" recorder bpf/recorder.c
