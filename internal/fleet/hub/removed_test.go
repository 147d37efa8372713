package hub

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/text/wait"
)

// servedHub is a hub that serves, and what it said.
type servedHub struct {
	*Hub
	t   *testing.T
	dir string

	mu   sync.Mutex
	said []string
}

func serveHub(t *testing.T) *servedHub {
	t.Helper()
	s := &servedHub{t: t, dir: t.TempDir()}
	var err error
	if s.Hub, err = Start(t.Context(), Config{Dir: s.dir, Listen: "127.0.0.1:0", Lease: time.Minute}); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		_ = s.Serve(ctx, func(text string) { s.mu.Lock(); defer s.mu.Unlock(); s.said = append(s.said, text) })
	})
	t.Cleanup(func() { stop(); done.Wait(); _ = s.Close() })
	return s
}

// lines are those that have a text.
func (s *servedHub) lines(text string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, line := range s.said {
		if strings.Contains(line, text) {
			n++
		}
	}
	return n
}

// joins makes a pass and connects with it.
func (s *servedHub) joins(name string) *fleet.Client {
	s.t.Helper()
	path := filepath.Join(s.t.TempDir(), name+".pass")
	if err := Add(s.dir, name, []string{name}, nil, path); err != nil {
		s.t.Fatal(err)
	}
	p, err := fleet.ReadPass(path)
	if err != nil {
		s.t.Fatal(err)
	}
	var c *fleet.Client
	joined := func() bool {
		c, err = fleet.Join(s.t.Context(), fleet.Access{Pass: &p, Name: name}, name)
		return err == nil
	}
	if !wait.Until(20*time.Second, 100*time.Millisecond, joined) { // it reads its members twice a second
		s.t.Fatal(err)
	}
	s.t.Cleanup(c.Close)
	return c
}

// TestRemovedAgent: a hub listens to nothing of an agent that was removed.
func TestRemovedAgent(t *testing.T) {
	s := serveHub(t)
	next := func(name string) {
		t.Helper()
		asked := fleet.NextAsked{Testbed: fleet.Testbed{Name: name}, Wait: time.Millisecond}
		if _, err := fleet.Question[fleet.Offer](t.Context(), s.joins(name), fleet.MethodNext, asked); err != nil {
			t.Fatal(err)
		}
	}
	next("rack0") // the hub has its own subscriptions when it has answered another agent
	before := s.conn.NATS.NumSubscriptions()
	next("rack1")
	if n := s.conn.NATS.NumSubscriptions(); n <= before {
		t.Fatalf("%d subscriptions, and %d before the agent", n, before)
	}
	if err := Remove(s.dir, "rack1"); err != nil {
		t.Fatal(err)
	}
	if !wait.Until(20*time.Second, 50*time.Millisecond, func() bool { return s.conn.NATS.NumSubscriptions() == before }) {
		t.Fatalf("%d subscriptions are left, %d were there before the agent", s.conn.NATS.NumSubscriptions(), before)
	}
}

// TestForeignRepliesFillNoLog: however often an agent wants answers to go to others' subjects, the hub
// says so a few times.
func TestForeignRepliesFillNoLog(t *testing.T) {
	s := serveHub(t)
	c := s.joins("evil")
	data, err := fleet.Pack(fleet.LeaseAsked{Testbed: "evil"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	const floods = 2000
	for range floods {
		m := &nats.Msg{Subject: fleet.AskSubject("evil", fleet.MethodLease), Reply: "upflab.job.c1.j1", Data: data}
		if err := c.NATS.PublishMsg(m); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond) // so that the hub's queue for the agent does not drop them
	}
	if err := c.NATS.Flush(); err != nil {
		t.Fatal(err)
	}
	const line = "wanted an answer to go to another's subject"
	wait.Until(10*time.Second, 50*time.Millisecond, func() bool { return s.lines(line) > 0 })
	if n := s.lines(line); n == 0 || n > 60 {
		t.Errorf("%d lines of %d questions", n, floods)
	}
}

// TestOtherProtocol: an agent of another revision is told both.
func TestOtherProtocol(t *testing.T) {
	c := serveHub(t).joins("rack1")
	_, err := fleet.Question[fleet.Settings](t.Context(), c, fleet.MethodHello, fleet.Hello{Protocol: 91, Testbed: "rack1"})
	var denied fleet.DeniedError
	if want := (fleet.ProtocolError{Hub: fleet.Protocol, Other: 91}).Error(); !errors.As(err, &denied) ||
		err.Error() != want || !strings.Contains(want, "91") {
		t.Errorf("it says %v, want %s", err, want)
	}
}
