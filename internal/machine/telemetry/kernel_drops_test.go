package telemetry_test

import (
	"net/netip"
	"testing"

	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/record"
)

func packets(counts []record.Count, place string) (n uint64) {
	for _, c := range counts {
		if string(c.Place) == place {
			n += c.Packets
		}
	}
	return n
}

// A datagram to a port where nobody listens is counted in that namespace.
func TestKernelDrops(t *testing.T) {
	tb := sitetest.Build(t)
	before, err := telemetry.KernelDrops(tb.UPF())
	if err != nil {
		t.Fatal(err)
	}
	smf, err := tb.SMF.ListenUDP(netip.AddrPortFrom(tb.Links().SMFN4.Addr, 0))
	if err != nil {
		t.Fatal(err)
	}
	defer smf.Close()
	if _, err := smf.WriteToUDPAddrPort([]byte("x"), netip.AddrPortFrom(tb.Links().UPFN4.Addr, 8805)); err != nil {
		t.Fatal(err)
	}
	after, err := telemetry.KernelDrops(tb.UPF())
	if err != nil {
		t.Fatal(err)
	}
	const place = "no socket on the UDP port"
	if n := packets(after, place) - packets(before, place); n != 1 {
		t.Errorf("%s: %d packets, want 1", place, n)
	}
}
