package oai

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/process"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/wait"
)

func one() *scenario.Scenario {
	a := netip.MustParseAddr
	return &scenario.Scenario{
		Packets:      scenario.Packets{Sessions: 1},
		SessionRules: scenario.SessionRules{UE: scenario.UE{Pool: netip.MustParsePrefix("10.45.0.0/16"), First: a("10.45.0.2")}},
		Network: scenario.Network{
			N3: scenario.N3{UPF: a("192.168.13.151"), GNB: a("192.168.13.131"), Prefix: 24},
			N6: scenario.N6{UPF: a("192.168.16.151"), DN: a("192.168.16.152"), Prefix: 24},
			N4: scenario.N4{SMF: a("192.168.14.111"), NetworkInstance: "internet"},
		},
	}
}

func bed() site.Site {
	port := func(name, addr string) netdev.Port {
		return netdev.Port{Name: name, Addr: netip.MustParseAddr(addr), MAC: net.HardwareAddr{2, 0, 0, 0, 0, 1}}
	}
	return &sitetest.Fake{Ports: site.Links{
		UPFN3: port("n3-abcde", "192.168.13.151"), UPFN4: port("n4-abcde", "192.168.14.151"), UPFN6: port("n6-abcde", "192.168.16.151"),
		SMFN4: port("n4-abcde", "192.168.14.111"), DNN6: port("n6-abcde", "192.168.16.152"),
	}}
}

// The keys are those that the UPF's sources read.
func TestConfig(t *testing.T) {
	for _, mode := range []string{simple, xdp} {
		file, err := render(dut.Env{Mode: mode, Scenario: one(), Site: bed(), Dir: t.TempDir()}, 17)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := os.ReadFile(file)
		want, err := os.ReadFile(filepath.Join("testdata", mode+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s: it is\n%s\nwant\n%s", mode, got, want)
		}
	}
}

func TestRefused(t *testing.T) {
	for why, c := range map[string]struct {
		change func(*scenario.Scenario)
		words  []string
	}{
		"an IPv6 UE": {func(s *scenario.Scenario) { s.UE.First = netip.MustParseAddr("2001:db8::2") }, []string{"IPv4 only", "ue.first"}},
		"tun0's own": {func(s *scenario.Scenario) { s.UE.First = netip.MustParseAddr("10.45.0.1") },
			[]string{"10.45.0.1", "ue.first to 10.45.0.2"}},
		"an SMF on v6":  {func(s *scenario.Scenario) { s.N4.SMF = netip.MustParseAddr("2001:db8::1") }, []string{"n4.smf"}},
		"an UPF's v6":   {func(s *scenario.Scenario) { s.N3.UPF = netip.MustParseAddr("2001:db8::1") }, []string{"n3.upf"}},
		"a DN on IPv6 ": {func(s *scenario.Scenario) { s.N6.DN = netip.MustParseAddr("2001:db8::1") }, []string{"n6.dn"}},
	} {
		s := one()
		c.change(s)
		err := check(s, simple)
		for _, w := range c.words {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%s: the error %v does not say %q", why, err, w)
			}
		}
	}
}

// What the UPF leaves in /tmp goes with it, and what it has not left is no error.
func TestStopRemovesStatusFiles(t *testing.T) {
	tb := sitetest.Build(t)
	const script = "#!/bin/sh\necho STARTED >/tmp/upf_$$.status; exec /bin/sleep 60\n"
	path := filepath.Join(t.TempDir(), "oai_upf")
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	p, err := process.Start(process.Spec{Site: tb, Args: []string{path}, Log: filepath.Join(t.TempDir(), "log")})
	if err != nil {
		t.Fatal(err)
	}
	file := fmt.Sprintf("/tmp/upf_%d.status", p.PID())
	if !wait.Until(5*time.Second, 10*time.Millisecond, func() bool { _, err = os.Stat(file); return err == nil }) {
		t.Fatal(err)
	}
	if err := (running{p, append(statusFiles([]int{p.PID()}), "/tmp/upf_0.status")}).Stop(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Errorf("%s is left", file)
	}
}

