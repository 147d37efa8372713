package client_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/fleet/client"
	"github.com/upflab/upflab/internal/fleet/fleettest"
	"github.com/upflab/upflab/internal/text/wait"
)

// TestFullByAnAgent: an agent that hands in without end, or writes reports of 900 KB, is
// refused while there is room for the operator's jobs.
func TestFullByAnAgent(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: `make test-all` runs it")
	}
	l := fleettest.New(t, 20*time.Second)
	l.Stop()
	l.MaxStore = 16 << 20
	l.Start()
	a, c := newAttacker(t, l), l.Operator()
	if _, err := client.Submit(t.Context(), c, fleettest.Plan(1)); err != nil {
		t.Fatal(err)
	}
	o := a.takes()
	for range 100 {
		r := fleet.Run{Job: o.Ticket.Job, Agent: "evil", Testbed: "evil", State: fleet.Started, Error: strings.Repeat("x", 600<<10)}
		if err := a.asks(fleet.MethodReport, fleet.ReportAsked{Ticket: o.Ticket, Report: a.signs(r)}, nil); err == nil {
			t.Fatal("a report of 900 KB was taken")
		}
	}
	octets, refused := make([]byte, fleet.ChunkSize), ""
	for n := range 2000 {
		err := a.asks(fleet.MethodChunk, fleet.ChunkAsked{Ticket: o.Ticket, Upload: "endless", Number: n}, octets)
		if err != nil {
			t.Logf("after %d parts of %d KB: %v", n, len(octets)>>10, err)
			refused = err.Error()
			break
		}
	}
	if !strings.Contains(refused, "of one agent") {
		t.Errorf("refused with %q", refused)
	}
	more := fleettest.Plan(50)
	more.Campaign = "more"
	for i := range more.Jobs {
		more.Jobs[i].Campaign, more.Jobs[i].Scenario = "more", "name: simulated\ndescription: "+strings.Repeat("x", 10_000)+"\n"
		more.Jobs[i].ID = "m" + more.Jobs[i].ID
	}
	if n, err := client.Submit(t.Context(), c, more); err != nil || n != 50 {
		t.Errorf("%d jobs were queued: %v", n, err)
	}
}

// TestFlood: while an agent asks as fast as it can, a campaign comes to its end.
func TestFlood(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: `make test-all` runs it")
	}
	l := fleettest.New(t, 20*time.Second)
	a, c, p, out := newAttacker(t, l), l.Operator(), fleettest.Plan(8), t.TempDir()
	stop, ended := make(chan struct{}), make(chan int)
	go func() {
		sent := 0
		defer func() { ended <- sent }()
		data, _ := fleet.Pack(fleet.LeaseAsked{Testbed: "evil"}, nil)
		for {
			select {
			case <-stop:
				return
			default:
			}
			if a.NATS.PublishRequest(fleet.AskSubject("evil", fleet.MethodLease), a.NATS.NewInbox(), data) != nil {
				time.Sleep(10 * time.Millisecond) // the pause after a refusal
			}
			sent++
		}
	}()
	l.Agent(l.Config(l.Pass("rack1", "rack1"), "rack1", 10*time.Millisecond))
	began := time.Now()
	l.Follow(c, p, out, time.Minute)
	close(stop)
	t.Logf("8 jobs in %s, next to %d questions", time.Since(began).Round(time.Millisecond), <-ended)
	fleettest.CheckResults(t, p, out)
}

// TestTooManyConnections: an agent has some, with some subscriptions.
func TestTooManyConnections(t *testing.T) {
	l := fleettest.New(t, 20*time.Second)
	a := newAttacker(t, l)
	closed := make(chan struct{}, 100)
	options, err := a.pass.Options()
	if err != nil {
		t.Fatal(err)
	}
	options = append(options, nats.NoReconnect(), nats.ClosedHandler(func(*nats.Conn) { closed <- struct{}{} }))
	for range 40 { // and the one that it has
		nc, err := nats.Connect(a.pass.URLs[0], options...)
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
	}
	for n := range 9 {
		select {
		case <-closed:
		case <-time.After(10 * time.Second):
			t.Fatalf("%d of 41 connections were closed, want 9", n)
		}
	}
	time.Sleep(1500 * time.Millisecond) // more would be closed by then
	if len(closed) > 0 || !a.NATS.IsConnected() {
		t.Errorf("%d more connections were closed; the first is %s", len(closed), a.NATS.Status())
	}
	for range 600 {
		if _, err := a.NATS.SubscribeSync(a.NATS.NewInbox()); err != nil {
			t.Fatal(err)
		}
	}
	if !wait.Until(10*time.Second, 50*time.Millisecond, func() bool { return a.NATS.Stats().Reconnects > 0 }) {
		t.Fatal("a connection with 600 subscriptions was kept")
	}
}

// archive packs files: names and texts in turn.
func archive(t *testing.T, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	out := tar.NewWriter(zip)
	for i := 0; i < len(files); i += 2 {
		h := &tar.Header{Name: files[i], Size: int64(len(files[i+1])), Mode: 0o644}
		if strings.Contains(h.Name, "\x00") {
			h.Format = tar.FormatGNU
		}
		if err := out.WriteHeader(h); err != nil {
			continue // such a name cannot be packed
		}
		_, _ = out.Write([]byte(files[i+1]))
	}
	_, _ = out.Close(), zip.Close()
	return b.Bytes()
}
