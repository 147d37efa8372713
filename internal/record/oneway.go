package record

// OneWay is what packets of upflab's own met in one direction while an application ran:
// sent at a low, steady rate from or to the flow's first UE, timed by one clock from the
// system call that sends to where the receiver's kernel gets them.
type OneWay struct {
	Direction Direction `json:"direction"` // uplink or downlink
	Sent      uint64    `json:"sent"`      // packets
	Lost      uint64    `json:"lost"`
	LossRatio float64   `json:"loss_ratio"` // 0..1
	Reordered uint64    `json:"reordered"`
	Copies    uint64    `json:"duplicates"`
	Latency   *AppTime  `json:"latency_ns"` // nil: nothing arrived
	// JitterNS is the mean difference of the latencies of neighbours, ns.
	JitterNS float64       `json:"jitter_ns"`
	Series   []OneWayPoint `json:"series,omitempty"`
}

// OneWayPoint is the packets sent up to T since the point before.
type OneWayPoint struct {
	T         float64 `json:"t_s"`
	P50       uint64  `json:"p50_ns,omitempty"` // 0: nothing arrived
	Max       uint64  `json:"max_ns,omitempty"`
	JitterNS  uint64  `json:"jitter_ns,omitempty"`
	LossRatio float64 `json:"loss_ratio"`
}
