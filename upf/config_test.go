package upf

import (
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/upflab/upflab/upf/n3"
	"github.com/upflab/upflab/upf/n4"
)

const minimal = `
n4: {address: 127.0.0.8}
n3: {interface: n3, address: 198.18.0.1}
n6: {interface: n6}
`

func TestParseConfigDefaults(t *testing.T) {
	got, err := ParseConfig("upf.yaml", []byte(minimal))
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		NodeID:      "127.0.0.8",
		N4:          N4{Address: netip.MustParseAddrPort("127.0.0.8:8805")},
		N3:          N3{Interface: "n3", Address: netip.MustParseAddr("198.18.0.1")},
		N6:          N6{Interface: "n6"},
		Datapath:    Datapath{Kind: "xdp", Mode: "auto"},
		MaxSessions: DefaultMaxSessions,
		Heartbeat:   n4.Heartbeat{T1: time.Second, N1: 3},
		Limits:      n4.Limits{Rules: 256, Associations: 16},
		Echo:        n3.Supervision{T3: 3 * time.Second, N3: 3},
		Buffering:   n4.BufferHold,
		LogLevel:    slog.LevelInfo,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
}

func TestLoadConfig(t *testing.T) {
	got, err := LoadConfig("testdata/upf.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		NodeID: "upf.example.org",
		N4: N4{netip.MustParseAddrPort("127.0.0.8:8806"), "n4", prefixes("10.100.4.1/32", "10.100.5.0/28"),
			[]n4.SMFSet{{ID: "set.example.org", SMFs: prefixes("10.100.4.1/32", "10.100.5.0/29")}}},
		N3:              N3{Interface: "n3", Address: netip.MustParseAddr("198.18.0.1")},
		N6:              N6{"n6", netip.MustParseAddr("198.51.100.1"), netip.MustParseAddr("2001:db8:6::1"), 4000},
		Datapath:        Datapath{Kind: "xdp", Mode: "generic"},
		UEPools:         prefixes("10.45.0.0/16", "10.46.0.0/24", "2001:db8:46::/48"),
		AllocateUE:      prefixes("10.46.0.128/25", "2001:db8:46:8000::/50"),
		Allow:           Allow{Local: prefixes("10.45.0.1/32"), Interfaces: []string{"eth2"}, PlainN6: true, NestedGTP: true},
		MaxSessions:     1000,
		Heartbeat:       n4.Heartbeat{Interval: 10 * time.Second, T1: 500 * time.Millisecond, N1: 5},
		Limits:          n4.Limits{Rules: 64, Associations: 4, Sessions: 900},
		SMFs:            []netip.AddrPort{netip.MustParseAddrPort("10.100.4.1:8805"), netip.MustParseAddrPort("10.100.5.1:8806")},
		Echo:            n3.Supervision{Interval: time.Minute, T3: 2 * time.Second, N3: 4},
		Buffering:       n4.BufferRefuse,
		GracefulRelease: 20 * time.Second,
		Realtime:        true,
		LogLevel:        slog.LevelDebug,
		LogJSON:         true,
		State:           State{"/run/upf", true},
		Socket:          "/run/upf.sock",
		API:             netip.MustParseAddrPort("127.0.0.1:9080"),
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
	if _, err := LoadConfig("testdata/absent.yaml"); err == nil {
		t.Error("a file that is not there was loaded")
	}
}

func prefixes(all ...string) (list []netip.Prefix) {
	for _, p := range all {
		list = append(list, netip.MustParsePrefix(p))
	}
	return list
}

// TestConfigErrors holds what a user reads for each bad file.
func TestConfigErrors(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no bad files: %v", err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = ParseConfig(filepath.Base(path), text)
		if err == nil {
			t.Errorf("%s was accepted", path)
			continue
		}
		golden := strings.TrimSuffix(path, ".yaml") + ".txt"
		if os.Getenv("UPDATE_GOLDEN") != "" {
			os.WriteFile(golden, []byte(err.Error()+"\n"), 0o644)
		}
		want, _ := os.ReadFile(golden)
		if got := err.Error() + "\n"; got != string(want) {
			t.Errorf("%s:\n got %s\nwant %s", path, got, want)
		}
	}
}

// TestAllowHasLimits: the datapath has room for so many exceptions.
func TestAllowHasLimits(t *testing.T) {
	list := func(n int, form string) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(form, i))
		}
		return "[" + strings.Join(all, ", ") + "]"
	}
	for _, c := range []struct {
		key, form string
		most      int
		want      string
	}{
		{"local", "10.0.0.%d", 16, "allow.local: has 17 entries, 16 are the most"},
		{"interfaces", "eth%d", 7, "allow.interfaces: has 8 names, 7 are the most"},
	} {
		text := func(n int) []byte { return []byte(minimal + "allow: {" + c.key + ": " + list(n, c.form) + "}\n") }
		if _, err := ParseConfig("upf.yaml", text(c.most)); err != nil {
			t.Errorf("%d: %v", c.most, err)
		}
		if _, err := ParseConfig("upf.yaml", text(c.most+1)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d: %v, want %q", c.most+1, err, c.want)
		}
	}
}

// TestLoadConfigOfAPipe: a pipe that nobody writes to is refused, not waited for; and so is a second
// document, which nobody would read.
func TestLoadConfigOfAPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "upf.yaml")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadConfig(path); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a pipe: %v", err)
	}
	text, err := os.ReadFile("testdata/upf.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ParseConfig("two.yaml", append(text, "\n---\nlog_level: debug\n"...)); err == nil ||
		!strings.Contains(err.Error(), "second document") {
		t.Errorf("two documents: %v", err)
	}
	if _, err := ParseConfig("one.yaml", append([]byte("%YAML 1.2\n# mine\n---\n"), text...)); err != nil {
		t.Errorf("one document with its head: %v", err)
	}
}
