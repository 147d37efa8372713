package open5gs

import (
	"context"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// fakeProgram is used in place of open5gs-upfd.
func fakeProgram(t *testing.T, script string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "open5gs-upfd")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("UPFLAB_OPEN5GS", path)
}

// one is a scenario of one session, as the built-in ones are.
func one() *scenario.Scenario {
	return &scenario.Scenario{
		Packets: scenario.Packets{Sessions: 1, Payload: 1400, Directions: []record.Direction{record.Uplink, record.Downlink}},
		Network: scenario.Network{MTU: 1600, N4: scenario.N4{NetworkInstance: "internet"}},
		SessionRules: scenario.SessionRules{
			UE: scenario.UE{Pool: netip.MustParsePrefix("10.45.0.0/16"), First: netip.MustParseAddr("10.45.0.2")},
		},
	}
}

// Open5GS v2.8.0 reads these configurations.
func TestConfig(t *testing.T) {
	for _, c := range []struct {
		golden, mode string
		change       func(*scenario.Scenario)
	}{
		{"tun.yaml", "tun", func(*scenario.Scenario) {}},
		{"tap.yaml", "tap", func(s *scenario.Scenario) { s.Sessions = 10_000 }},
		{"first.yaml", "tun", func(s *scenario.Scenario) { s.UE.First = netip.MustParseAddr("10.45.0.1") }},
	} {
		s := one()
		c.change(s)
		v, err := plan(s, c.mode)
		if err != nil {
			t.Fatal(err)
		}
		v.N4, v.N3 = netip.MustParseAddr("192.168.14.151"), netip.MustParseAddr("192.168.13.151")
		path, err := dut.Render(t.TempDir(), "upf.yaml", config, v)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := os.ReadFile(path)
		want, err := os.ReadFile("testdata/" + c.golden)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s: it is\n%s\nwant\n%s", c.golden, got, want)
		}
	}
}

func TestRefused(t *testing.T) {
	for why, c := range map[string]struct {
		change func(*scenario.Scenario)
		words  []string
	}{
		"no buffer for the packets": {
			func(s *scenario.Scenario) { s.Payload = 1989 },
			[]string{"1988 octets, not 1989", "payload=1988"}},
		"no address for the gateway": {
			func(s *scenario.Scenario) {
				s.UE = scenario.UE{Pool: netip.MustParsePrefix("10.45.0.0/29"), First: netip.MustParseAddr("10.45.0.1")}
				s.Sessions = 6
			},
			[]string{"ue.pool 10.45.0.0/29", "ue.first to 10.45.0.2", "sessions to 5"}},
	} {
		s := one()
		c.change(s)
		_, err := plan(s, "tun")
		for _, w := range c.words {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%s: the error %v does not say %q", why, err, w)
			}
		}
	}
}

func TestGateway(t *testing.T) {
	for _, c := range []struct {
		pool, first string
		sessions    int
		want        string // "" for none
	}{
		{"10.45.0.0/16", "10.45.0.2", 1, "10.45.0.1"},
		{"10.45.0.0/16", "10.45.0.2", 60_000, "10.45.0.1"},
		{"10.45.0.0/16", "10.45.0.1", 254, "10.45.0.255"},
		{"10.45.0.0/16", "10.45.0.1", 255, "10.45.1.0"},
		{"10.45.3.7/16", "10.45.9.9", 5, "10.45.0.1"}, // the pool need not be masked
		{"10.45.0.0/29", "10.45.0.1", 5, "10.45.0.6"},
		{"10.45.0.0/29", "10.45.0.1", 6, ""}, // .7 is for broadcasts
		{"10.45.0.0/30", "10.45.0.2", 1, "10.45.0.1"},
		{"10.45.0.0/31", "10.45.0.0", 1, ""},
		{"10.45.0.0/32", "10.45.0.0", 1, ""},
	} {
		ue := scenario.UE{Pool: netip.MustParsePrefix(c.pool), First: netip.MustParseAddr(c.first)}
		got, err := gateway(ue, c.sessions)
		if c.want == "" && err == nil || c.want != "" && (err != nil || got != netip.MustParseAddr(c.want)) {
			t.Errorf("%d UEs from %s on in %s: %s, %v; want %q", c.sessions, c.first, c.pool, got, err, c.want)
		}
	}
}

func TestInstalled(t *testing.T) {
	for _, c := range []struct{ why, script, version, words string }{
		{"as v2.8.0 answers", `[ "$1" = -v ] && printf 'Open5GS v2.8.0\n\n'`, "v2.8.0", ""},
		{"built from a commit", `echo 'Open5GS v2.8.0-12-gabc1234+'`, "v2.8.0-12-gabc1234+", ""},
		{"some other program", `echo 'upf 1.0'`, "", "is it open5gs-upfd?"},
		{"one that does not run", `echo 'no libogscore.so.2' >&2; exit 127`, "", "no libogscore.so.2"},
	} {
		fakeProgram(t, c.script)
		v, err := Driver{}.Installed()
		if v != c.version || (c.words == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %q, %v; want %q, %q", c.why, v, err, c.version, c.words)
		}
	}
	t.Setenv("UPFLAB_OPEN5GS", "")
	t.Setenv("PATH", t.TempDir())
	if _, err := (Driver{}).Installed(); err == nil || !strings.Contains(err.Error(), "open5gs.org") {
		t.Errorf("where it is not: %v", err)
	}
}

// Its command line and its configuration.
func TestStart(t *testing.T) {
	for _, mode := range (Driver{}).Info().Modes {
		tb := sitetest.Build(t)
		fakeProgram(t, `echo "$@"; exec sleep 60`)
		s, dir := one(), t.TempDir()
		s.Sessions = 5000
		i, err := Driver{}.Start(context.Background(), dut.Env{Scenario: s, Mode: mode, Dir: dir, Site: tb, CPUs: []int{0}})
		if err != nil {
			t.Fatal(err)
		}
		e := i.Endpoint
		if e.N4 != netip.AddrPortFrom(tb.Links().UPFN4.Addr, 8805) || e.Dialect.Name != "open5gs" || e.XDP != dut.NoXDP || !e.Containers() ||
			e.Dialect.SessionsPerAssociation != 5000 {
			t.Errorf("%s: %+v", mode, e)
		}
		if err := i.Stop(); err != nil {
			t.Error(err)
		}
		b, err := os.ReadFile(filepath.Join(dir, "upf.yaml"))
		if want := "dev: ogs" + mode + "\n"; err != nil || !strings.Contains(string(b), want) {
			t.Errorf("the configuration is\n%s\n%v; want %q", b, err, want)
		}
		for _, file := range i.Files() {
			if _, err := os.Stat(file); err != nil {
				t.Error(err)
			}
		}
	}
}
