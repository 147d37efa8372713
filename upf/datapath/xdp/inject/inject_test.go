package inject

import (
	"net/netip"
	"os"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"

	"github.com/upflab/upflab/internal/text/wait"
	"github.com/upflab/upflab/upf/datapath"
)

// port has a program that passes everything. It needs root.
func port(t *testing.T) Port {
	t.Helper()
	if os.Geteuid() != 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("needs root, for BPF: run the tests as root")
		}
		t.Skip("needs root, for BPF")
	}
	program, err := ebpf.NewProgram(&ebpf.ProgramSpec{
		Type: ebpf.XDP, License: "GPL", Instructions: asm.Instructions{asm.Mov.Imm(asm.R0, pass), asm.Return()},
	})
	if err != nil {
		t.Fatalf("load a program: %v", err)
	}
	t.Cleanup(func() { program.Close() })
	return Port{
		Program: program, Index: 1, Address: netip.MustParseAddr("192.0.2.1"), PutMAC: func([]byte) {}, MTU: func() int { return 1300 },
	}
}

func start(t *testing.T, at Port) *Injector {
	t.Helper()
	i, err := Start(at, func(datapath.Slow) {}, OwnNamespace)
	if err != nil {
		t.Fatalf("Start: %v", err)
	}
	t.Cleanup(func() { i.Close() })
	return i
}

// TestMTU: only a router's packets, which are those of IPv4 without DF, are fragmented.
func TestMTU(t *testing.T) {
	i := start(t, port(t))
	ipv4 := append([]byte{0x45}, make([]byte, 39)...)
	whole := append([]byte{0x45, 0, 0, 0, 0, 0, 0x40}, make([]byte, 33)...)
	ipv6 := append([]byte{0x60}, make([]byte, 39)...)
	for name, c := range map[string]struct {
		packet []byte
		want   int
	}{"IPv4": {ipv4, 1300}, "DF": {whole, 0}, "IPv6": {ipv6, 0}} {
		if mtu := i.mtuFor(c.packet); mtu != c.want {
			t.Errorf("%s: MTU %d, want %d", name, mtu, c.want)
		}
	}
}

// TestFaults: a thread that does not reach the network namespace is an error, and leaves nothing
// that Close waits for; a packet that the kernel does not run the program over is counted.
func TestFaults(t *testing.T) {
	at := port(t)
	for _, namespace := range []string{"/proc/self/ns/none", "/proc/self/ns/uts"} {
		if i, err := Start(at, func(datapath.Slow) {}, namespace); err == nil || i != nil {
			t.Errorf("%s: %v, %v, want an error alone", namespace, i, err)
		}
	}
	i := start(t, at)
	i.frames <- []byte{1}
	if !wait.Until(10*time.Second, 10*time.Millisecond, func() bool { return i.Lost() == 1 }) {
		t.Fatal("the packet is not counted as lost")
	}
}
