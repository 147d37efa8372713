package attack

import (
	"fmt"
	"net/netip"
	"slices"
	"sync/atomic"
	"time"

	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/measure/behaviour/packet"
	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/internal/record"
)

// The users' packets during a flood, both directions together.
const (
	usersPPS   = 500
	mostFlood  = 2 * time.Second // at each rate
	leastFlood = 500 * time.Millisecond
)

// flood is packets or messages without end.
type flood struct {
	id, title string
	clause    string
	// next gives the n-th: a function that sends it, and its octets.
	next func(g *target, n uint32) (octets int, err error)
}

// floods lists them.
func floods() []flood {
	return []flood{
		{"unknown-teid", "G-PDUs for tunnels that do not exist", "TS 29.281 7.3.1", func(g *target, n uint32) (int, error) {
			return g.fromGNB(g.net.GNB[0], gtpu.AppendGPDU(nil, 1<<31|n, nil, g.inner(0)))
		}},
		{"echo", "Echo Requests", "TS 29.281 7.2.1", func(g *target, n uint32) (int, error) {
			return g.fromGNB(g.net.GNB[0], gtpu.AppendEchoRequest(nil, uint16(n)))
		}},
		{"spoofed-source", "uplink packets with the source address of a UE that does not exist", "TS 33.513 4.2.2",
			func(g *target, n uint32) (int, error) {
				ip := g.inner(n)
				return g.fromGNB(g.net.GNB[0], gtpu.AppendGPDU(nil, g.sessions[0].ue.TEID, &gtpu.Container{Type: gtpu.UplinkInformation, QFI: 9}, ip))
			}},
		{"reflection", "G-PDUs for no tunnel in the name of another gNB, which gets the Error Indications",
			"TS 29.281 7.3.1", func(g *target, n uint32) (int, error) {
				return g.fromGNB(g.t.Fixture.GNB(1), gtpu.AppendGPDU(nil, 1<<31|n, nil, nil))
			}},
		{"association", "Association Setup Requests of a second SMF", "TS 29.244 6.2.6", func(g *target, n uint32) (int, error) {
			m := g.peer.Setup()
			if !g.own {
				m = g.peer.Heartbeat()
			}
			return len(m) + 28, g.peer.Send(m)
		}},
	}
}

// inner is a UE's packet; n != 0 gives it a source that no session has.
func (g *target) inner(n uint32) []byte {
	from := g.sessions[0].ue.Addr
	if n != 0 {
		from = netip.AddrFrom4([4]byte{203, 0, 113, byte(n)})
	}
	return packet.Inner{From: from, To: g.net.DN[0], Protocol: packet.UDP, FromPort: 1000, ToPort: 2000, TTL: 64,
		Length: 64}.Bytes(packet.Mark{})
}

func (g *target) fromGNB(gnb netip.Addr, message []byte) (int, error) {
	ip := packet.Outer{From: gnb, To: g.net.UPF}.Carry(message)
	return len(ip), g.t.Lab.N3().Send(ip)
}

// floodCases is a case for each.
func floodCases(o Options) (list []b.Case) {
	for _, f := range floods() {
		list = append(list, b.Case{ID: "attack.flood." + f.id,
			Title: "A flood of " + f.title + " leaves the UPF whole", Clause: f.clause + "; TS 33.117 4.4.4",
			Upsets: true, Keeps: ".yaml", Steps: func(*b.Fixture) []b.Step { return []b.Step{f.step(o)} }})
	}
	return list
}

// rates lists the rates of a flood in packets/s: 0 for comparison, then up to five times the rate of the inputs.
func (o Options) rates() []int {
	rates := []int{0, max(o.PerSecond/10, 1), o.PerSecond, 5 * o.PerSecond}
	if o.Most > 0 {
		rates = slices.DeleteFunc(rates, func(pps int) bool { return pps > o.Most })
	}
	return rates
}

// step floods at each rate while users have traffic.
func (f *flood) step(o Options) b.Step {
	text := fmt.Sprintf("send %s, at %v/s in turn, while users have %d packets/s: the UPF lives and "+
		"forwards afterwards", f.title, o.rates(), usersPPS)
	return b.Step{Text: text, Do: func(t *b.T) error {
		g, err := aim(t)
		if err != nil {
			return err
		}
		defer g.close()
		out := &record.Attack{}
		t.Attack = out
		for _, rate := range o.rates() {
			row, err := f.at(g, rate, max(min(o.For/4, mostFlood), leastFlood))
			if err != nil {
				return err
			}
			out.Floods = append(out.Floods, row)
			if harm := g.harm(true); harm != "" {
				return &fail.Failure{Verdict: record.VerdictDied, Expected: "the UPF lives and forwards", Observed: fmt.Sprintf("at %d/s: %s", rate, harm)}
			}
		}
		return nil
	}}
}

// at floods at a rate for a time.
func (f *flood) at(g *target, rate int, d time.Duration) (row record.Flood, err error) {
	var sent, octets atomic.Uint64
	var failed error
	before, stop, done := g.t.Unasked(), make(chan struct{}), make(chan struct{})
	begin := time.Now()
	go func() {
		defer close(done)
		for n := uint32(1); rate > 0; {
			select {
			case <-stop:
				return
			default:
			}
			for due := uint32(time.Since(begin).Seconds() * float64(rate)); n <= due && time.Since(begin) < d; n++ {
				size, err := f.next(g, n)
				if err != nil {
					failed = err
					return
				}
				sent.Add(1)
				octets.Add(uint64(size))
			}
			time.Sleep(200 * time.Microsecond) // the pace
		}
	}()
	u, err := g.t.Observe([]b.Packet{b.Up(g.watched, ""), b.Down(g.watched, "")}, usersPPS, d)
	took := time.Since(begin)
	close(stop)
	<-done
	if err == nil {
		err = failed
	}
	after := g.t.Unasked()
	row = record.Flood{OfferedPPS: float64(rate), SentPPS: float64(sent.Load()) / min(took, d).Seconds(), Packets: u.Sent,
		P50NS: float64(u.Quantile(0.5)), P99NS: float64(u.Quantile(0.99)), Reflected: after.Packets - before.Packets}
	if u.Sent > 0 {
		row.LossRatio = float64(u.Lost) / float64(u.Sent)
	}
	if n := octets.Load(); n > 0 {
		row.Amplification = float64(after.Octets-before.Octets) / float64(n)
	}
	return row, err
}
