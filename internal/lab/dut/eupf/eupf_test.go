package eupf

import (
	"context"
	"encoding/json"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/scenario"
)

func fakeProgram(t *testing.T, script string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "eupf")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("UPFLAB_EUPF", path)
}

// eUPF v0.7.1 reads this configuration.
func TestConfig(t *testing.T) {
	path, err := dut.Render(t.TempDir(), "eupf.yml", config, values{
		N3: "n3-abcde", N6: "n6-abcde", Mode: "native",
		N4Addr: netip.MustParseAddr("192.168.14.151"), N3Addr: netip.MustParseAddr("192.168.13.151"),
	})
	if err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(path)
	want, err := os.ReadFile("testdata/eupf.yml")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("it is\n%s\nwant\n%s", got, want)
	}
}

func TestTooManySessions(t *testing.T) {
	fakeProgram(t, "")
	s := &scenario.Scenario{Packets: scenario.Packets{Sessions: maxSessions + 1}}
	_, err := Driver{}.Start(context.Background(), dut.Env{Scenario: s, Mode: "native", Dir: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "512 sessions") || !strings.Contains(err.Error(), "not 513") ||
		!strings.Contains(err.Error(), "sessions=512") {
		t.Errorf("513 sessions: %v", err)
	}
}

func TestNotInstalled(t *testing.T) {
	t.Setenv("UPFLAB_EUPF", "")
	t.Setenv("PATH", t.TempDir())
	if _, err := (Driver{}).Installed(); err == nil || !strings.Contains(err.Error(), "github.com/edgecomllc/eupf") {
		t.Errorf("the error is %v", err)
	}
}

// Its command line and its configuration.
func TestStart(t *testing.T) {
	tb := sitetest.Build(t)
	fakeProgram(t, `echo "$@"; exec sleep 60`)
	dir := t.TempDir()
	for mode, native := range map[string]bool{"native": true, "generic": false} {
		i, err := Driver{}.Start(context.Background(), dut.Env{
			Scenario: &scenario.Scenario{Packets: scenario.Packets{Sessions: maxSessions}}, Mode: mode, Dir: dir, Site: tb, CPUs: []int{0}})
		if err != nil {
			t.Fatal(err)
		}
		e := i.Endpoint
		if e.N4 != netip.AddrPortFrom(tb.Links().UPFN4.Addr, 8805) || e.Dialect.Name != "eupf" ||
			(e.XDP == dut.NativeXDP) != native || len(i.PIDs()) != 1 {
			t.Errorf("%s: %+v, processes %v", mode, e, i.PIDs())
		}
		if err := i.Stop(); err != nil {
			t.Error(err)
		}
		b, err := os.ReadFile(filepath.Join(dir, "eupf.yml"))
		if want := "xdp_attach_mode: " + mode + "\n"; err != nil || !strings.Contains(string(b), want) {
			t.Errorf("the configuration is\n%s\n%v; want %q", b, err, want)
		}
		for _, file := range i.Files() {
			if _, err := os.Stat(file); err != nil {
				t.Error(err)
			}
		}
	}
}

// The fields are those of the answer of eUPF v0.7.1, the numbers are made up.
func TestDrops(t *testing.T) {
	tb := sitetest.Build(t)
	answer, err := os.ReadFile("testdata/xdp_stats.json")
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(answer) {
		t.Fatal("testdata/xdp_stats.json is no JSON")
	}
	listener, err := listen(tb)
	if err != nil {
		t.Fatal(err)
	}
	var asked string
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.Path
		w.Write(answer)
	})}
	go server.Serve(listener)
	defer server.Close()
	list, err := (&counters{tb}).drops()
	if err != nil || len(list) != 3 || list[0].Packets != 12 || list[1].Packets != 3 || list[2].Packets != 7 {
		t.Errorf("%v, %v", list, err)
	}
	if asked != "/api/v1/xdp_stats" {
		t.Errorf("it asked for %s", asked)
	}
	server.Close()
	if _, err := (&counters{tb}).drops(); err == nil || !strings.Contains(err.Error(), "eUPF's counters") {
		t.Errorf("when nobody answers: %v", err)
	}
}
