package client_test

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/fleet/agent"
	"github.com/upflab/upflab/internal/fleet/client"
	"github.com/upflab/upflab/internal/fleet/fleettest"
	"github.com/upflab/upflab/internal/fleet/hub"
)

// TestForeignServer: at a NATS server that exists, with users of its own that are allowed what
// `upflab hub prepare` shows, a campaign comes to its end; and an agent's user can do no more.
func TestForeignServer(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	rights := fleet.RightsOf("rack1", []string{"rack1"}, nil)
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true,
		JetStream: true, StoreDir: t.TempDir(), MaxPayload: 1 << 20,
		Users: []*server.User{{Username: "admin", Password: "a"}, {Username: "rack1", Password: "r", Permissions: &server.Permissions{
			Publish: &server.SubjectPermission{Allow: rights.Publish}, Subscribe: &server.SubjectPermission{Allow: rights.Subscribe}}}}})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(s.Shutdown)
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server does not start")
	}
	port := s.Addr().(*net.TCPAddr).Port
	at := func(user string) string { return fmt.Sprintf("nats://%s@127.0.0.1:%d", user, port) }
	if err := hub.MakeForeign(dir, fmt.Sprintf("nats://127.0.0.1:%d", port)); err != nil {
		t.Fatal(err)
	}
	if _, err := hub.Start(t.Context(), hub.Config{Dir: dir, At: &fleet.Access{URL: at("admin:a")}}); err == nil ||
		!strings.Contains(err.Error(), "upflab hub prepare") {
		t.Fatalf("without preparation: %v", err)
	}
	prepare(t, at("admin:a"))
	h, err := hub.Start(t.Context(), hub.Config{Dir: dir, At: &fleet.Access{URL: at("admin:a")}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() { _ = h.Serve(ctx, func(s string) { t.Log("front:", s) }) })
	defer func() { stop(); done.Wait(); _ = h.Close() }()

	path := filepath.Join(t.TempDir(), "rack1.pass")
	if err := hub.Add(dir, "rack1", []string{"rack1"}, nil, path); err != nil { // the front takes note
		t.Fatal(err)
	}
	pass, err := fleet.ReadPass(path)
	if err != nil {
		t.Fatal(err)
	}
	operator, err := fleet.ReadPass(hub.OperatorPass(dir))
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() {
		served <- agent.Serve(ctx, agent.Config{Access: fleet.Access{Pass: &pass, URL: at("rack1:r"), Name: "rack1"},
			Dir: filepath.Join(t.TempDir(), "agent"),
			Testbed: fleet.Testbed{Name: "rack1", Agent: "rack1", Protocol: fleet.Protocol,
				Version: fleettest.Version, DUTs: []fleet.Installed{{Name: "builtin"}}},
			Runner: agent.Simulated{Version: fleettest.Version}, Notice: func(s string) { t.Log("agent:", s) }})
	}()
	c, err := fleet.Open(t.Context(), fleet.Access{Pass: &operator, URL: at("admin:a")})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	p, out := fleettest.Plan(4), t.TempDir()
	within, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := client.Submit(within, c, p); err != nil {
		t.Fatal(err)
	}
	d := &client.Campaign{Conn: c, Plan: p, Out: out, Notice: func(s string) { t.Log("client:", s) }}
	if _, err := d.Follow(within); err != nil {
		t.Fatal(err)
	}
	fleettest.CheckResults(t, p, out)

	refused := make(chan error, 10)
	evil, err := nats.Connect(at("rack1:r"), nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err }))
	if err != nil {
		t.Fatal(err)
	}
	defer evil.Close()
	for _, subject := range []string{"$JS.API.DIRECT.GET.KV_upflab_runs.x", "$KV.upflab_runs.rack1.j", "upflab.hub.rack2.lease"} {
		if err := evil.PublishRequest(subject, "upflab.job.c.j", nil); err != nil {
			t.Fatal(err)
		}
		select {
		case <-refused:
		case <-time.After(10 * time.Second):
			t.Errorf("%s was not refused", subject)
		}
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// prepare makes the streams, as `upflab hub prepare` does.
func prepare(t *testing.T, url string) {
	t.Helper()
	nc, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err == nil {
		err = fleet.Prepare(t.Context(), js, fleet.Settings{Lease: 20 * time.Second, Replicas: 1}, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
}
