package agent

import (
	"context"
	"encoding/json"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/upflab/upflab/internal/fleet"
)

// TestBeginGivesUp: a job about which another agent writes without end is given back, so that this
// one can take others.
func TestBeginGivesUp(t *testing.T) {
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(s.Shutdown)
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server does not start")
	}
	url := "nats://" + s.Addr().(*net.TCPAddr).String()
	hub, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(hub.Close)
	var claimed, returned atomic.Int64
	if _, err := hub.Subscribe("upflab.hub.rack1.*", func(m *nats.Msg) { // as if others wrote between any two questions
		var answer any
		switch m.Subject[strings.LastIndexByte(m.Subject, '.')+1:] {
		case fleet.MethodHello:
			answer = fleet.Settings{Protocol: fleet.Protocol, Lease: time.Minute}
		case fleet.MethodClaim:
			answer = fleet.Claimed{}
			claimed.Add(1)
		case fleet.MethodRuns:
			answer = fleet.RunsKnown{Last: uint64(claimed.Load())}
		case fleet.MethodReturn:
			returned.Add(1)
		}
		value, _ := json.Marshal(answer)
		data, _ := json.Marshal(fleet.Answered{Value: value})
		_ = m.Respond(data)
	}); err != nil {
		t.Fatal(err)
	}
	_ = hub.Flush()
	c, err := fleet.Join(t.Context(), fleet.Access{Pass: agentPass(t), URL: url, Name: "rack1"}, "rack1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	said := ""
	a := &Agent{conn: c, config: Config{Testbed: fleet.Testbed{Name: "rack1", Agent: "rack1"}, Notice: func(text string) { said = text }}}
	job := fleet.Job{ID: "j1", Name: "builtin #1", Attempts: 3}
	task := &task{agent: a, job: job, ticket: fleet.Ticket{Job: "j1"}, run: a.reportOn(job)}
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	if begun, err := task.begin(ctx); begun || err != nil {
		t.Errorf("begun: %v, %v", begun, err)
	}
	if returned.Load() != 1 || claimed.Load() != claims || !strings.Contains(said, "goes back into the queue") {
		t.Errorf("claimed %d times, given back %d times: %q", claimed.Load(), returned.Load(), said)
	}
}

func agentPass(t *testing.T) *fleet.Pass {
	t.Helper()
	seeds, publics := make([]string, 2), make([]string, 2)
	for i := range seeds {
		pair, err := nkeys.CreateUser()
		if err != nil {
			t.Fatal(err)
		}
		seed, _ := pair.Seed()
		seeds[i] = string(seed)
		publics[i], _ = pair.PublicKey()
	}
	operator, err := (&fleet.Pass{Operator: true, Seed: seeds[0]}).Identity()
	if err != nil {
		t.Fatal(err)
	}
	grant, err := operator.SignGrant(fleet.Grant{Agent: "rack1", Key: publics[1], Testbeds: []string{"rack1"}})
	if err != nil {
		t.Fatal(err)
	}
	return &fleet.Pass{Name: "rack1", Seed: seeds[1], OperatorKey: publics[0], Grant: grant, Testbeds: []string{"rack1"}}
}
