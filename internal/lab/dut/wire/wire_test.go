package wire

import (
	"bytes"
	"context"
	"testing"

	"github.com/cilium/ebpf"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
)

// Verdicts of XDP programs.
const (
	xdpPass     = 2
	xdpRedirect = 4
)

// It changes the MAC addresses of IPv4 and nothing else, and leaves other
// frames to the kernel.
func TestForward(t *testing.T) {
	tb := sitetest.Build(t)
	w, err := Open(tb)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	ipv4 := append(bytes.Repeat([]byte{0xaa}, 12), 0x08, 0x00)
	ipv4 = append(ipv4, bytes.Repeat([]byte{0x55}, 60)...)
	arp := bytes.Clone(ipv4)
	arp[13] = 0x06
	for _, c := range []struct {
		name     string
		program  *ebpf.Program
		to, from []byte
	}{
		{"from N3", w.objects.FromN3, tb.Links().DNN6.MAC, tb.Links().UPFN6.MAC},
		{"from N6", w.objects.FromN6, tb.Links().GNB.MAC, tb.Links().UPFN3.MAC},
	} {
		want := append(append(bytes.Clone(c.to), c.from...), ipv4[12:]...)
		if verdict, out := run(t, c.program, ipv4); verdict != xdpRedirect || !bytes.Equal(out, want) {
			t.Errorf("%s: verdict %d\n%x, want\n%x", c.name, verdict, out, want)
		}
		if verdict, out := run(t, c.program, arp); verdict != xdpPass || !bytes.Equal(out, arp) {
			t.Errorf("%s: ARP got verdict %d and is %x", c.name, verdict, out)
		}
	}
}

func run(t *testing.T, p *ebpf.Program, frame []byte) (uint32, []byte) {
	t.Helper()
	o := ebpf.RunOptions{Data: frame, DataOut: make([]byte, len(frame)+64), Repeat: 1}
	verdict, err := p.Run(&o)
	if err != nil {
		t.Fatal(err)
	}
	return verdict, o.DataOut
}

func TestDriver(t *testing.T) {
	tb := sitetest.Build(t)
	i, err := Driver{}.Start(context.Background(), dut.Env{Site: tb})
	if err != nil {
		t.Fatal(err)
	}
	if e := i.Endpoint; !e.IsWire() || e.XDP != dut.NativeXDP || e.N4.IsValid() {
		t.Errorf("%+v", e)
	}
	if id, err := tb.Links().UPFN3.XDP().Program(); id == 0 || err != nil {
		t.Errorf("N3 has program %d, %v", id, err)
	}
	if _, err := Open(tb); err == nil {
		t.Error("a second wire has no error")
	}
	if err := i.Stop(); err != nil {
		t.Error(err)
	}
	for _, p := range []func() (uint32, error){tb.Links().UPFN3.XDP().Program, tb.Links().UPFN6.XDP().Program} {
		if id, err := p(); id != 0 || err != nil {
			t.Errorf("program %d is left, %v", id, err)
		}
	}
}
