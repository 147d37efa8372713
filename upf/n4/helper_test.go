package n4

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/upflab/upflab/upf/datapath/memory"
	"github.com/upflab/upflab/upf/n4/association"
	"github.com/upflab/upflab/upf/session"
)

// pair is a request and the answer to it, as scapy built them.
type pair struct{ request, answer []byte }

// pairs reads testdata/messages.txt, which testdata/gen.py wrote.
func pairs(t testing.TB) map[string]pair {
	t.Helper()
	all, err := readPairs()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// readPairs reads the file once: a fuzz target needs it for each execution.
var readPairs = sync.OnceValues(func() (map[string]pair, error) {
	text, err := os.ReadFile("testdata/messages.txt")
	if err != nil {
		return nil, err
	}
	all := map[string]pair{}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		request, err1 := hex.DecodeString(words[1])
		answer, err2 := hex.DecodeString(words[2])
		if err := cmp.Or(err1, err2); err != nil {
			return nil, fmt.Errorf("%s: %w", words[0], err)
		}
		all[words[0]] = pair{slices.Clip(request), slices.Clip(answer)} // one test appends to it
	}
	return all, nil
})

// The choices of the server that testdata/gen.py knows.
const (
	firstSEID = 0x99
	firstTEID = 0x1001
	started   = 3900001000
	recovery  = 3900000000
)

// bench is a server on a datapath in memory, talked to without a socket.
type bench struct {
	t testing.TB
	*Server
	dp    *memory.Datapath
	pairs map[string]pair
	peer  netip.AddrPort
	now   time.Time
	ended []session.OuterHeader
	late  []func() // what the server does after an answer
}

func newBench(t testing.TB, change func(*Config)) *bench {
	t.Helper()
	b := &bench{
		t: t, dp: memory.New(0), pairs: pairs(t),
		peer: netip.MustParseAddrPort("127.0.0.7:8805"), now: time.Unix(1_800_000_000, 0),
	}
	cfg := Config{
		NodeID: "127.0.0.8", Datapath: b.dp,
		N4: netip.MustParseAddr("127.0.0.8"), N3: netip.MustParseAddr("198.18.0.1"),
		EndMarker: func(o session.OuterHeader) { b.ended = append(b.ended, o) },
		SMFs:      []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")},
		Sets: []association.SMFSet{
			{ID: "set.example.org", SMFs: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/27")}},
			{ID: "other.example.org", SMFs: []netip.Prefix{netip.MustParsePrefix("127.0.0.32/27")}},
			{ID: "a", SMFs: []netip.Prefix{netip.MustParsePrefix("127.0.1.0/24")}},
		},
	}
	if change != nil {
		change(&cfg)
	}
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	s.carry.Started = started
	teid := uint32(firstTEID - 1)
	s.sessions.TEIDs.Random = func() uint32 { teid++; return teid }
	s.later = func(f func()) { b.late = append(b.late, f) }
	next := uint64(firstSEID - 1)
	s.sessions.Random = func() uint64 { next++; return next }
	b.Server = s
	return b
}

// raw returns the answer when everything that the request leads to is done.
func (b *bench) raw(request []byte) []byte {
	answer := b.receiver.receive(request, b.peer, b.now)
	b.catchUp()
	return answer
}

func (b *bench) catchUp() {
	for len(b.late) > 0 {
		f := b.late[0]
		b.late = b.late[1:]
		f()
	}
}

// play sends the named requests and checks each answer.
func (b *bench) play(names ...string) {
	b.t.Helper()
	for _, name := range names {
		p, ok := b.pairs[name]
		if !ok {
			b.t.Fatalf("testdata has no %q", name)
		}
		if got := b.raw(p.request); string(got) != string(p.answer) {
			b.t.Fatalf("%s:\n got %x\nwant %x", name, got, p.answer)
		}
	}
}

// rules gives those of the session that was established first.
func (b *bench) rules() *session.Rules {
	b.t.Helper()
	r := b.dp.Session(firstSEID)
	if r == nil {
		b.t.Fatal("the session is not in the datapath")
	}
	return r
}

func unhex(t testing.TB, digits string) []byte {
	t.Helper()
	b, err := hex.DecodeString(digits)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// anywhere is a pool that has all addresses.
func anywhere() []netip.Prefix { return []netip.Prefix{netip.PrefixFrom(netip.IPv4Unspecified(), 0)} }
