package livetest

import (
	"runtime"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
)

// Allocations: a packet costs no memory, in either direction.
func Allocations(t *testing.T, d datapath.Datapath) {
	l := NewLab(t, d)
	up := FromGNB(t, gtpu.AppendGPDU(nil, 1, nil, Octets(t, SegmentsOf(t, false)[0].Packets[0])))
	var down []byte
	for _, f := range datapathtest.Frames(t) {
		if f.Name == "n6 psc" || down == nil && f.Program == "n6" && f.Verdict == "redirect" {
			down = f.Input(t)
		}
	}
	const rounds, each = 50, 20
	uplink, downlink := make([][]byte, each), make([][]byte, each)
	for i := range each {
		uplink[i], downlink[i] = up, down
	}
	send := func(times int) {
		for range times {
			_, _ = l.N3.Send(uplink) // what finds no room does not count
			_, _ = l.N6.Send(downlink)
			time.Sleep(5 * time.Millisecond) // the pace
		}
		time.Sleep(200 * time.Millisecond) // the last ones are carried: asking the counters would allocate
	}
	send(10) // buffers grow
	began, _ := Carried(d, 0)
	var from, to runtime.MemStats
	runtime.ReadMemStats(&from)
	send(rounds)
	runtime.ReadMemStats(&to)
	now, _ := Carried(d, 0)
	if packets, made := now-began, int(to.Mallocs-from.Mallocs); packets < rounds*each/2 || made > packets/2 {
		t.Errorf("%d allocations for %d packets", made, packets)
	}
}
