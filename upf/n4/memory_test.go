package n4

import (
	"runtime"
	"testing"
	"time"

	"github.com/wmnsk/go-pfcp/ie"
	"github.com/wmnsk/go-pfcp/message"

	"github.com/upflab/upflab/upf/datapath/datapathtest/livetest"
	"github.com/upflab/upflab/upf/datapath/xdp"
)

// mapBudget is the most that a session may take of the kernel's maps, octets.
const mapBudget = 512

// TestSessionMemory holds 32 000 sessions, which fill pages of the tables nearly, to the budget.
// The process's heap has the answers to all requests of the test, too; of a million sessions it
// has 65 536.
func TestSessionMemory(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector needs memory, too")
	}
	livetest.Network(t)
	for _, kind := range []struct {
		story   string
		limited bool
		budget  int64 // octets of heap
	}{{"plain", false, 1024}, {"with a rate and a URR", true, 2048}} {
		fixed := emptyMaps(t)
		dp, err := xdp.Open(benchXDP(32_000))
		livetest.Must(t, err)
		s, err := New(Config{NodeID: "192.0.2.1", N4: benchN3, N3: benchN3, Datapath: dp})
		livetest.Must(t, err)
		heap := heapOctets()
		fill(t, s, establishmentTemplate(t, kind.limited), 32_000)
		heap, maps := (heapOctets()-heap)/32_000, (mapOctets(t)-fixed)/32_000
		t.Logf("%s: %d octets of heap and %d of maps a session", kind.story, heap, maps)
		if heap > kind.budget || maps > mapBudget {
			t.Errorf("%s: a session takes %d octets of heap and %d of maps, %d and %d are allowed", kind.story, heap, maps, kind.budget, mapBudget)
		}
		runtime.KeepAlive(s)
		livetest.Must(t, dp.Close())
	}
}

// emptyMaps are the octets of the maps of a datapath for few sessions.
func emptyMaps(t testing.TB) int64 {
	small, err := xdp.Open(benchXDP(0))
	livetest.Must(t, err)
	octets := mapOctets(t)
	livetest.Must(t, small.Close())
	return octets
}

// fill establishes sessions without a socket.
func fill(t testing.TB, s *Server, template []byte, n int) {
	peer, next := peers[0], establishments(template, 0)
	s.receiver.receive(octetsOf(t, message.NewAssociationSetupRequest(1, ie.NewNodeIDHeuristic("smf.example.org"),
		ie.NewRecoveryTimeStamp(time.Now()))), peer, time.Now())
	for i := range n {
		request := next(i)
		request[12], request[13], request[14] = byte(i>>16), byte(i>>8), byte(i)
		s.receiver.receive(request, peer, time.Now())
	}
	if got := s.Counters(); got.Established != uint64(n) {
		t.Fatalf("%d of %d sessions are established: %v", got.Established, n, got.Rejected)
	}
}
