package smf

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/fuzztest"
	"github.com/upflab/upflab/pfcp"
)

// quiet is a connection that takes everything and says nothing.
type quiet struct{ net.PacketConn }

func (quiet) WriteTo(b []byte, _ net.Addr) (int, error) { return len(b), nil }

// FuzzReceive gives the client whatever a UPF could send it: it must neither
// panic nor keep what it read.
func FuzzReceive(f *testing.F) {
	fuzztest.Brief(f)
	files, err := filepath.Glob(filepath.Join("testdata", "*.hex"))
	if err != nil || len(files) == 0 {
		f.Fatal("no golden messages", err)
	}
	for _, file := range files {
		f.Add(golden(f, strings.TrimSuffix(filepath.Base(file), ".hex")))
	}
	for _, answer := range scapyAnswers(f) {
		f.Add(answer)
	}
	from := &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8805}
	f.Fuzz(func(t *testing.T, b []byte) {
		c := goldenClient(Standard(), 1)
		cfg, err := Config{Conn: quiet{}, Peer: from, NodeID: c.cfg.NodeID, Dialect: Standard()}.complete()
		if err != nil {
			t.Fatal(err)
		}
		c.cfg, c.peer = cfg, from.AddrPort().Addr().Unmap()
		c.asked, c.sessions, c.replies = asked{bySeq: map[uint32]*exchange{}}, newHeld(), pfcp.NewReplies[struct{}]()
		c.associated = make(chan Association, 1)
		c.handle(b, from, time.Now())
		for typ := range uint8(60) {
			c.readAnswer(b, pfcp.MessageType(typ))
		}
	})
}

// scapyAnswers are the UPF's messages that scapy wrote.
func scapyAnswers(t testing.TB) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	entries, err := os.ReadDir(filepath.Join("testdata", "upf"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".hex")
		out[name] = golden(t, filepath.Join("upf", name))
	}
	return out
}