// What a build of commit 5f186a9 has in its program, and one without git.
func TestVersion(t *testing.T) {
	for text, want := range map[string]string{
		"\x00Branch: HEAD Abrev. Hash: 5f186a9 Date: Fri May 9 09:24:14 2025 +0200\x00": "5f186a9 of May 9 2025",
		"\x00Branch: UNKNOWN Abrev. Hash: UNKNOWN Date: UNKNOWN\x00":                    "sha256:",
	} {
		path := filepath.Join(t.TempDir(), "oai_upf")
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("UPFLAB_OAI", path)
		if got, err := (Driver{}).Installed(); err != nil || !strings.HasPrefix(got, want) {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
}

func TestTooManySessionsForXDP(t *testing.T) {
	s := one()
	s.Sessions = 2500
	if err := check(s, xdp); err == nil || !strings.Contains(err.Error(), "sessions=2499 or less") {
		t.Error(err)
	}
	if err := check(s, simple); err != nil {
		t.Error(err)
	}
	if s.Sessions = 2499; check(s, xdp) != nil {
		t.Error(check(s, xdp))
	}
}

// The UPF's XDP takes for neighbours whom the rule of its NextHopFinder does. The cases are those of its
// function sameSubnet, compiled with g++ -O2 for x86-64.
func TestNeighbours(t *testing.T) {
	for _, c := range []struct {
		own, peer string
		want      bool
	}{
		{"192.168.13.151", "192.168.13.131", true},
		{"192.168.13.151", "10.0.0.200", true},
		{"192.168.13.151", "192.168.13.127", false},
		{"192.168.13.2", "192.168.13.1", false},
		{"192.168.13.200", "192.168.13.131", false},
		{"192.168.13.200", "192.168.13.193", true},
	} {
		a := netip.MustParseAddr
		if got := neighbours(a(c.own), a(c.peer)); got != c.want {
			t.Errorf("%s and %s: %t, want %t", c.own, c.peer, got, c.want)
		}
		s := one()
		s.N3.UPF, s.N3.GNB = a(c.own), a(c.peer)
		err := check(s, xdp)
		if c.want != (err == nil) || err != nil && (!strings.Contains(err.Error(), c.peer) || !strings.Contains(err.Error(), "n3.gnb")) {
			t.Errorf("%s and %s: %v", c.own, c.peer, err)
		}
		if err := check(s, simple); err != nil {
			t.Errorf("simple needs no rule: %v", err)
		}
	}
}

// programs makes programs that say so, in a PATH that has no others.
func programs(t *testing.T, says map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range says {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\necho '"+text+"'\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
}

const habets = "ARPing 2.23, by Thomas Habets <thomas@habets.se>"

func TestProgramsThatItStarts(t *testing.T) {
	for _, c := range []struct {
		mode string
		says map[string]string
		want string // of the error; "": there is none
	}{
		{simple, map[string]string{"ip": "", "ethtool": ""}, ""},
		{simple, map[string]string{"ip": ""}, "apt-get install iproute2 ethtool"},
		{xdp, map[string]string{"ip": "", "awk": "", "sudo": "", "arping": habets}, ""},
		{xdp, map[string]string{"ip": "", "awk": "", "arping": habets}, "starts sudo, which is not in PATH"},
		{xdp, map[string]string{"ip": "", "awk": "", "sudo": "", "arping": "arping from iputils 20221126"}, "in place of iputils-arping"},
	} {
		programs(t, c.says)
		err := checkPrograms(dut.Env{Mode: c.mode})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %v: %v, want %q", c.mode, c.says, err, c.want)
		}
	}
}

// Its command line and its configuration, with a script in its place, which ends at once: whoever speaks N4
// reports that.
func TestStart(t *testing.T) {
	tb := sitetest.Build(t)
	path := filepath.Join(t.TempDir(), "oai_upf")
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	programs(t, map[string]string{"ip": "", "awk": "", "sudo": "", "ethtool": "", "arping": habets})
	t.Setenv("UPFLAB_OAI", path)
	for _, mode := range (Driver{}).Info().Modes {
		i, err := Driver{}.Start(context.Background(), dut.Env{Scenario: one(), Mode: mode, Dir: t.TempDir(), Site: tb, CPUs: []int{0}})
		if err != nil {
			t.Fatal(err)
		}
		e := i.Endpoint
		if log := i.LogTail(); !strings.Contains(log, "-c ") || !strings.Contains(log, "/config.yaml -o") {
			t.Errorf("%s: started with %q", mode, log)
		}
		if e.N4 != netip.AddrPortFrom(tb.Links().UPFN4.Addr, 8805) || e.Dialect.DownlinkByModification != (mode == xdp) ||
			e.XDP.Receives() != (mode == xdp) {
			t.Errorf("%s: %+v", mode, e)
		}
		if err := i.Stop(); err != nil {
			t.Error(err)
		}
		for _, file := range i.Files() {
			if _, err := os.Stat(file); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestNoLockOfAFailedStart: a UPF whose start is given up leaves no lock file.
func TestNoLockOfAFailedStart(t *testing.T) {
	tb := sitetest.Build(t)
	dir := t.TempDir()
	path, begun := filepath.Join(dir, "oai_upf"), filepath.Join(dir, "begun")
	script := `#!/bin/sh
PATH=/usr/bin:/bin
file=/var/run/oai_upf$(sed -n 's/.*instance_id: \([0-9]*\).*/\1/p' "$2").pid
touch $file && echo $file >` + begun + `.new && mv ` + begun + `.new ` + begun + `; exec sleep 60
`
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	programs(t, map[string]string{"ip": "", "ethtool": ""})
	t.Setenv("UPFLAB_OAI", path)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		wait.Until(10*time.Second, 10*time.Millisecond, func() bool { _, err := os.Stat(begun); return err == nil })
		cancel()
	}()
	env := dut.Env{Scenario: one(), Mode: simple, Dir: t.TempDir(), Site: tb, CPUs: []int{0}}
	if _, err := (Driver{}).Start(ctx, env); !errors.Is(err, context.Canceled) {
		t.Fatalf("the start that is given up: %v", err)
	}
	file, err := os.ReadFile(begun)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(strings.TrimSpace(string(file))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is left: %v", file, err)
	}
}

// What the build wrote is found wherever it is, also on both sides of where one read ends.
func TestBuiltFrom(t *testing.T) {
	const text = "Abrev. Hash: 1234567 Date: Mon Jan 5 10:11:12 2026"
	for _, at := range []int{0, 1000, 1<<20 - 1, 1<<20 + 100, 1<<20 + 128, 2<<20 + 90, 3<<20 + 128 - len(text)} {
		program := strings.Repeat("\x00", at) + text + strings.Repeat("\x00", 1<<20)
		if v := builtFrom(strings.NewReader(program)); v != "1234567 of Jan 5 2026" {
			t.Errorf("at %d: %q", at, v)
		}
	}
	if v := builtFrom(strings.NewReader(strings.Repeat("\x00", 3<<20))); v != "" {
		t.Errorf("nothing is there, and it is %q", v)
	}
}
