package spgwu

import (
	"context"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/scenario"
)

func one() *scenario.Scenario {
	return &scenario.Scenario{
		Packets: scenario.Packets{Sessions: 1},
		SessionRules: scenario.SessionRules{
			UE: scenario.UE{Pool: netip.MustParsePrefix("10.45.0.0/16"), First: netip.MustParseAddr("10.45.0.2")},
		},
		Network: scenario.Network{N4: scenario.N4{NetworkInstance: "internet"}},
	}
}

// The keys are those of the project's own etc/spgw_u.conf.
func TestConfig(t *testing.T) {
	path, err := dut.Render(t.TempDir(), "spgw_u.conf", config, values{
		Dir: "/tmp/spgwu", Instance: 7, N3: "n3-abcde", N4: "n4-abcde", N6: "n6-abcde",
		SMF: netip.MustParseAddr("192.168.14.111"), Pool: netip.MustParsePrefix("10.45.0.0/16"), DNN: "internet",
	})
	if err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(path)
	want, err := os.ReadFile("testdata/spgw_u.conf")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("it is\n%s\nwant\n%s", got, want)
	}
}

func TestRefused(t *testing.T) {
	if err := check(one()); err != nil {
		t.Error(err)
	}
	for words, change := range map[string]func(*scenario.Scenario){
		"sessions=1024":         func(s *scenario.Scenario) { s.Sessions = 1025 },
		"teid.assign":           func(s *scenario.Scenario) { s.TEID.Assign = scenario.AssignSMF },
		"IPv4":                  func(s *scenario.Scenario) { s.UE.First = netip.MustParseAddr("2001:db8::2") },
		"ue.first to 10.45.0.2": func(s *scenario.Scenario) { s.UE.First = netip.MustParseAddr("10.45.0.1") },
	} {
		s := one()
		change(s)
		if err := check(s); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("the error %v does not say %q", err, words)
		}
	}
}

// start starts a script in its place.
func start(t *testing.T, script string) (*dut.Instance, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), program)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("UPFLAB_SPGWU", path)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return Driver{}.Start(ctx, dut.Env{Scenario: one(), Dir: t.TempDir(), Site: sitetest.Build(t), CPUs: []int{0}})
}

// Its command line and its configuration, with a script in its place. It looks for others of its name
// as the UPF does, which ends when there are two: here one more runs outside.
func TestStart(t *testing.T) {
	other := exec.Command("/bin/sh", "-c", "sleep 60; : "+program)
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer other.Wait()
	defer other.Process.Kill()
	i, err := start(t, `echo "$@"; ps aux >seen; echo "there are $(grep -c oai_spgwu seen)"
		cd /tmp; touch spgwu_$$.status; touch /var/run/oai_spgwu$(sed -n 's/.*INSTANCE *= \([0-9]*\);.*/\1/p' $2).pid; echo "[2026-11-26T15:00:24.056164] [spgwu] [spgwu_app] [start] Started"; exec sleep 60`)
	if err != nil {
		t.Fatal(err)
	}
	if d := i.Endpoint.Dialect; d.Assign != smf.AssignUPF || d.SessionsPerAssociation != maxSessions {
		t.Errorf("%+v", d)
	}
	r := i.Program.(running)
	left := written(r.begin, slices.Clone(r.files))
	if len(left) != 2 {
		t.Fatalf("it has written %v", left)
	}
	if !strings.Contains(i.LogTail(), "there are 1\n") {
		t.Errorf("it sees others of its name: %s", i.LogTail())
	}
	if err := i.Stop(); err != nil {
		t.Error(err)
	}
	for _, file := range left {
		if _, err := os.Lstat(file); err == nil {
			t.Errorf("%s is left", file)
		}
	}
	for _, file := range i.Files() {
		if _, err := os.Stat(file); err != nil {
			t.Error(err)
		}
	}
}

// One error each: a configuration that it ends at, and another program or version, which never says that it runs.
func TestNotStarted(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: `make test-all` runs it")
	}
	for name, c := range map[string]struct{ script, words string }{
		"a bad configuration": {"echo \"terminate called after throwing an instance of 'libconfig::ParseException'\"; kill -ABRT $$",
			"ParseException"},
		"a missing library": {"echo oai_spgwu: error while loading shared libraries: libconfig++.so.9 >&2; exit 127", "libconfig++.so.9"},
		"another version": {"echo [2026-11-26 15:00:24.056] [spgwu_app] [info] other words; exec sleep 60",
			"is it openair-spgwu-tiny v1.4.0?"},
		"a log without end": {"while :; do echo [pfcp_sw ] [info ] UE IP not found; done", "was not ready within 15s"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := start(t, c.script); err == nil || !strings.Contains(err.Error(), c.words) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// TestNoLockOfAFailedStart: a UPF that ends before it has started leaves no lock file.
func TestNoLockOfAFailedStart(t *testing.T) {
	const locks = "/var/run/" + program + "*.pid"
	before, err := filepath.Glob(locks)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := start(t, `file=/var/run/oai_spgwu$(sed -n 's/.*INSTANCE *= \([0-9]*\);.*/\1/p' $2).pid
		touch $file; ls $file; exit 1`); err == nil || !strings.Contains(err.Error(), "/var/run/oai_spgwu") {
		t.Fatalf("the lock file was not written: %v", err)
	}
	if after, _ := filepath.Glob(locks); !slices.Equal(after, before) {
		t.Errorf("lock files %v, before %v", after, before)
	}
}

// TestStarted: what is new in the log is read, once, also where a line comes in parts and where the log is cut to its end.
func TestStarted(t *testing.T) {
	log := startLog{path: filepath.Join(t.TempDir(), "spgwu.log")}
	if log.started() == nil {
		t.Error("it has started without a log")
	}
	f, err := os.Create(log.path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	write := func(text string) {
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	noise := strings.Repeat("[pfcp_sw ] [info ] UE IP not found\n", 20_000)
	write(noise)
	if err := log.started(); err == nil || log.read != int64(len(noise)) || len(log.line) != 0 {
		t.Errorf("of %d octets it has read %d and keeps %d: %v", len(noise), log.read, len(log.line), err)
	}
	if err := log.started(); err == nil || log.read != int64(len(noise)) {
		t.Errorf("it has read %d octets: %v", log.read, err)
	}
	if err := f.Truncate(0); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	write("[spgwu] [spgwu_a")
	if log.started() == nil {
		t.Error("it has started by half a line")
	}
	write("pp] [start] Star")
	if log.started() == nil {
		t.Error("it has started by half a line")
	}
	write("ted\n" + noise)
	if err := log.started(); err != nil {
		t.Error(err)
	}
}

// Without what it calls it would run, and forward nothing.
func TestCalls(t *testing.T) {
	if err := calls(dut.Env{}); err != nil {
		t.Skipf("not tested: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if err := calls(dut.Env{}); err == nil || !strings.Contains(err.Error(), "apt-get install") {
		t.Errorf("the error is %v", err)
	}
	if err := calls(dut.Env{Elsewhere: true}); err != nil {
		t.Error(err)
	}
}
