package xdp

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// BenchmarkPDRs prints what a packet costs in the program that matches the last of so many
// PDRs with filters, of each direction.
//
//	go test ./upf/datapath/xdp -run '^$' -bench PDRs -benchtime 1x
func BenchmarkPDRs(b *testing.B) {
	for _, n := range []int{1, 2, 16, 128} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			cfg := labConfig()
			cfg.UEPools = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
			l := newLab(b, cfg)
			must(b, "Apply", l.dp.Apply([]datapath.Change{{New: pair(1, benchUE(0).String(), 1, benchFilters(n-1))}}))
			for _, way := range benchWays() {
				frame := benchFrame(b, way.frame)
				o := loadMaker(b, way, frame, 1)
				base, full := time.Hour, time.Hour
				for range benchRounds {
					base = min(base, measure(b, o, o.BenchNothing, frame, benchRepeat))
					full = min(full, measure(b, o, l.programOf(way), frame, benchRepeat))
				}
				b.ReportMetric(float64(full-base), "ns/"+way.name)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// benchFilters puts n PDRs that differ in a port before those of a session.
func benchFilters(n int) func(*session.Rules) {
	return func(r *session.Rules) {
		for way, first := range [2]session.PDR{r.PDRs[0], r.PDRs[1]} {
			r.PDRs[way].Precedence = 1000
			for i := range n {
				p, port := first, uint16(20000+i)
				p.ID, p.Precedence = uint16(100+2*i+way), uint32(i)
				p.PDI.Filters = []session.Filter{{Protocol: 17, HasProtocol: true, RemotePorts: []session.Ports{{Low: port, High: port}}}}
				r.PDRs = append(r.PDRs, p)
			}
		}
	}
}
