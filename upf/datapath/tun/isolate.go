package tun

import (
	"errors"
	"io"

	"github.com/upflab/upflab/upf/datapath/fib"
	"github.com/upflab/upflab/upf/datapath/suppress"
)

// isolate keeps the kernel from routing what comes in by N3 or N6 past all sessions, unless
// that is allowed: by a classifier, or by routing rules where there can be none, as with
// one interface for both, without BPF, or where the interface has another's classifier.
func isolate(c Config, n3, n6 fib.Link) (io.Closer, error) {
	x, err := openRules(c)
	if err != nil {
		return nil, err
	}
	if c.PlainN3 && c.PlainN6 {
		return x, nil
	}
	if n3.Index != n6.Index {
		if classifier, err := classify(c, n3, n6); err == nil {
			return classifier, x.Close()
		}
	}
	if err := x.endAll(c); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

func classify(c Config, n3, n6 fib.Link) (*suppress.Suppressor, error) {
	s := suppress.Config{
		Name: "upf-" + c.kind(), N3Address: c.N3Address, N3Address6: c.N3Address6, Tunnels: c.N6Tunnels, UEPools: c.UEPools, KernelTakes: true,
	}
	if !c.PlainN3 {
		s.N3 = suppress.Link{Name: c.N3, Index: n3.Index}
	}
	if !c.PlainN6 {
		s.N6 = suppress.Link{Name: c.N6, Index: n6.Index}
	}
	return suppress.Open(s)
}
