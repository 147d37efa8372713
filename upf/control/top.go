package control

// Top is one line of the answer to GET /top: what sessions did in an interval, the
// busiest first.
type Top struct {
	Seconds  float64   `json:"seconds"`
	Active   int       `json:"active"` // sessions with packets
	Total    int       `json:"total"`  // sessions
	Drops    bool      `json:"drops"`  // whether drops are known by session
	Sessions []TopLine `json:"sessions"`
}

// TopLine is one session's rates, of packets that came, whatever became of them. Bits are
// of what the datapath sees of a packet: frames without FCS, or T-PDUs in user space.
type TopLine struct {
	SEID        SEID    `json:"seid"`
	UE          string  `json:"ue"`
	UplinkPPS   float64 `json:"uplink_pps"`
	UplinkBPS   float64 `json:"uplink_bps"`
	DownlinkPPS float64 `json:"downlink_pps"`
	DownlinkBPS float64 `json:"downlink_bps"`
	DroppedPPS  float64 `json:"dropped_pps"`
}
