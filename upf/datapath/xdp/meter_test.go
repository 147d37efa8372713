package xdp

import (
	"testing"
	"time"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// TestMaximumBitRate offers much more than a QER's MBR. What is forwarded keeps the rate
// but for what the bucket holds; where the machine pauses it may be less.
func TestMaximumBitRate(t *testing.T) {
	l := newLab(t, labConfig())
	const mbr, octets = 1e6, 1428
	must(t, "Apply", l.dp.Apply([]datapath.Change{{New: pair(1, "10.45.0.2", 1,
		withQER(session.QER{QFI: 1, GateUL: true, GateDL: true, MBRDL: mbr}))}}))
	in, _ := liveFrame(t, "n6 largest for the mtu")
	start := time.Now()
	var elapsed time.Duration
	forwarded := 0
	for elapsed < time.Second {
		if verdict, _ := l.run(t, "n6", in); verdict == xdpRedirect {
			forwarded++
		}
		elapsed = time.Since(start)
	}
	// The bucket holds an eighth of the default averaging window of 2 s.
	got, most := float64(forwarded)*(octets+28)*8, mbr*(elapsed.Seconds()+0.25)+2*1500*8
	if got > most || got < most/4 {
		t.Errorf("%.0f bits were forwarded in %v, want at most %.0f and at least a quarter", got, elapsed, most)
	}
	c, err := l.dp.Counters()
	must(t, "Counters", err)
	if c.Drops[datapath.ReasonRate] == 0 || len(c.Drops) != 1 {
		t.Errorf("drops %v, want some over the maximum bit rate and no others", c.Drops)
	}
}

// TestBurst: a burst of packets at once that is a fifth of the rate passes whole. With a
// short averaging window it does not.
func TestBurst(t *testing.T) {
	l := newLab(t, labConfig())
	old := pair(1, "10.45.0.2", 1, withQER(session.QER{QFI: 1, GateUL: true, GateDL: true, MBRDL: 1e6}))
	must(t, "Apply", l.dp.Apply([]datapath.Change{{New: old}}))
	in, _ := liveFrame(t, "n6 largest for the mtu")
	const packets = 16 // of 11.6 ms each at this rate
	burst := func() (forwarded int) {
		for range packets {
			if verdict, _ := l.run(t, "n6", in); verdict == xdpRedirect {
				forwarded++
			}
		}
		return forwarded
	}
	if n := burst(); n != packets {
		t.Errorf("%d of a burst of %d are forwarded", n, packets)
	}
	short := old.Clone()
	short.QERs[0].Window = 8 * time.Millisecond
	must(t, "a short window", l.dp.Apply([]datapath.Change{{Old: old, New: short}}))
	if n := burst(); n == packets {
		t.Error("with an averaging window of 8 ms a burst of 186 ms is forwarded whole")
	}
}

// TestChainsGo has the rows and meters of sessions that are gone leave the maps, once no
// packet can be looking for them.
func TestChainsGo(t *testing.T) {
	l := newLab(t, labConfig())
	limited := withQER(session.QER{QFI: 1, GateUL: true, GateDL: true, MBRUL: 1e6, MBRDL: 1e6})
	r := pair(1, "10.45.0.2", 1, limited)
	must(t, "create", l.dp.Apply([]datapath.Change{{New: r}}))
	for range 3 {
		must(t, "change", l.dp.Apply([]datapath.Change{{Old: r, New: r}}))
	}
	must(t, "remove", l.dp.Apply([]datapath.Change{{Old: r}}))
	l.dp.chains.sweep(time.Now().Add(time.Hour))
	if rows, meters := l.dp.chains.rows.Used(), l.dp.chains.rates.Used(); rows+meters != 0 {
		t.Errorf("%d rows and %d meters are left", rows, meters)
	}
	if n := len(l.dp.chains.meters); n != 0 {
		t.Errorf("%d meters are still held", n)
	}
}

// TestManyPDRs has the last of 256 PDRs found, and the first.
func TestManyPDRs(t *testing.T) {
	l := newLab(t, labConfig())
	const pdrs = 256
	must(t, "Apply", l.dp.Apply([]datapath.Change{{New: pair(1, "10.45.0.2", 1, func(r *session.Rules) {
		first := r.PDRs[0]
		for i := range pdrs - 1 {
			p := first
			p.ID, p.Precedence, p.FAR = uint16(100+i), uint32(i), 3
			p.PDI.Filters = []session.Filter{{Protocol: 17, HasProtocol: true,
				RemotePorts: []session.Ports{{Low: uint16(20000 + i), High: uint16(20000 + i)}}}}
			r.PDRs = append(r.PDRs, p)
		}
		r.PDRs[0].Precedence = pdrs
		r.FARs = append(r.FARs, session.FAR{ID: 3, Action: session.Drop})
	})}}))
	in, _ := liveFrame(t, "n3 psc") // to port 1234: the last, which forwards
	if verdict, _ := l.run(t, "n3", in); verdict != xdpRedirect {
		t.Errorf("the last PDR: verdict %d, want redirect", verdict)
	}
	const port = 14 + 20 + 8 + 16 + 20 + 2
	in[port], in[port+1] = 20000>>8, 20000&0xff
	if verdict, _ := l.run(t, "n3", in); verdict != xdpDrop {
		t.Errorf("the first PDR: verdict %d, want drop", verdict)
	}
}
