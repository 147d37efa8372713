package smf

import (
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/internal/text/fuzztest"
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
		cfg, err := Config{Conn: quiet{}, Peer: from, NodeID: netip.MustParseAddr("10.10.1.1"), Dialect: Standard()}.complete()
		if err != nil {
			t.Fatal(err)
		}
		for _, cfg.Observe = range []bool{false, true} {
			newClient(cfg, from.AddrPort()).handle(b, from.AddrPort(), time.Now())
		}
		if h, ies, _, err := pfcp.Parse(b); err == nil {
			for _, how := range []Strictness{Tolerant, Strict} {
				var m Message
				_ = m.Read(h, ies, how)
			}
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
