package meters

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/record"
)

func TestQueuesOf(t *testing.T) {
	for driver, stats := range map[string]map[string]uint64{
		"veth": {"peer_ifindex": 7, "rx_queue_0_xdp_packets": 5, "rx_queue_0_xdp_bytes": 500, "rx_queue_0_drops": 1,
			"rx_queue_1_xdp_packets": 9, "tx_queue_0_xdp_xmit": 4},
		"ice":    {"rx_queue_0_packets": 5, "rx_queue_0_bytes": 500, "rx_queue_1_packets": 9, "rx_packets": 14},
		"i40e":   {"rx-0.packets": 5, "rx-1.packets": 9, "tx-0.packets": 3},
		"mlx5":   {"rx0_packets": 5, "rx1_packets": 9, "rx0_xdp_drop": 2, "rx_vport_unicast_packets": 14},
		"virtio": {"rx_queue_0_packets": 5, "rx_queue_0_xdp_packets": 4, "rx_queue_1_packets": 9, "rx_queue_1_xdp_packets": 9},
	} {
		if got := queuesOf("n3", stats); !slices.Equal(got, []queueCount{{"n3", 0, 5}, {"n3", 1, 9}}) {
			t.Errorf("%s: %v", driver, got)
		}
	}
}

func TestQueuesBetween(t *testing.T) {
	got := queuesBetween(
		[]queueCount{{"n3", 0, 100}, {"n3", 1, 50}, {"n6", 0, 7}},
		[]queueCount{{"n3", 0, 130}, {"n3", 1, 60}, {"n3", 2, 0}, {"n6", 0, 9}})
	want := []record.QueueUse{{Port: "n3", Queue: 0, Packets: 30, Ratio: 0.75},
		{Port: "n3", Queue: 1, Packets: 10, Ratio: 0.25}, {Port: "n3", Queue: 2}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v: a port with one queue has no shares", got, want)
	}
}

func TestUsefulRatio(t *testing.T) {
	start := time.Unix(1000, 0)
	reading := func(after time.Duration, busy, total float64) workReading {
		return workReading{start.Add(after), dut.Work{Busy: busy, Total: total}, true}
	}
	for _, c := range []struct {
		why           string
		before, after workReading
		trial         time.Duration
		want          float64 // -1: not known
	}{
		{"half of its time", reading(0, 0, 0), reading(time.Second, 5e8, 1e9), time.Second, 0.5},
		{"totals begin anywhere", reading(0, 7e9, 2e10), reading(time.Second, 7.25e9, 2.1e10), time.Second, 0.25},
		{"silence around the trial is not the trial's", reading(0, 0, 0), reading(4*time.Second, 2e9, 4e9), 2 * time.Second, 1},
		{"never over all of it", reading(0, 0, 0), reading(4*time.Second, 4e9, 4e9), time.Second, 1},
		{"nothing moved", reading(0, 5, 10), reading(time.Second, 5, 20), time.Second, 0},
		{"counters that were cleared", reading(0, 100, 200), reading(time.Second, 10, 20), time.Second, -1},
		{"unknown before", workReading{}, reading(time.Second, 10, 20), time.Second, -1},
		{"unknown after", reading(0, 10, 20), workReading{}, time.Second, -1},
	} {
		got := usefulRatio(c.before, c.after, c.trial)
		if (got == nil) != (c.want < 0) || got != nil && math.Abs(*got-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", c.why, got, c.want)
		}
	}
}
