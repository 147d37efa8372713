package bench

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario/scenariotest"
)

// fake is a driver of UPFs that are nothing but what a test says of them.
type fake struct {
	asked   []dut.Env
	refuses error
	upf     program
}

func (f *fake) Info() dut.Info             { return dut.Info{Name: "fake"} }
func (f *fake) Installed() (string, error) { return "1", nil }

func (f *fake) Start(_ context.Context, env dut.Env) (*dut.Instance, error) {
	f.asked = append(f.asked, env)
	if f.refuses != nil {
		return nil, f.refuses
	}
	return &dut.Instance{Program: &f.upf}, nil
}

type program struct {
	dut.Resident
	exited  chan struct{}
	stopped int
}

func (p *program) Exited() <-chan struct{} { return p.exited }
func (p *program) Status() string          { return "exit status 3" }
func (p *program) LogTail() string         { return "first\nout of memory\n" }
func (p *program) Stop() error             { p.stopped++; return nil }

// started is a bench on a fake site, with its DUT.
func started(t *testing.T) (*Bench, *fake) {
	t.Helper()
	f := &fake{upf: program{exited: make(chan struct{})}}
	b := New(Config{Scenario: scenariotest.Open(t, "quick", "sessions=7"), Target: dut.Target{Driver: f}, Room: 50,
		Placement: record.Placement{DUT: []int{3}}})
	b.site = &sitetest.Fake{}
	if err := b.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return b, f
}

// TestStart: the DUT has its CPUs and room for all sessions; the scenario stays as it is.
func TestStart(t *testing.T) {
	b, f := started(t)
	if env := f.asked[0]; env.Scenario.Sessions != 50 || !slices.Equal(env.CPUs, []int{3}) || env.Site != b.Site() {
		t.Errorf("%d sessions on CPUs %v", env.Scenario.Sessions, env.CPUs)
	}
	if b.Scenario.Sessions != 7 || !slices.Equal(b.Subject.CPUs, []int{3}) {
		t.Errorf("the scenario has %d sessions, the subject CPUs %v", b.Scenario.Sessions, b.Subject.CPUs)
	}
}

// TestDied: a DUT that ended by itself says how, with its last message.
func TestDied(t *testing.T) {
	b, f := started(t)
	if err := b.Alive(); err != nil {
		t.Errorf("it runs: %v", err)
	}
	close(f.upf.exited)
	if err := b.Alive(); err == nil || err.Error() != `the UPF has ended (exit status 3); its last message: "out of memory"` {
		t.Errorf("%v", err)
	}
	u := &Up{Bench: b, SMF: &SMF{bench: b}}
	var out record.DUT
	err := u.Explain("probing", errors.New("nothing arrived"), &out)
	if !strings.HasPrefix(err.Error(), "fake: probing: the UPF has ended") || out.LogTail == "" {
		t.Errorf("%v; log %q", err, out.LogTail)
	}
}

// TestStartAgain: a DUT that does not start again is still the one that can be asked how it ended.
func TestStartAgain(t *testing.T) {
	b, f := started(t)
	first := b.Instance()
	f.refuses = errors.New("no huge pages")
	if err := b.StartAgain(t.Context()); !errors.Is(err, f.refuses) || b.Instance() != first || f.upf.stopped != 1 {
		t.Errorf("%v; stopped %d times", err, f.upf.stopped)
	}
	f.refuses = nil
	if err := b.StartAgain(t.Context()); err != nil || b.Instance() == first {
		t.Errorf("%v", err)
	}
}

// TestReceiveCPUs: an XDP program runs where the kernel receives; a UPF on sockets is kept apart from that.
func TestReceiveCPUs(t *testing.T) {
	placed := record.Placement{Sink: 2, DUT: []int{1}}
	for story, c := range map[string]struct {
		endpoint  dut.Endpoint
		placement record.Placement
		remote    bool
		want      []int
	}{
		"an XDP program":          {dut.Endpoint{XDP: dut.NativeXDP}, placed, false, []int{1}},
		"AF_XDP that polls":       {dut.Endpoint{XDP: dut.NativeXDP, Polls: true}, placed, false, []int{2}},
		"sockets":                 {dut.Endpoint{}, placed, false, []int{2}},
		"sockets on the sink's":   {dut.Endpoint{}, record.Placement{Sink: 1, DUT: []int{1}}, false, nil},
		"a UPF that is elsewhere": {dut.Endpoint{XDP: dut.NativeXDP}, placed, true, nil},
	} {
		b := &Bench{Config: Config{Placement: c.placement}, Endpoint: c.endpoint, site: &sitetest.Fake{Remote: c.remote}}
		if got := b.ReceiveCPUs(c.placement.Receivers()...); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", story, got, c.want)
		}
	}
}

// TestCloseTwice: what is closed is not closed again but for the DUT, which may be stopped in any state.
func TestCloseTwice(t *testing.T) {
	b, _ := started(t)
	if err := errors.Join(b.Close(), b.Close()); err != nil || b.Site() != nil {
		t.Error(err)
	}
	if err := New(Config{Target: dut.Target{Driver: &fake{}}}).Close(); err != nil {
		t.Errorf("a bench that was never opened: %v", err)
	}
}
