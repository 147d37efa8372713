package resilience

import (
	"context"
	"net/netip"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/packet"
	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/internal/text/wait"
)

// Stream is numbered packets of some UEs in both directions, and where each went. The
// UEs take turns.
type Stream struct {
	net  behaviour.Net
	ues  []*ue
	up   behaviour.Port
	down behaviour.Port
	run  uint64
	rate float64 // of each direction, packets/s

	mu    sync.Mutex
	began time.Time
	sent  [2][]int64   // by direction and number: when, ns; 0: not sent
	seen  [2][]arrival // by direction, in the order of arrival
	marks []arrival    // End Markers
	event int64        // when the incident began, ns
	gone  [2]bool      // gNBs that take nothing and send nothing

	stop    chan struct{}
	stopped chan struct{}
}

// ue is a UE with its session.
type ue struct {
	smf.Established
	gnb   int  // where the UE is: it sends from there
	still bool // it sends nothing uplink
}

// arrival is a packet or an End Marker that arrived.
type arrival struct {
	at     int64 // ns
	number int64
	teid   uint32
	gnb    int // of a downlink packet
}

const (
	uplink = iota
	downlink
)

// newStream prepares a stream; Start starts it.
func newStream(l behaviour.Lab, ues []*ue, run uint64, perS float64) *Stream {
	s := &Stream{net: l.Net(), ues: ues, up: l.N3(), down: l.N6(), run: run, rate: perS,
		stop: make(chan struct{}), stopped: make(chan struct{})}
	s.up.On(s.fromN3)
	s.down.On(s.fromN6)
	return s
}

func (s *Stream) now() int64 { return int64(time.Since(s.began)) }

// Start begins to send.
func (s *Stream) Start() {
	s.began = time.Now()
	go s.send()
}

// Stop ends sending, and waits for stragglers.
func (s *Stream) Stop(ctx context.Context) {
	close(s.stop)
	<-s.stopped
	_ = wait.Pause(ctx, 300*time.Millisecond)
	s.up.On(func([]byte) {})
	s.down.On(func([]byte) {})
}

// send sends each packet when it is due; one that is late is sent at once.
func (s *Stream) send() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(s.stopped)
	gap := float64(time.Second) / s.rate
	for n := int64(0); ; n++ {
		due := int64(float64(n) * gap)
		for left := due - s.now(); left > 0; left = due - s.now() {
			if left > int64(150*time.Microsecond) {
				ts := unix.NsecToTimespec(min(left-int64(100*time.Microsecond), int64(5*time.Millisecond)))
				_ = unix.Nanosleep(&ts, nil)
			}
		}
		select {
		case <-s.stop:
			return
		default:
		}
		u := s.ues[n%int64(len(s.ues))]
		s.one(downlink, n, u)
		s.one(uplink, n, u)
	}
}

// one sends a packet and notes when.
func (s *Stream) one(direction int, n int64, u *ue) {
	s.mu.Lock()
	silent := direction == uplink && (u.still || s.gone[u.gnb])
	var at int64
	if !silent {
		at = s.now()
	}
	s.sent[direction] = append(s.sent[direction], at)
	gnb, teid := s.net.GNB[u.gnb], u.UplinkTEID
	s.mu.Unlock()
	if silent {
		return
	}
	m, ip := packet.Mark{Run: s.run, Number: uint64(n)}, s.inner(direction, u.address(n/int64(len(s.ues))))
	if direction == downlink {
		_ = s.down.Send(ip.Bytes(m))
		return // what could not be sent is lost
	}
	_ = s.up.Send(packet.Outer{From: gnb, To: u.N3, TEID: teid, QFI: u.QFI}.Encapsulate(ip.Bytes(m)))
}

// address is that of a UE's packet n: the addresses of a UE with both families take turns.
func (u *ue) address(n int64) netip.Addr {
	if u.UE6.IsValid() && n%2 == 1 {
		return u.UE6
	}
	return u.UE
}

// inner is a packet of a UE's address.
func (s *Stream) inner(direction int, ue netip.Addr) packet.Inner {
	ip := packet.Inner{From: ue, To: s.net.Peer(ue), Protocol: packet.UDP, FromPort: 5000, ToPort: 4000, TTL: 64,
		Length: packet.DefaultLength}
	if direction == downlink {
		ip.From, ip.To, ip.FromPort, ip.ToPort = ip.To, ip.From, ip.ToPort, ip.FromPort
	}
	return ip
}

// fromN6 notes an uplink packet.
func (s *Stream) fromN6(ip []byte) {
	r, ok := packet.Read(ip, s.run)
	if !ok || !r.Marked {
		return
	}
	s.mu.Lock()
	s.seen[uplink] = append(s.seen[uplink], arrival{at: s.now(), number: int64(r.Mark.Number)})
	s.mu.Unlock()
}

// fromN3 notes a downlink packet or an End Marker, and answers Echo Requests as a gNB.
func (s *Stream) fromN3(ip []byte) {
	r, ok := packet.Read(ip, s.run)
	if !ok || !r.Tunnelled {
		return
	}
	gnb := 0
	if r.To == s.net.GNB[1] {
		gnb = 1
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone[gnb] {
		return
	}
	a := arrival{at: s.now(), teid: r.Header.TEID, gnb: gnb, number: -1}
	switch {
	case r.Header.Type == gtpu.EndMarker:
		s.marks = append(s.marks, a)
	case r.Header.Type == gtpu.EchoRequest:
		s.echo(r, gnb)
	case r.Marked:
		a.number = int64(r.Mark.Number)
		s.seen[downlink] = append(s.seen[downlink], a)
	}
}

// echo answers an Echo Request (TS 29.281 clause 7.2.2).
func (s *Stream) echo(r packet.Received, gnb int) {
	b := gtpu.AppendEchoResponse(nil, r.Header.Sequence)
	_ = s.up.Send(packet.Outer{From: s.net.GNB[gnb], To: r.From, ToPort: r.FromPort}.Carry(b))
}

// sever makes a gNB take and send nothing, or ends that.
func (s *Stream) sever(gnb int, is bool) {
	s.mu.Lock()
	s.gone[gnb] = is
	s.mu.Unlock()
}

// move moves UEs to a gNB: they send from there.
func (s *Stream) move(ues []*ue, gnb int) {
	s.mu.Lock()
	for _, u := range ues {
		u.gnb = gnb
	}
	s.mu.Unlock()
}
