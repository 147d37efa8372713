package xdp

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/cilium/ebpf"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

var benchCount = flag.Int("bench.sessions", 100_000, "sessions of BenchmarkSessions")

// benchHead is HEAD of bpf/bench.c.
const benchHead = 96

// benchWay is a direction to measure.
type benchWay struct {
	name, frame, program string
	teidAt, ueAt, ipAt   uint32 // of the TEID, the UE's address and the header that has it
}

func benchWays() []benchWay {
	return []benchWay{
		{"uplink", "n3 psc", "n3", 14 + 20 + 8 + 4, 14 + 20 + 8 + 16 + 12, 14 + 20 + 8 + 16},
		{"downlink", "n6 qfi", "n6", 0, 14 + 16, 14},
	}
}

// benchSessions makes n sessions with TEIDs 1, 2, ... and addresses 10.0.0.2 on.
func benchSessions(t testing.TB, dp *Datapath, n int, change func(*session.Rules)) {
	t.Helper()
	for i := range n {
		r := pair(uint64(i+1), benchUE(i).String(), uint32(i+1), change)
		must(t, "Apply", dp.Apply([]datapath.Change{{New: r}}))
	}
}

// benchPlain has a QER without a rate, benchLimited one with a rate, which is not reached, and
// a URR.
func benchPlain(r *session.Rules) { withQER(session.QER{QFI: 1, GateUL: true, GateDL: true})(r) }

func benchLimited(r *session.Rules) {
	withQER(session.QER{QFI: 1, GateUL: true, GateDL: true, MBRUL: 400e9, MBRDL: 400e9})(r)
	r.URRs = []session.URR{{ID: 1}}
	r.PDRs[0].URRs, r.PDRs[1].URRs = []uint32{1}, []uint32{1}
}

func benchUE(i int) netip.Addr {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], 10<<24+2+uint32(i))
	return netip.AddrFrom4(b)
}

// benchPrefix is a prefix around such an address.
func benchPrefix(i, bits int) netip.Prefix { return netip.PrefixFrom(benchUE(i), bits).Masked() }

// benchFrame is scapy's frame of that name, made 1400 octets longer.
func benchFrame(t testing.TB, name string) []byte {
	t.Helper()
	for _, f := range readFrames(t) {
		if f.Name == name {
			frame := append(octets(t, f.Frame), make([]byte, 1400)...)
			return frame
		}
	}
	t.Fatalf("no frame %q", name)
	return nil
}

// loadBench loads the programs of bpf/bench.c for the direction.
func loadMaker(t testing.TB, way benchWay, frame []byte, sessions int) *benchObjects {
	t.Helper()
	spec, err := loadBench()
	must(t, "read the benchmark", err)
	var head [benchHead]byte
	copy(head[:], frame)
	v := spec.Variables
	must(t, "set length", v[benchVarFrameLength].Set(uint32(len(frame))))
	must(t, "set head", v[benchVarHead].Set(head))
	must(t, "set TEID's place", v[benchVarTeidAt].Set(way.teidAt))
	must(t, "set UE's place", v[benchVarUeAt].Set(way.ueAt))
	must(t, "set first UE", v[benchVarFirstUe].Set(uint32(10<<24+2)))
	header := bytes.Clone(frame[way.ipAt:][:20])
	clear(header[10:12])
	clear(header[way.ueAt-way.ipAt:][:4])
	must(t, "set checksum's place", v[benchVarCheckAt].Set(way.ipAt+10))
	must(t, "set sum", v[benchVarHeaderSum].Set(uint32(checksum.Fold(checksum.Sum(header)))))
	must(t, "set sessions", v[benchVarSessions].Set(uint32(sessions)))
	var o benchObjects
	must(t, "load the benchmark", spec.LoadAndAssign(&o, nil))
	t.Cleanup(func() { o.Close() })
	return &o
}

// measure runs the target over repeat frames and gives the time for one.
func measure(t testing.TB, o *benchObjects, target *ebpf.Program, frame []byte, repeat int) time.Duration {
	t.Helper()
	must(t, "set target", o.Target.Put(uint32(0), target))
	verdict, each, err := o.BenchNext.Benchmark(frame, repeat, nil)
	must(t, "run", err)
	if verdict != xdpRedirect {
		t.Fatalf("verdict %d, want redirect", verdict)
	}
	return each
}

