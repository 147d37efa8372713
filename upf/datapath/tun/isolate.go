package tun

import (
	"errors"
	"io"
	"net"

	"github.com/upflab/upflab/upf/datapath/fib"
	"github.com/upflab/upflab/upf/datapath/suppress"
)

// isolate keeps the kernel from routing what comes in by N3 or N6 past all sessions, unless
// that is allowed: by a classifier, or by routing rules where there can be none. What a
// killed UPF left of either goes.
func isolate(c Config, n3, n6 fib.Link) (*isolation, error) {
	x, err := openRules(c)
	if err != nil {
		return nil, err
	}
	ends := [2]suppress.Link{{Name: c.N3, Index: n3.Index}, {Name: c.N6, Index: n6.Index}}
	if err := suppress.Clear(ends[:]...); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	if c.PlainN3 && c.PlainN6 {
		return &isolation{x, nil}, nil
	}
	byRules := errors.New("they are one interface, or have no Ethernet header")
	if classifiable(c) {
		classifier, err := classify(c, ends[0], ends[1])
		if err == nil {
			return &isolation{classifier, nil}, x.Close()
		}
		byRules = err
	}
	if err := x.endAll(c); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return &isolation{x, byRules}, nil
}

// isolation is what isolate has set up, and why it is routing rules; nil: it is not.
type isolation struct {
	io.Closer
	byRules error
}

// classifiable reports whether N3 and N6 are two, and packets begin with Ethernet there, as
// the classifier expects. It can fail all the same: without BPF, or where an interface has
// another's.
func classifiable(c Config) bool {
	ethernet := func(name string) bool {
		x, err := net.InterfaceByName(name)
		return err == nil && len(x.HardwareAddr) == 6
	}
	return c.N3 != c.N6 && ethernet(c.N3) && ethernet(c.N6)
}

func classify(c Config, n3, n6 suppress.Link) (*suppress.Suppressor, error) {
	s := suppress.Config{N3Address: c.N3Address, N3Address6: c.N3Address6, Tunnels: c.N6Tunnels, UEPools: c.UEPools, KernelTakes: true}
	if !c.PlainN3 {
		s.N3 = n3
	}
	if !c.PlainN6 {
		s.N6 = n6
	}
	return suppress.Open(s)
}
