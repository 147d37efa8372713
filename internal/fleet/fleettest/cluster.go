package fleettest

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/fleet/hub"
)

// memberVariable makes a test program a NATS server of a cluster: its name, folder, port,
// and the ports of all routes, its own first.
const memberVariable = "UPFLAB_TEST_NATS"

// BeMember runs a NATS server until it is killed, in a program that NewCluster started.
func BeMember() bool {
	f := strings.Fields(os.Getenv(memberVariable))
	if len(f) < 4 {
		return false
	}
	s, err := server.NewServer(memberOptions(f[0], f[1], f[2], f[3:]))
	if err != nil {
		fmt.Println("failed:", err)
		return true
	}
	go s.Start()
	_, _ = io.Copy(io.Discard, os.Stdin) // until the test has ended, whatever ended it
	return true
}

func memberOptions(name, dir, port string, routes []string) *server.Options {
	o := &server.Options{ServerName: name, Host: "127.0.0.1", Port: number(port), NoSigs: true, NoLog: true, MaxPayload: 1 << 20,
		JetStream: true, StoreDir: dir, Cluster: server.ClusterOpts{Name: "lab", Host: "127.0.0.1", Port: number(routes[0])}}
	for _, r := range routes[1:] {
		o.Routes = append(o.Routes, &url.URL{Scheme: "nats", Host: "127.0.0.1:" + r})
	}
	return o
}

func number(text string) (n int) {
	_, _ = fmt.Sscan(text, &n)
	return n
}

// Cluster is one of NATS servers without upflab's hub, each a process.
type Cluster struct {
	t       TB
	members []*member
}

type member struct {
	name, dir, port, route string
	process                *exec.Cmd // nil: it was killed
}

// NewCluster is a Lab whose hub is a cluster of three NATS servers that `upflab hub prepare`
// has prepared for agents: each message is on all three.
func NewCluster(t TB, lease time.Duration, agents ...string) (*Lab, *Cluster) {
	t.Helper()
	l, k := newLab(t, lease), &Cluster{t: t}
	ports := freePorts(t, 6)
	for i := range 3 {
		name := fmt.Sprintf("n%d", i+1)
		k.members = append(k.members, &member{name: name, dir: filepath.Join(t.TempDir(), name), port: ports[i], route: ports[3+i]})
	}
	for _, m := range k.members {
		k.start(m)
	}
	t.Cleanup(func() {
		for _, m := range k.members {
			k.end(m)
		}
	})
	k.prepare(lease, agents)
	if err := hub.MakeForeign(l.Dir, k.url()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		l.front(k.url())
	}
	return l, k
}

// front answers the agents of the cluster, as `upflab hub run --nats` does.
func (l *Lab) front(url string) {
	l.t.Helper()
	h, err := hub.Start(l.t.Context(), hub.Config{Dir: l.Dir, At: &fleet.Access{URL: url}})
	if err != nil {
		l.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() { _ = h.Serve(ctx, func(s string) { l.t.Log("front:", s) }) })
	l.t.Cleanup(func() { stop(); done.Wait(); _ = h.Close() })
}

// freePorts are some that nobody listened at a moment ago.
func freePorts(t TB, n int) (ports []string) {
	for range n {
		at, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer at.Close()
		_, port, _ := net.SplitHostPort(at.Addr().String())
		ports = append(ports, port)
	}
	return ports
}

func (k *Cluster) url() string {
	var urls []string
	for _, m := range k.members {
		urls = append(urls, "nats://127.0.0.1:"+m.port)
	}
	return strings.Join(urls, ",")
}

// start starts a member.
func (k *Cluster) start(m *member) {
	k.t.Helper()
	routes := m.route
	for _, o := range k.members {
		if o != m {
			routes += " " + o.route
		}
	}
	m.process, _ = child(k.t, fmt.Sprintf("%s=%s %s %s %s", memberVariable, m.name, m.dir, m.port, routes))
}

// end is SIGKILL.
func (k *Cluster) end(m *member) {
	if m.process != nil {
		killChild(m.process)
		m.process = nil
	}
}

// Kill kills the member of a name with SIGKILL; Restart starts it where it was.
func (k *Cluster) Kill(name string)    { k.end(k.member(name)) }
func (k *Cluster) Restart(name string) { k.start(k.member(name)) }

func (k *Cluster) member(name string) *member {
	for _, m := range k.members {
		if m.name == name {
			return m
		}
	}
	k.t.Fatalf("the cluster has no member %q", name)
	return nil
}

// Leader is the member that leads the queue of jobs, and Follower another one.
func (k *Cluster) Leader() string   { return k.roles()[0] }
func (k *Cluster) Follower() string { return k.roles()[1] }

// roles gives the leader of the queue first, when it has one and all members follow.
func (k *Cluster) roles() (names []string) {
	k.t.Helper()
	k.patiently("the queue has a leader and two followers", func(ctx context.Context, js jetstream.JetStream) error {
		s, err := js.Stream(ctx, fleet.JobStream)
		if err != nil {
			return err
		}
		c := s.CachedInfo().Cluster
		names = []string{c.Leader}
		for _, r := range c.Replicas {
			if !r.Current || r.Offline {
				return fmt.Errorf("%s is not up to date", r.Name)
			}
			names = append(names, r.Name)
		}
		if c.Leader == "" || len(names) < 3 {
			return fmt.Errorf("the leader is %q of %d", c.Leader, len(names))
		}
		return nil
	})
	return names
}

// prepare makes the streams, when the servers have found each other.
func (k *Cluster) prepare(lease time.Duration, agents []string) {
	k.t.Helper()
	k.patiently("three servers are prepared", func(ctx context.Context, js jetstream.JetStream) error {
		return fleet.Prepare(ctx, js, fleet.Settings{Lease: lease, Replicas: 3}, agents)
	})
}

// patiently does something until it succeeds.
func (k *Cluster) patiently(what string, do func(context.Context, jetstream.JetStream) error) {
	k.t.Helper()
	ctx, stop := context.WithTimeout(k.t.Context(), 20*time.Second)
	defer stop()
	for {
		err := k.once(ctx, do)
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			k.t.Fatalf("wait until %s: %v", what, err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// once is one try: what is asked before the servers have a leader is never answered.
func (k *Cluster) once(ctx context.Context, do func(context.Context, jetstream.JetStream) error) error {
	ctx, stop := context.WithTimeout(ctx, 5*time.Second)
	defer stop()
	nc, err := nats.Connect(k.url())
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	return do(ctx, js)
}
