package trex

import (
	"encoding/base64"

	"github.com/upflab/upflab/internal/traffic"
)

// stream is one of TRex's: frames of a shape at a steady rate.
type stream struct {
	port    int
	flow    int // index of the flow
	shape   int
	pps     float64
	packets uint32 // after which it ends; 0: it does not
	latency uint32 // the packet group whose delays are taken; 0: none
}

// useMACs: TRex keeps the MAC addresses of the frame, rather than putting its own.
const useMACs = 1 | 1<<1

// definition is the stream as add_stream takes it.
func (s *stream) definition(f *traffic.Flow) (map[string]any, error) {
	vm, err := instructions(f)
	if err != nil {
		return nil, err
	}
	statistics := map[string]any{"enabled": false}
	if s.latency != 0 {
		statistics = map[string]any{"enabled": true, "stream_id": s.latency, "rule_type": "latency", "vxlan": false, "ieee_1588": false}
	}
	if vm == nil {
		vm = []map[string]any{}
	}
	return map[string]any{
		"enabled": true, "self_start": true, "start_paused": false, "isg": 0.0, "flags": useMACs, "action_count": 0,
		"next_stream_id": -1, "core_id": -1,
		"mode":       s.mode(),
		"packet":     map[string]any{"binary": base64.StdEncoding.EncodeToString(frame(f, s.shape)), "meta": ""},
		"vm":         map[string]any{"instructions": vm, "cache": 0},
		"flow_stats": statistics,
	}, nil
}

// mode says how many packets are sent, and how fast.
func (s *stream) mode() map[string]any {
	rate := map[string]any{"type": "pps", "value": s.pps}
	if s.packets == 0 {
		return map[string]any{"type": "continuous", "rate": rate}
	}
	return map[string]any{"type": "single_burst", "rate": rate, "total_pkts": s.packets}
}

// frame is the frame of the first session, without UDP checksums: TRex writes into the
// payload and does not correct them (RFC 768: 0 is none).
func frame(f *traffic.Flow, shape int) []byte {
	b := f.Frame(f.Streams[0], shape)
	clear(b[innerIP(f)+20+checkAt:][:2])
	if f.Uplink() {
		clear(b[outerUDP+checkAt:][:2])
	}
	return b
}
