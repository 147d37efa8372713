package meters

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"

	"github.com/upflab/upflab/internal/record"
)

// queueCount is what a receive queue of a port has taken so far.
type queueCount struct {
	port    string
	queue   int
	packets uint64
}

// queueCounts reads the receive queues of the UPF's ports that a direction's packets
// arrive at; none where they cannot be looked at, or the driver counts none.
func (mt *Meters) queueCounts(d record.Direction) (list []queueCount, err error) {
	for _, way := range d.Each() {
		in := mt.site.Links().Path(way).UPF
		if !in.Readable() || !in.Physical && mt.site.Spec().Queues < 2 {
			continue
		}
		stats, err := in.Stats()
		if err != nil {
			return nil, err
		}
		list = append(list, queuesOf(portName(way), stats)...)
	}
	return list, nil
}

// portName is that of the UPF's port at which a direction arrives.
func portName(d record.Direction) string {
	if d == record.Uplink {
		return "n3"
	}
	return "n6"
}

// queuePackets are the names that drivers give the packets of a receive queue:
// rx_queue_0_xdp_packets (veth), rx_queue_0_packets (ixgbe, ice, virtio), rx-0.packets
// (i40e), rx0_packets (mlx5).
var queuePackets = regexp.MustCompile(`^rx(?:_queue_|-|_)?(\d+)[_.](?:xdp_)?packets$`)

// queuesOf finds them in a driver's counters. Where packets of XDP have a count of their
// own, the larger one holds both.
func queuesOf(port string, stats map[string]uint64) (list []queueCount) {
	counts := map[int]uint64{}
	for name, n := range stats {
		if found := queuePackets.FindStringSubmatch(name); found != nil {
			queue, _ := strconv.Atoi(found[1]) // digits
			counts[queue] = max(counts[queue], n)
		}
	}
	for queue, n := range counts {
		list = append(list, queueCount{port, queue, n})
	}
	slices.SortFunc(list, func(a, b queueCount) int { return cmp.Compare(a.queue, b.queue) })
	return list
}

// queuesBetween is what each queue took between two readings, of ports that have several.
func queuesBetween(before, after []queueCount) (list []record.QueueUse) {
	sums, queues := map[string]uint64{}, map[string]int{}
	for _, q := range after {
		use := record.QueueUse{Port: q.port, Queue: q.queue, Packets: q.packets}
		for _, was := range before {
			if was.port == q.port && was.queue == q.queue {
				use.Packets -= min(use.Packets, was.packets)
			}
		}
		sums[q.port] += use.Packets
		queues[q.port]++
		list = append(list, use)
	}
	list = slices.DeleteFunc(list, func(q record.QueueUse) bool { return queues[q.Port] < 2 })
	for i, q := range list {
		if sums[q.Port] > 0 {
			list[i].Ratio = float64(q.Packets) / float64(sums[q.Port])
		}
	}
	return list
}
