package iperf3

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// Report is what a client reports. Times are in the unit of their name, rates in bits/s.
type Report struct {
	Start struct {
		Version string `json:"version"`
		Test    struct {
			Protocol string `json:"protocol"`
			Streams  int    `json:"num_streams"`
			Block    int    `json:"blksize"`
			Reverse  int    `json:"reverse"`
		} `json:"test_start"`
		MSS int `json:"tcp_mss_default"` // octets; 0: UDP
	} `json:"start"`
	Intervals []Interval `json:"intervals"`
	End       End        `json:"end"`
	Error     string     `json:"error"`
	// Server is what the server reported, where it was asked for and arrived.
	Server *Report `json:"server_output_json"`
}

// Interval is a part of the test.
type Interval struct {
	Streams []Stream `json:"streams"`
	Sum     Sum      `json:"sum"`
}

// Stream is one stream within an interval. TCP_INFO is there at a sender only.
type Stream struct {
	Sum
	CwndOctets uint64  `json:"snd_cwnd"`
	RTTMicros  float64 `json:"rtt"`
}

// Sum is what was carried in a time.
type Sum struct {
	StartS       float64 `json:"start"`
	EndS         float64 `json:"end"`
	Seconds      float64 `json:"seconds"`
	Bytes        float64 `json:"bytes"`
	BPS          float64 `json:"bits_per_second"`
	Retransmits  float64 `json:"retransmits"`
	JitterMillis float64 `json:"jitter_ms"`
	Lost         float64 `json:"lost_packets"`
	Packets      float64 `json:"packets"`
	OutOfOrder   float64 `json:"out_of_order"`
	Omitted      bool    `json:"omitted"`
	Sender       bool    `json:"sender"`
}

// End is the whole test.
type End struct {
	Streams []struct {
		UDP      Sum     `json:"udp"`
		Sender   TCPInfo `json:"sender"`
		Receiver Sum     `json:"receiver"`
	} `json:"streams"`
	Sum      Sum `json:"sum"` // of UDP
	Sent     Sum `json:"sum_sent"`
	Received Sum `json:"sum_received"`
	CPU      struct {
		Host   float64 `json:"host_total"`
		Remote float64 `json:"remote_total"`
	} `json:"cpu_utilization_percent"`
	Congestion string `json:"sender_tcp_congestion"`
}

// TCPInfo is of a sender's stream, from TCP_INFO.
type TCPInfo struct {
	Sum
	MaxCwndOctets uint64  `json:"max_snd_cwnd"`
	MinRTTMicros  float64 `json:"min_rtt"`
	MeanRTTMicros float64 `json:"mean_rtt"`
	MaxRTTMicros  float64 `json:"max_rtt"`
}

// errNothing is an output that says nothing.
var errNothing = errors.New("iperf3 reported nothing")

// Parse reads the JSON of a client. An error that iperf3 itself reports is an error,
// with the report of what was measured until then.
func Parse(output []byte) (*Report, error) {
	if len(output) == 0 {
		return nil, errNothing
	}
	var r Report
	if err := json.Unmarshal(output, &r); err != nil {
		return nil, fmt.Errorf("iperf3's JSON cannot be read: %w", err)
	}
	if r.Error != "" {
		return &r, fmt.Errorf("iperf3: %s", r.Error)
	}
	if len(r.End.Streams) == 0 || !sane(r.End.Received) || !sane(r.End.Sent) {
		return &r, fmt.Errorf("iperf3's JSON has no totals of the test")
	}
	return &r, nil
}

// sane refuses what cannot be a measurement.
func sane(s Sum) bool {
	for _, v := range []float64{s.Bytes, s.BPS, s.Seconds, s.Retransmits, s.Packets, s.JitterMillis} {
		if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
			return false
		}
	}
	return true
}
