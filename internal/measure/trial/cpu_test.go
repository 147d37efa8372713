package trial

import (
	"math"
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// TestEnergyOfTheWholeTrial: 50 W for 2 s, in which 1000 and, in windows that do not count,
// 100 packets of 10 000 bits arrived, are 100 J for 11 Mbit.
func TestEnergyOfTheWholeTrial(t *testing.T) {
	one := record.Trial{
		Traffic:   record.Traffic{RxPackets: 1000, RxPPS: 1000 / 1.5, RxL2bps: 1000 / 1.5 * 10_000},
		DurationS: 1.5, Excluded: &record.Excluded{Seconds: 0.5, RxPackets: 100},
	}
	if got, want := perGbit(50, &one), 100/0.011; math.Abs(got/want-1) > 1e-9 {
		t.Errorf("%.0f J/Gbit, want %.0f", got, want)
	}
	if got := perGbit(50, &record.Trial{}); got != 0 {
		t.Errorf("%v J/Gbit where nothing arrived", got)
	}
}

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
