package seeded

import (
	"encoding/binary"
	"net/netip"
	"sync"
	"time"

	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/session"
)

// quiet are faults that show in no session by itself, with traffic and without changes.
func quiet() []Fault {
	bystanders := &stealing{}
	return []Fault{
		{Name: "three packets of other sessions are lost at a modification", Row: "session.modify.bystander",
			Rules: bystanders.modified, Arriving: bystanders.arriving},
		{Name: "the first packet after 2 s without traffic is lost", Row: "session.idle",
			Also: []string{"urr.duration", "urr.monitoring-time"}, Arriving: idle(2 * time.Second)},
		{Name: "a usage report is sent twice", Row: "urr.report.once",
			Twice: func(m []byte) bool { return pfcp.MessageType(m[1]) == pfcp.SessionReportRequest }},
		{Name: "an Echo Response has no Recovery", Row: "gtpu.echo.recovery", Signal: func(m []byte) []byte {
			const header = 12 // with a sequence number
			if m[1] == byte(gtpu.EchoResponse) && len(m) > header {
				m = m[:header]
				binary.BigEndian.PutUint16(m[2:], header-8)
			}
			return m
		}},
	}
}

// key is whose a packet is: its TEID, or the UE's address.
func key(uplink bool, ip []byte) (k [4]byte, is bool) {
	switch {
	case len(ip) < 36 || ip[0] != 0x45:
		return k, false
	case !uplink:
		return [4]byte(ip[16:]), true
	case binary.BigEndian.Uint16(ip[22:]) == gtpu.Port && ip[29] == byte(gtpu.GPDU):
		return [4]byte(ip[32:]), true
	}
	return k, false
}

// stealing loses packets of those who have nothing to do with a modification, in the 100 ms after it.
type stealing struct {
	mu    sync.Mutex
	whose map[[4]byte]bool // of the session that was modified
	left  int
	at    time.Time
}

func (s *stealing) modified(old, r *session.Rules) {
	if old == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.whose, s.left, s.at = map[[4]byte]bool{}, 3, time.Now()
	for _, p := range r.PDRs {
		s.whose[netip4(p.PDI.UE)] = true
		s.whose[[4]byte(binary.BigEndian.AppendUint32(nil, p.PDI.TEID))] = true
	}
}

func netip4(a netip.Addr) (b [4]byte) {
	if a.Is4() {
		return a.As4()
	}
	return b
}

func (s *stealing) arriving(_ int, uplink bool, ip []byte) bool {
	k, is := key(uplink, ip)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left == 0 || !is || s.whose[k] || time.Since(s.at) > 100*time.Millisecond {
		return true
	}
	s.left--
	return false
}

// idle loses the first packet of a flow after a time without any.
func idle(d time.Duration) func(int, bool, []byte) bool {
	last := map[[4]byte]time.Time{}
	return func(_ int, uplink bool, ip []byte) bool {
		k, is := key(uplink, ip)
		if !is {
			return true
		}
		before, seen := last[k]
		last[k] = time.Now()
		return !seen || time.Since(before) < d
	}
}
