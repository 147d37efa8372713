package appflow

import (
	"testing"

	"github.com/upflab/upflab/internal/record"
)

func TestLimit(t *testing.T) {
	bench := Bench{Plain: &record.AppFlow{GoodputBPS: 4e9}, Gateway: &record.AppFlow{GoodputBPS: 2e9}}
	for _, c := range []struct {
		why       string
		f         record.AppFlow
		bench     Bench
		reference bool
		want      record.Limit
	}{
		{"all that was offered arrived",
			record.AppFlow{Kind: record.FlowUDP, OfferedBPS: 1e9, SentBPS: 1e9, GoodputBPS: 1e9}, bench, false,
			record.LimitNone},
		{"half of what the bench carries", record.AppFlow{Kind: record.FlowTCP, GoodputBPS: 1e9}, bench, false, record.LimitDUT},
		{"as much as the gateway carries", record.AppFlow{Kind: record.FlowTCP, GoodputBPS: 1.9e9}, bench, false, record.LimitGateway},
		{"and iperf3 can do no more",
			record.AppFlow{Kind: record.FlowTCP, GoodputBPS: 1.9e9, CPU: record.AppCPU{Receiver: 0.97}}, bench, false,
			record.LimitIperf},
		{"a full sender, but the bench carries twice that",
			record.AppFlow{Kind: record.FlowTCP, GoodputBPS: 1e9, CPU: record.AppCPU{Sender: 0.97}}, bench, false,
			record.LimitDUT},
		{"no bench, a full UPF",
			record.AppFlow{Kind: record.FlowTCP, GoodputBPS: 1e9, CPU: record.AppCPU{DUT: 1, Sender: 1}}, Bench{},
			false, record.LimitDUT},
		{"no bench, a full sender",
			record.AppFlow{Kind: record.FlowTCP, GoodputBPS: 1e9, CPU: record.AppCPU{Sender: 1}}, Bench{}, false,
			record.LimitIperf},
		{"a receiver that does not read",
			record.AppFlow{Kind: record.FlowUDP, OfferedBPS: 5e9, SentBPS: 1e9, GoodputBPS: 5e8, Lost: 100,
				LossRatio: 0.5, SocketDrops: 90}, bench, false, record.LimitIperf},
		{"the bench itself", record.AppFlow{Kind: record.FlowTCP, GoodputBPS: 2e9}, Bench{}, true, record.LimitGateway},
		{"packets beyond N3's MTU", record.AppFlow{Kind: record.FlowTCP, TooBig: 10, StalledS: 3}, bench, false, record.LimitMTU},
		{"stolen time", record.AppFlow{Kind: record.FlowTCP, GoodputBPS: 1e9, StealRatio: 0.1}, bench, false, record.LimitHost},
		{"other programs", record.AppFlow{Kind: record.FlowTCP, GoodputBPS: 1e9, CPU: record.AppCPU{Others: 0.4}},
			bench, false, record.LimitHost},
		{"a full RAN", record.AppFlow{Kind: record.FlowTCP, GoodputBPS: 1e8, CPU: record.AppCPU{RAN: 0.98}},
			Bench{RAN: true}, false, record.LimitRAN},
		{"as much as the RAN carries", record.AppFlow{Kind: record.FlowTCP, GoodputBPS: 1.9e9},
			Bench{Plain: bench.Plain, Gateway: bench.Gateway, RAN: true}, false, record.LimitRAN},
		{"half of what the RAN carries", record.AppFlow{Kind: record.FlowTCP, GoodputBPS: 1e9},
			Bench{Plain: bench.Plain, Gateway: bench.Gateway, RAN: true}, false, record.LimitDUT},
		{"a RAN of which nothing is known", record.AppFlow{Kind: record.FlowTCP, GoodputBPS: 1e9},
			Bench{Plain: bench.Plain, RAN: true}, false, record.LimitUnknown},
		{"straight to the data network", record.AppFlow{Kind: record.FlowTCP, GoodputBPS: 9e9}, Bench{Direct: true}, true, record.LimitLink},
		{"most is lost", record.AppFlow{Kind: record.FlowUDP, SentBPS: 3e9, GoodputBPS: 1e7,
			CPU: record.AppCPU{Sender: 0.99}}, Bench{}, false, record.LimitUnknown},
		{"a ping", record.AppFlow{Kind: record.FlowPing}, bench, false, record.LimitNone},
		{"frames in time", record.AppFlow{Kind: record.FlowXR, Frames: []record.Frames{{Sent: 100, InTime: 99}, {Sent: 100, InTime: 100}}},
			Bench{}, false, record.LimitNone},
		{"late frames, not of the bench", record.AppFlow{Kind: record.FlowXR, Frames: []record.Frames{{Sent: 100, InTime: 98}}},
			Bench{Gateway: &record.AppFlow{Frames: []record.Frames{{Sent: 100, InTime: 100}}}}, false, record.LimitDUT},
		{"late frames of the bench, too", record.AppFlow{Kind: record.FlowXR, Frames: []record.Frames{{Sent: 100, InTime: 90}}},
			Bench{Gateway: &record.AppFlow{Frames: []record.Frames{{Sent: 100, InTime: 90}}}}, false, record.LimitUnknown},
		{"late frames of the bench", record.AppFlow{Kind: record.FlowVoice, Frames: []record.Frames{{Sent: 100, InTime: 90}}},
			Bench{}, true, record.LimitGateway},
	} {
		Judge(&c.f, c.bench, c.reference)
		if c.f.LimitedBy != c.want {
			t.Errorf("%s: %s, want %s", c.why, c.f.LimitedBy, c.want)
		}
	}
}

func TestStolenTimeIsNotValid(t *testing.T) {
	f := record.AppFlow{Valid: true, StealRatio: 0.1}
	Judge(&f, Bench{}, false)
	if f.Valid || len(f.Reasons) != 1 {
		t.Errorf("%+v", f)
	}
}
