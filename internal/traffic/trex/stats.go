package trex

import (
	"encoding/json"
	"strconv"
)

// portStats are a port's counters since the server started.
type portStats struct {
	Sent          uint64 `json:"opackets"`
	SentBytes     uint64 `json:"obytes"`
	Received      uint64 `json:"ipackets"`
	ReceivedBytes uint64 `json:"ibytes"`
	Missed        uint64 `json:"ierrors"` // arrived, and TRex had no room
	Failed        uint64 `json:"oerrors"`
}

// since is what was counted after an earlier reading.
func (s portStats) since(before portStats) portStats {
	return portStats{
		Sent: less(s.Sent, before.Sent), SentBytes: less(s.SentBytes, before.SentBytes),
		Received: less(s.Received, before.Received), ReceivedBytes: less(s.ReceivedBytes, before.ReceivedBytes),
		Missed: less(s.Missed, before.Missed), Failed: less(s.Failed, before.Failed),
	}
}

// less is a difference of counters, of which the second may be ahead of the first where
// TRex read a device's counters late.
func less(a, b uint64) uint64 { return a - min(a, b) }

// globalStats are the server's own.
type globalStats struct {
	CPU        float64 `json:"m_cpu_util"`         // of the cores that send, %, over the last second or so
	ReceiveCPU float64 `json:"m_rx_cpu_util"`      // of the core that receives, %
	QueueFull  uint64  `json:"m_total_queue_full"` // times that a port's queue had no room, and TRex tried again
	QueueDrop  uint64  `json:"m_total_queue_drop"` // packets that it gave up for that
	NoBuffer   uint64  `json:"m_total_alloc_error"`
}

// groupStats are the statistics of packet groups, by their number. TRex has no list for an
// empty set: it is null then.
type groupStats struct {
	Flows   map[string]json.RawMessage `json:"flow_stats"`
	Latency map[string]json.RawMessage `json:"latency"`
}

// groupFlow is what was counted of a group, by port.
type groupFlow struct {
	Sent          map[string]uint64 `json:"tp"`
	SentBytes     map[string]uint64 `json:"tb"`
	Received      map[string]uint64 `json:"rp"`
	ReceivedBytes map[string]uint64 `json:"rb"`
}

// groupLatency is what is known of a group's delays and of its order. A latency stream is a
// group alone.
type groupLatency struct {
	Errors struct {
		Dropped   uint64 `json:"drp"`
		Reordered uint64 `json:"ooo"`
		Duplicate uint64 `json:"dup"`
	} `json:"er"`
	Delay struct {
		Jitter    float64           `json:"jit"` // us
		Max       float64           `json:"total_max"`
		Min       float64           `json:"total_min"`
		LastMax   float64           `json:"last_max"`
		Histogram map[string]uint64 `json:"histogram"`
		HDR       string            `json:"hdrh"`
	} `json:"lat"`
}

// group is a packet group of which both are known.
type group struct {
	flow    groupFlow
	latency groupLatency
}

// of reads a group; one that TRex does not list has no packets.
func (g *groupStats) of(id uint32) (x group, err error) {
	key := strconv.FormatUint(uint64(id), 10)
	if raw, listed := g.Flows[key]; listed {
		if err := json.Unmarshal(raw, &x.flow); err != nil {
			return x, unreadable("flow_stats", err)
		}
	}
	if raw, listed := g.Latency[key]; listed {
		if err := json.Unmarshal(raw, &x.latency); err != nil {
			return x, unreadable("latency", err)
		}
	}
	return x, nil
}

// at is a count of a port.
func at(counts map[string]uint64, port int) uint64 { return counts[strconv.Itoa(port)] }