// BenchmarkProgram prints what one packet costs in the program itself, without
// the driver: the time of a run less that of a run with no program.
func BenchmarkProgram(b *testing.B) {
	for _, n := range []int{1, 1000, 100_000} {
		cfg := labConfig()
		cfg.MaxSessions = n
		cfg.UEPools = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
		b.Run(fmt.Sprintf("sessions=%d", n), func(b *testing.B) {
			l := newLab(b, cfg)
			benchSessions(b, l.dp, n, benchPlain)
			for _, way := range benchWays() {
				b.ReportMetric(l.benchWay(b, way, n), "ns/"+way.name)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkSessions prints what a packet of one session out of so many costs, over what one costs when
// all are of one session: in turn, over the same tables. A plain session has a QER with a
// QFI, a limited one a rate and a URR, too.
//
//	go test ./upf/datapath/xdp -run '^$' -bench Sessions -benchtime 1x -bench.sessions 1000000
func BenchmarkSessions(b *testing.B) {
	for _, kind := range []struct {
		name   string
		change func(*session.Rules)
	}{{"plain", benchPlain}, {"limited", benchLimited}} {
		b.Run(kind.name, func(b *testing.B) {
			cfg := labConfig()
			cfg.MaxSessions = *benchCount
			cfg.UEPools = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
			l := newLab(b, cfg)
			benchSessions(b, l.dp, *benchCount, kind.change)
			for _, way := range benchWays() {
				one, many := l.benchRatio(b, way)
				b.ReportMetric(one, "ns/"+way.name+"-1")
				b.ReportMetric(many, "ns/"+way.name)
				b.ReportMetric(many/one, "x/"+way.name)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// benchRatio measures one session, all of them and no program in turn.
func (l *lab) benchRatio(b *testing.B, way benchWay) (one, many float64) {
	frame := benchFrame(b, way.frame)
	first, all := loadMaker(b, way, frame, 1), loadMaker(b, way, frame, *benchCount)
	program := l.programOf(way)
	base, alone, among := time.Hour, time.Hour, time.Hour
	for range benchRounds {
		base = min(base, measure(b, first, first.BenchNothing, frame, benchRepeat))
		alone = min(alone, measure(b, first, program, frame, benchRepeat))
		among = min(among, measure(b, all, program, frame, benchRepeat))
	}
	return float64(alone - base), float64(among - base)
}

func (l *lab) programOf(way benchWay) *ebpf.Program {
	if way.program == "n6" {
		return l.dp.ports[1].program
	}
	return l.dp.ports[0].program
}

// Frames a round, and rounds: the machine is not alone in the world, so the
// quickest counts.
const (
	benchRepeat = 1 << 20
	benchRounds = 7
)

func (l *lab) benchWay(b *testing.B, way benchWay, sessions int) float64 {
	frame := benchFrame(b, way.frame)
	o := loadMaker(b, way, frame, sessions)
	program := l.programOf(way)
	l.zero(b)
	base, full := time.Hour, time.Hour
	for range benchRounds {
		base = min(base, measure(b, o, o.BenchNothing, frame, benchRepeat))
		full = min(full, measure(b, o, program, frame, benchRepeat))
	}
	l.checkAllForwarded(b, way)
	return float64(full - base)
}

func (l *lab) checkAllForwarded(b *testing.B, way benchWay) {
	b.Helper()
	c, err := l.dp.Counters()
	must(b, "Counters", err)
	got := c.Uplink.Packets + c.Downlink.Packets
	if got < benchRounds*benchRepeat || len(c.Drops) > 0 || c.Passed > 0 {
		b.Fatalf("%s: counted %+v, want %d forwarded and nothing else", way.name, c, benchRounds*benchRepeat)
	}
}

// BenchmarkApply is the cost of a session of two PDRs in the kernel's maps,
// among 100 000 others.
func BenchmarkApply(b *testing.B) {
	cfg := labConfig()
	cfg.MaxSessions = 110_000
	l := newLab(b, cfg)
	benchSessions(b, l.dp, 100_000, benchPlain)
	r := pair(1<<32, "172.16.0.1", 1<<30, nil)
	for b.Loop() {
		must(b, "add", l.dp.Apply([]datapath.Change{{New: r}}))
		must(b, "remove", l.dp.Apply([]datapath.Change{{Old: r}}))
	}
}
