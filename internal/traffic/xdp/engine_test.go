package xdp

import (
	"context"
	"net/netip"
	"os"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/dut/wire"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/testbed"
	"github.com/upflab/upflab/internal/traffic"
)

func TestProto(t *testing.T) {
	run := testbed.NewRunID()
	claim, err := testbed.NewClaim(run)
	if err != nil {
		t.Fatal(err)
	}
	defer claim.Close()
	a := netip.MustParseAddr
	start := time.Now()
	tb, err := testbed.Build(claim, testbed.Spec{Run: run, MTU: 1600,
		N3:     testbed.LinkSpec{Tester: a("192.168.13.131"), UPF: a("192.168.13.151"), Prefix: 24},
		N4:     testbed.LinkSpec{Tester: a("192.168.14.111"), UPF: a("192.168.14.151"), Prefix: 24},
		N6:     testbed.LinkSpec{Tester: a("192.168.16.152"), UPF: a("192.168.16.151"), Prefix: 24},
		UEPool: netip.MustParsePrefix("10.45.0.0/16")})
	if err != nil {
		t.Fatal(err)
	}
	defer tb.Close()
	t.Log("build", time.Since(start))
	w, err := wire.Open(tb)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	n := 1
	var streams []traffic.Stream
	for i := range n {
		ue := a("10.45.0.2").As4()
		ue[2] += byte(i >> 8)
		ue[3] += byte(i)
		streams = append(streams, traffic.Stream{UE: netip.AddrFrom4(ue), UplinkTEID: uint32(2*i + 1), DownlinkTEID: uint32(2*i + 2)})
	}
	flow := func(d scenario.Direction, from, upf, to testbed.Port) *traffic.Flow {
		return &traffic.Flow{Direction: d, Payload: 1400, QFI: 1, SourcePort: 1234, DestinationPort: 1234, Streams: streams,
			Source: from.MAC, Destination: upf.MAC, GNB: tb.GNB.Addr, UPF: tb.UPFN3.Addr, DN: tb.DNN6.Addr,
			Expect: traffic.Expect{Encapsulated: d == scenario.Uplink, Unchanged: true, MAC: to.MAC}}
	}
	up, err := Open(Config{Flow: flow(scenario.Uplink, tb.GNB, tb.UPFN3, tb.DNN6), Send: tb.GNB, Receive: tb.DNN6, CPU: 0, Settle: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer up.Close()
	down, err := Open(Config{Flow: flow(scenario.Downlink, tb.DNN6, tb.UPFN6, tb.GNB), Send: tb.DNN6, Receive: tb.GNB, CPU: 0, Settle: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer down.Close()
	try := func(name string) {
		for _, e := range []*Engine{up, down} {
			for _, pps := range []float64{1e3, 1e5, 1e6, 2e6, 0} {
				o, err := e.Run(context.Background(), traffic.Schedule{PPS: pps, Duration: time.Second, Warmup: 100 * time.Millisecond, Quiet: 50 * time.Millisecond}, nil, nil)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%s %v %.0f: intended %d sent %d rx %d (%.3f Mpps/ rx %.3f) dup %d reord %d wrong %v late %d stalls %d busy %.2f lat p50 %d p99 %d max %d late p50 %d p99 %d", name, e.config.Flow.Direction, pps,
					o.Intended, o.Sent, o.Received, float64(o.Sent)/o.SendSeconds/1e6, float64(o.Received)/o.SendSeconds/1e6, o.Duplicates, o.Reordered, o.Wrong, o.LateSlots, o.Stalls, o.BusyRatio,
					o.Latency.Quantile(0.5), o.Latency.Quantile(.99), o.Latency.Max, o.Lateness.Quantile(.5), o.Lateness.Quantile(.99))
			}
		}
	}
	pin := func(p testbed.Port, cpu int, fifo bool) {
		pids, err := p.PinNAPI([]int{cpu})
		if err != nil {
			t.Fatal(err)
		}
		t.Log(p.Name, p.NS.Name, pids)
	}
	mode := os.Getenv("MODE")
	switch mode {
	case "sep-inline": // DUT threaded on 1; sink inline
		pin(tb.UPFN3, 1, false)
	case "sep-gen": // sink on generator core FIFO
		pin(tb.UPFN3, 1, false)
		pin(tb.DNN6, 0, true)
	}
	try(mode)
}
