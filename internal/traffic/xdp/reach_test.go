package xdp

import (
	"errors"
	"net/netip"
	"testing"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
)

// TestReaches: the other end of a veth that has neither an XDP program nor GRO gets nothing of
// what is redirected to it; with either it does. Of an address that nobody has nothing is known.
func TestReaches(t *testing.T) {
	l := sitetest.Build(t).Links()
	if err := Reaches(l.GNB, l.UPFN3.Addr); !errors.Is(err, ErrUnreached) {
		t.Errorf("a plain veth: %v, want %v", err, ErrUnreached)
	}
	if err := Reaches(l.GNB, netip.MustParseAddr("192.0.2.99")); err != nil {
		t.Errorf("nobody's address: %v", err)
	}
	if err := l.UPFN3.SetGRO(true); err != nil {
		t.Fatal(err)
	}
	if err := Reaches(l.GNB, l.UPFN3.Addr); err != nil {
		t.Errorf("with GRO: %v", err)
	}
	if err := l.UPFN3.SetGRO(false); err != nil {
		t.Fatal(err)
	}
	detach, err := l.UPFN3.XDP().PassAll()
	if err != nil {
		t.Fatal(err)
	}
	defer detach()
	if err := Reaches(l.GNB, l.UPFN3.Addr); err != nil {
		t.Errorf("with an XDP program: %v", err)
	}
}

// TestReachesThroughBridge: what counts is the bridge's port towards the tester, not the UPF's own.
func TestReachesThroughBridge(t *testing.T) {
	l := sitetest.BuildWith(t, func(s *site.Spec) { s.N3.Kind = site.Bridge }).Links()
	for _, on := range []bool{true, false} {
		if err := l.N3Between.Tester.SetGRO(on); err != nil {
			t.Fatal(err)
		}
		if err := Reaches(l.GNB, l.UPFN3.Addr); errors.Is(err, ErrUnreached) == on {
			t.Errorf("GRO %v at the bridge's port: %v", on, err)
		}
	}
}
