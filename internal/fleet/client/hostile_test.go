package client_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/fleet/agent"
	"github.com/upflab/upflab/internal/fleet/client"
	"github.com/upflab/upflab/internal/fleet/fleettest"
	"github.com/upflab/upflab/internal/fleet/wire"
	"github.com/upflab/upflab/internal/text/wait"
)

// attacker is an agent with a pass of its own, "evil", that means no good.
type attacker struct {
	*fleet.Client
	t       *testing.T
	pass    *fleet.Pass
	refused chan string // by the server
}

func newAttacker(t *testing.T, l *fleettest.Lab) *attacker {
	t.Helper()
	a := &attacker{t: t, pass: l.Pass("evil", "evil"), refused: make(chan string, 1000)}
	a.joins("evil", "evil", nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
		select {
		case a.refused <- err.Error():
		default:
		}
	}))
	return a
}

// joins connects as an agent of a testbed, once the hub knows the pass: it reads its members twice a second.
func (a *attacker) joins(name, testbed string, options ...nats.Option) {
	a.t.Helper()
	var err error
	joined := func() bool {
		a.Client, err = fleet.Join(a.t.Context(), fleet.Access{Pass: a.pass, Name: name}, testbed, options...)
		return err == nil
	}
	if !wait.Until(20*time.Second, 100*time.Millisecond, joined) {
		a.t.Fatal(err)
	}
	a.t.Cleanup(a.Close)
}

// asks asks the hub's front.
func (a *attacker) asks(method string, question any, octets []byte) error {
	a.t.Helper()
	ctx, stop := context.WithTimeout(a.t.Context(), 10*time.Second)
	defer stop()
	_, err := fleet.QuestionWith[json.RawMessage](ctx, a.Client, method, question, octets)
	return err
}

// takes is given a job, as any agent is.
func (a *attacker) takes() fleet.Offer {
	a.t.Helper()
	testbed := fleet.Testbed{Name: "evil", Protocol: fleet.Protocol, Version: fleettest.Version, DUTs: []fleet.Installed{{Name: "builtin"}}}
	for range 20 {
		ctx, stop := context.WithTimeout(a.t.Context(), 10*time.Second)
		o, err := fleet.Question[fleet.Offer](ctx, a.Client, fleet.MethodNext, fleet.NextAsked{Testbed: testbed, Wait: 2 * time.Second})
		stop()
		if err != nil {
			a.t.Fatal(err)
		}
		if len(o.Job) > 0 {
			return o
		}
	}
	a.t.Fatal("no job came")
	return fleet.Offer{}
}

// signs is a report by the attacker.
func (a *attacker) signs(r fleet.Run) []byte {
	a.t.Helper()
	signed, err := r.Sign(a.Self)
	if err != nil {
		a.t.Fatal(err)
	}
	return signed
}

// hands hands files in as the result of a job that it was given.
func (a *attacker) hands(o fleet.Offer, packed []byte) fleet.Run {
	a.t.Helper()
	upload, sum := nuid.Next(), sha256.New()
	sum.Write(packed)
	if err := a.asks(fleet.MethodChunk, fleet.ChunkAsked{Ticket: o.Ticket, Upload: upload}, packed); err != nil {
		a.t.Fatal(err)
	}
	r := fleet.Run{Job: o.Ticket.Job, Agent: "evil", Testbed: "evil", State: fleet.Done, Object: o.Ticket.Job,
		Size: uint64(len(packed)), Digest: wire.Digest(sum)}
	if err := a.asks(fleet.MethodStored, fleet.StoredAsked{Ticket: o.Ticket, Upload: upload, Chunks: 1, Size: r.Size,
		Digest: r.Digest}, nil); err != nil {
		a.t.Fatal(err)
	}
	return r
}

// foreign are subjects of others: to publish there, or to have something published there, is
// to be them.
var foreign = []string{
	"upflab.job.c1.j1", "$KV.upflab_leases.rack1", "$KV.upflab_alive.rack1", "$KV.upflab_runs.rack1.j1",
	"$KV.upflab_runs.evil.j1", "$KV.upflab_classes.c1",
	"$KV.upflab_config.settings", "$KV.upflab_config.ticket", "$KV.upflab_testbeds.evil",
	"$O.upflab_results_rack1.M.x", "$O.upflab_results_evil.C.x", "$O.upflab_plans.M.x",
	"upflab.part.rack1.open", "upflab.answer.operator.rack1.x", "upflab.hub.rack1.report", "_INBOX_operator.x",
	"_INBOX_rack1.x", "$SYS.REQ.SERVER.PING",
	"$SYS.REQ.USER.INFO", "$JS.ACK.UPFLAB_JOBS.c1.1.1.1.1.1", "$JS.FC.UPFLAB_JOBS.x", "_R_.x", "_GR_.x",
}

// api are the subjects of JetStream's API, on streams of upflab.
func api() (list []string) {
	for _, s := range []string{"UPFLAB_JOBS", "KV_upflab_runs", "KV_upflab_leases", "OBJ_upflab_results_rack1",
		"OBJ_upflab_results_evil", "evil"} {
		for _, f := range []string{
			"STREAM.CREATE.%s", "STREAM.UPDATE.%s", "STREAM.INFO.%s", "STREAM.DELETE.%s", "STREAM.PURGE.%s",
			"STREAM.SNAPSHOT.%s", "STREAM.RESTORE.%s",
			"STREAM.MSG.GET.%s", "STREAM.MSG.DELETE.%s", "STREAM.LEADER.STEPDOWN.%s", "STREAM.PEER.REMOVE.%s",
			"CONSUMER.CREATE.%s", "CONSUMER.CREATE.%s.x",
			"CONSUMER.CREATE.%s.x.y", "CONSUMER.DURABLE.CREATE.%s.x", "CONSUMER.INFO.%s.x", "CONSUMER.DELETE.%s.x",
			"CONSUMER.LIST.%s", "CONSUMER.NAMES.%s",
			"CONSUMER.PAUSE.%s.x", "CONSUMER.RESET.%s.x", "CONSUMER.UNPIN.%s.x", "CONSUMER.MSG.NEXT.%s.x", "DIRECT.GET.%s", "DIRECT.GET.%s.x",
		} {
			list = append(list, "$JS.API."+fmt.Sprintf(f, s))
		}
	}
	return append(list, "$JS.API.INFO", "$JS.API.STREAM.LIST", "$JS.API.STREAM.NAMES", "$JS.API.META.LEADER.STEPDOWN",
		"$JS.API.SERVER.REMOVE", "$JS.API.ACCOUNT.PURGE.$G")
}

// TestHostileAgentIsConfined: what is another's an agent cannot publish to or listen to, and
// nothing of JetStream, whatever the reply subject is.
func TestHostileAgentIsConfined(t *testing.T) {
	l := fleettest.New(t, 20*time.Second)
	a := newAttacker(t, l)
	push := []byte(`{"stream_name":"KV_upflab_runs","config":{"deliver_subject":"upflab.job.c1.j1","ack_policy":"none"}}`)
	for _, subject := range slices.Concat(foreign, api()) {
		for _, reply := range []string{"", "upflab.job.c1.j1", a.NATS.NewInbox()} {
			if err := a.NATS.PublishMsg(&nats.Msg{Subject: subject, Reply: reply, Data: push}); err != nil {
				t.Fatal(err)
			}
			a.expectRefusal(subject)
		}
	}
	for _, subject := range []string{">", "*", "_INBOX_operator.>", "_INBOX_*.>", "_INBOX_rack1.>", "upflab.>",
		"upflab.hub.>", "upflab.part.>", "upflab.part.rack1.*",
		"upflab.answer.>", "$KV.upflab_runs.>", "$JS.>", "$SYS.>", "_R_.>"} {
		if _, err := a.NATS.SubscribeSync(subject); err != nil {
			t.Fatal(err)
		}
		a.expectRefusal(subject)
		if _, err := a.NATS.QueueSubscribeSync(subject, "front"); err != nil {
			t.Fatal(err)
		}
		a.expectRefusal(subject)
	}
}

func (a *attacker) expectRefusal(subject string) {
	a.t.Helper()
	select {
	case text := <-a.refused:
		if !strings.Contains(strings.ToLower(text), "permissions violation") {
			a.t.Errorf("%s: %s", subject, text)
		}
	case <-time.After(10 * time.Second):
		a.t.Errorf("%s was not refused", subject)
	}
}

// TestForeignReplies: whatever an agent asks the hub for, and whatever it had stored, nothing
// is published to a subject of its choice: not the answer, not an error, not a trace.
func TestForeignReplies(t *testing.T) {
	l := fleettest.New(t, 20*time.Second)
	a, c := newAttacker(t, l), l.Operator()
	if _, err := client.Submit(t.Context(), c, fleettest.Plan(4)); err != nil {
		t.Fatal(err)
	}
	job := a.takes()
	targets := append([]string{"upflab.job.c2.j2", "$JS.API.STREAM.DELETE.UPFLAB_JOBS", "$JS.API.STREAM.PURGE.UPFLAB_JOBS"}, foreign...)
	watched := map[string]bool{}
	for _, s := range targets {
		watched[s] = true
	}
	var mu sync.Mutex
	var seen []string
	if _, err := c.NATS.Subscribe(">", func(m *nats.Msg) {
		mu.Lock()
		defer mu.Unlock()
		if watched[m.Subject] {
			seen = append(seen, m.Subject)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if err := c.NATS.Flush(); err != nil {
		t.Fatal(err)
	}
	run := fleet.Run{Job: job.Ticket.Job, Agent: "evil", Testbed: "evil", State: fleet.Started, Error: "payload"}
	questions := map[string]any{
		fleet.MethodHello: fleet.Hello{Protocol: fleet.Protocol, Testbed: "evil"}, fleet.MethodTestbed: fleet.Testbed{Name: "evil"},
		fleet.MethodAlive: fleet.AliveAsked{Testbed: "evil"}, fleet.MethodLease: fleet.LeaseAsked{Testbed: "evil"},
		fleet.MethodNext: fleet.NextAsked{Testbed: fleet.Testbed{Name: "evil"}},
		fleet.MethodRuns: fleet.ReportAsked{Ticket: job.Ticket}, fleet.MethodClaim: fleet.ReportAsked{Ticket: job.Ticket, Report: a.signs(run)},
		fleet.MethodReport: fleet.ReportAsked{Ticket: job.Ticket, Report: a.signs(run)}, fleet.MethodBusy: job.Ticket,
		fleet.MethodChunk:  fleet.ChunkAsked{Ticket: job.Ticket, Upload: "x"},
		fleet.MethodStored: fleet.StoredAsked{Ticket: job.Ticket, Upload: "x"}, "other": nil,
	}
	for method, q := range questions {
		data, err := fleet.Pack(q, []byte("octets"))
		if err != nil {
			t.Fatal(err)
		}
		for _, target := range targets {
			m := &nats.Msg{Subject: fleet.AskSubject("evil", method), Reply: target, Data: data, Header: nats.Header{}}
			m.Header.Set("Nats-Trace-Dest", target)
			if err := a.NATS.PublishMsg(m); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Millisecond) // so that none is dropped as too many
		}
	}
	if err := a.asks(fleet.MethodLease, fleet.LeaseAsked{Testbed: "evil"}, nil); err != nil { // and after these it is served
		t.Fatal(err)
	}
	time.Sleep(500 * time.Millisecond) // what the hub published would have come by then
	mu.Lock()
	defer mu.Unlock()
	legal := map[string]bool{"$KV.upflab_testbeds.evil": true, "$O.upflab_results_evil.C.x": true} // as it may by asking
	for _, s := range seen {
		if !legal[s] {
			t.Errorf("something was published to %s", s)
		}
	}
}

// TestGuessedTickets: what is another's job an agent cannot take off the queue, give back, keep,
// report on, read about or hand in for, whatever it guesses.
func TestGuessedTickets(t *testing.T) {
	l := fleettest.New(t, 20*time.Second)
	a, c, p := newAttacker(t, l), l.Operator(), fleettest.Plan(1)
	runner := newSlow()
	config := l.Config(l.Pass("rack1", "rack1"), "rack1", 0)
	config.Runner = runner
	l.Agent(config)
	if _, err := client.Submit(t.Context(), c, p); err != nil {
		t.Fatal(err)
	}
	<-runner.begun
	job, class := p.Jobs[0].ID, p.Jobs[0].Class.ID()
	var tickets []fleet.Ticket
	for _, mac := range [][]byte{nil, make([]byte, 32), []byte(strings.Repeat("x", 32))} {
		for n := range 5 {
			tickets = append(tickets,
				fleet.Ticket{Job: job,
					Reply: fmt.Sprintf("$JS.ACK.UPFLAB_JOBS.%s.1.1.%d.%d.0", class, n, time.Now().UnixNano()), MAC: mac},
				fleet.Ticket{Job: job, Reply: "$JS.API.STREAM.DELETE.UPFLAB_JOBS", MAC: mac})
		}
	}
	for _, ticket := range tickets {
		final := a.signs(fleet.Run{Job: job, Agent: "evil", Testbed: "evil", State: fleet.Failed})
		for method, q := range map[string]any{
			fleet.MethodBusy: ticket, fleet.MethodReturn: fleet.Returned{Ticket: ticket},
			fleet.MethodReport: fleet.ReportAsked{Ticket: ticket, Report: final},
			fleet.MethodClaim:  fleet.ReportAsked{Ticket: ticket, Report: final}, fleet.MethodRuns: fleet.ReportAsked{Ticket: ticket},
			fleet.MethodChunk: fleet.ChunkAsked{Ticket: ticket, Upload: "x"}, fleet.MethodStored: fleet.StoredAsked{Ticket: ticket, Upload: "x"},
		} {
			var denied fleet.DeniedError
			if err := a.asks(method, q, nil); !errors.As(err, &denied) {
				t.Errorf("%s with %q: %v", method, ticket.Reply, err)
			}
		}
	}
	if n, err := client.Requeue(t.Context(), c, p, map[string]bool{}); err != nil || n != 0 {
		t.Errorf("%d jobs were missing in the queue: %v", n, err)
	}
}

// TestForgedReports: an agent reports in its own name, on its own testbed and signs for that. It
// cannot lie about another's testbed.
func TestForgedReports(t *testing.T) {
	l := fleettest.New(t, 20*time.Second)
	a, c := newAttacker(t, l), l.Operator()
	l.Pass("rack1", "rack1")
	if _, err := client.Submit(t.Context(), c, fleettest.Plan(2)); err != nil {
		t.Fatal(err)
	}
	job := a.takes()
	good := fleet.Run{Job: job.Ticket.Job, Agent: "evil", Testbed: "evil", State: fleet.Started}
	forge := func(change func(*fleet.Run)) []byte { r := good; change(&r); return a.signs(r) }
	signed := a.signs(good)
	for story, report := range map[string][]byte{
		"of another agent":     forge(func(r *fleet.Run) { r.Agent = "rack1" }),
		"on another's testbed": forge(func(r *fleet.Run) { r.Testbed = "rack1" }),
		"on another job":       forge(func(r *fleet.Run) { r.Job = "j9999999" }),
		"of -1 attempts":       forge(func(r *fleet.Run) { r.Attempts = -1 }),
		"of 1e9 attempts":      forge(func(r *fleet.Run) { r.Attempts = 1e9 }),
		"of no state":          forge(func(r *fleet.Run) { r.State = "fine" }),
		"without a signature":  signed[slices.Index(signed, '\n'):],
		"changed":              append(slices.Clone(signed), ' '),
		"of 900 KB":            forge(func(r *fleet.Run) { r.Error = strings.Repeat("x", 600<<10) }),
		"empty":                nil,
	} {
		for _, method := range []string{fleet.MethodReport, fleet.MethodClaim} {
			var denied fleet.DeniedError
			if err := a.asks(method, fleet.ReportAsked{Ticket: job.Ticket, Report: report}, nil); !errors.As(err, &denied) {
				t.Errorf("a report %s: %v", story, err)
			}
		}
	}
	for method, q := range map[string]any{
		fleet.MethodHello: fleet.Hello{Protocol: fleet.Protocol, Testbed: "rack1"}, fleet.MethodTestbed: fleet.Testbed{Name: "rack1"},
		fleet.MethodAlive: fleet.AliveAsked{Testbed: "rack1"},
		fleet.MethodLease: fleet.LeaseAsked{Testbed: "rack1", Lease: fleet.Lease{Agent: "rack1"}},
		fleet.MethodNext:  fleet.NextAsked{Testbed: fleet.Testbed{Name: "rack1"}},
	} {
		var denied fleet.DeniedError
		if err := a.asks(method, q, nil); !errors.As(err, &denied) {
			t.Errorf("%s for rack1: %v", method, err)
		}
	}
	if err := a.asks(fleet.MethodLease, fleet.LeaseAsked{Testbed: "evil", Lease: fleet.Lease{Agent: "rack1"}}, nil); err != nil {
		t.Fatal(err)
	}
	if e, err := c.Leases.Get(t.Context(), "evil"); err != nil || !strings.Contains(string(e.Value()), `"agent":"evil"`) {
		t.Errorf("the lease that it has: %s %v", e.Value(), err)
	}
}

// queueJob puts a message into the queue, as somebody who broke into the hub could.
func queueJob(t *testing.T, c *fleet.Conn, j fleet.Job, data []byte) {
	t.Helper()
	if _, err := c.JS.Publish(t.Context(), fleet.JobSubject(j.Class.ID(), j.ID), data); err != nil {
		t.Fatal(err)
	}
}

// TestGuessedLease: of two agents that may serve one testbed, one cannot take the other's lease by
// its revision, which is a small number.
func TestGuessedLease(t *testing.T) {
	l := fleettest.New(t, 20*time.Second)
	join := func(name string) *attacker {
		a := &attacker{t: t, pass: l.Pass(name, "shared")}
		a.joins(name, "shared")
		return a
	}
	lease := func(a *attacker, revision uint64) fleet.LeaseGiven {
		g, err := fleet.Question[fleet.LeaseGiven](t.Context(), a.Client, fleet.MethodLease,
			fleet.LeaseAsked{Testbed: "shared", Revision: revision})
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	rack, evil := join("rack"), join("evil")
	held := lease(rack, 0)
	for revision := range held.Revision + 3 {
		if g := lease(evil, revision); g.Taken == nil || g.Taken.Agent != "rack" {
			t.Errorf("revision %d: %+v", revision, g)
		}
	}
	if g := lease(rack, held.Revision); g.Taken != nil || g.Revision <= held.Revision {
		t.Errorf("its holder renews it: %+v", g)
	}
}

// TestForgedJobs: of what is in the queue only what the operator signed is run, and refused
// before an agent has it.
func TestForgedJobs(t *testing.T) {
	l := fleettest.New(t, 20*time.Second)
	a, c, p := newAttacker(t, l), l.Operator(), fleettest.Plan(2)
	ran := make(chan fleet.Job, 100)
	config := l.Config(l.Pass("victim", "victim"), "victim", 0)
	config.Runner = agent.Simulated{Version: fleettest.Version, Begun: func(j fleet.Job) { ran <- j }}
	l.Agent(config)
	l.Follow(c, &fleet.Plan{Campaign: "test", Version: fleettest.Version, Jobs: p.Jobs[:1]}, t.TempDir(), time.Minute)
	<-ran
	forged := p.Jobs[0]
	forged.Scenario = "name: attack\n"
	forged.ID = "junsigned"
	unsigned, _ := json.Marshal(forged)
	queueJob(t, c, forged, unsigned)
	queueJob(t, c, fleet.Job{ID: "jempty", Class: forged.Class}, nil)
	forged.ID = "jevil"
	byEvil, err := forged.Sign(a.Self)
	if err != nil {
		t.Fatal(err)
	}
	queueJob(t, c, forged, byEvil)
	good, err := p.Jobs[1].Sign(c.Self)
	if err != nil {
		t.Fatal(err)
	}
	forged.ID = "jchanged"
	queueJob(t, c, forged, []byte(strings.Replace(string(good), "simulated", "attack", 1)))
	queueJob(t, c, p.Jobs[1], good)
	for j := range ran {
		if strings.Contains(j.Scenario, "attack") {
			t.Fatalf("%s was run", j.ID)
		}
		if j.ID == p.Jobs[1].ID {
			break
		}
	}
}

// TestReplayedJob: a signed job that a testbed has handed in is not run there again, also when
// somebody who broke into the hub queues it again and removes what was reported of it; it is when
// the operator signs it again.
func TestReplayedJob(t *testing.T) {
	l := fleettest.New(t, 20*time.Second)
	c, p := l.Operator(), fleettest.Plan(1)
	said := make(chan string, 1000)
	config := l.Config(l.Pass("victim", "victim"), "victim", 0)
	config.Notice = func(text string) { said <- text }
	signed, err := p.Jobs[0].Sign(c.Self)
	if err != nil {
		t.Fatal(err)
	}
	if err := fleet.MakeConsumer(t.Context(), c, p.Jobs[0].Class.ID()); err != nil {
		t.Fatal(err)
	}
	queueJob(t, c, p.Jobs[0], signed)
	l.Agent(config)
	l.Follow(c, p, t.TempDir(), time.Minute)
	forget := func() {
		t.Helper()
		runs, err := c.JS.Stream(t.Context(), "KV_upflab_runs")
		if err == nil {
			err = runs.Purge(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	forget()
	queueJob(t, c, p.Jobs[0], signed)
	for text := range said {
		if strings.Contains(text, "measured here before") {
			break
		}
	}
	if n := l.Begun()[p.Jobs[0].ID]; n != 1 {
		t.Errorf("it was begun %d times", n)
	}
	jobs, err := c.JS.Stream(t.Context(), fleet.JobStream)
	if err == nil {
		err = jobs.Purge(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(3 * time.Second) // the agent gives back what it has
	forget()
	l.Follow(c, p, t.TempDir(), time.Minute)
	if n := l.Begun()[p.Jobs[0].ID]; n != 2 {
		t.Errorf("it was begun %d times", n)
	}
}

// TestPolicyRefuses: what the owner of a testbed does not allow is not run there, whatever the
// job's class says, and the failure names the rule that would allow it.
func TestPolicyRefuses(t *testing.T) {
	l := fleettest.New(t, 20*time.Second)
	config := l.Config(l.Pass("rack1", "rack1"), "rack1", 0)
	l.Agent(config)
	c, p := l.Operator(), fleettest.Plan(2)
	p.Jobs[0].Scenario = "name: simulated\ncontainer: {image: evil.example/x, program: /bin/sh}\n"
	p.Jobs[0].DUTs = []string{"container:eupf"}
	runs := l.Follow(c, p, t.TempDir(), time.Minute)
	r := runs[p.Jobs[0].ID]
	if r.State != fleet.Failed || !strings.Contains(r.Error, "upflab agent --allow image=evil.example/x") {
		t.Errorf("%+v", r)
	}
	if n := l.Begun()[p.Jobs[0].ID]; n != 0 {
		t.Errorf("it was run %d times", n)
	}
	if r := runs[p.Jobs[1].ID]; r.State != fleet.Done {
		t.Errorf("%+v", r)
	}
}

// TestGarbageIsRefused: whatever an agent hands in for a job that it was given, the collecting
// goes on, the job is measured by another, and the store has that one's result only.
func TestGarbageIsRefused(t *testing.T) {
	l := fleettest.New(t, 20*time.Second)
	packed := map[string][]byte{
		"no archive":             []byte("garbage"),
		"outside the folder":     archive(t, "../../escaped", "x"),
		"an absolute name":       archive(t, "/tmp/escaped", "x"),
		"no result":              archive(t, "result/other", "x"),
		"half a result":          archive(t, "result/result.json", "{"),
		"another's settings":     archive(t, "result/result.json", `{"schema":"upflab.result/v1","settings":"name: other\n"}`),
		"a file for a folder":    archive(t, "result", "x"),
		"a name of 300":          archive(t, "result/"+strings.Repeat("n", 300), "x"),
		"a path of 5000":         archive(t, strings.Repeat("n/", 2500)+"x", "x"),
		"a folder for the log":   archive(t, "log.txt/x", "x"),
		"a folder for the job":   archive(t, "result/job.json/x", "x"),
		"twice the same":         archive(t, "result/x", "x", "result/x", "y"),
		"a file and then folder": archive(t, "result/x", "x", "result/x/y", "y"),
		"a name with a NUL":      archive(t, "result/a\x00b", "x"),
		"a folder of dots":       archive(t, "result/./..", "x"),
	}
	c, p, out := l.Operator(), fleettest.Plan(len(packed)+3), t.TempDir()
	evil := newAttacker(t, l)
	if _, err := client.Submit(t.Context(), c, p); err != nil {
		t.Fatal(err)
	}
	for story, b := range packed {
		o := evil.takes()
		if err := evil.asks(fleet.MethodReport, fleet.ReportAsked{Ticket: o.Ticket, Report: evil.signs(evil.hands(o, b))}, nil); err != nil {
			t.Fatalf("%s: %v", story, err)
		}
	}
	o := evil.takes() // files that are not those which it signed
	r := evil.hands(o, []byte("x"))
	r.Digest = "SHA-256=other"
	nothing := fleet.Run{Agent: "evil", Testbed: "evil", State: fleet.Done}
	if err := evil.asks(fleet.MethodReport, fleet.ReportAsked{Ticket: o.Ticket, Report: evil.signs(r)}, nil); err != nil {
		t.Fatal(err)
	}
	o = evil.takes() // no files
	nothing.Job, nothing.Object = o.Ticket.Job, o.Ticket.Job
	if err := evil.asks(fleet.MethodReport, fleet.ReportAsked{Ticket: o.Ticket, Report: evil.signs(nothing)}, nil); err != nil {
		t.Fatal(err)
	}
	for key, data := range map[string][]byte{ // of somebody who broke into the hub
		"evil." + p.Jobs[len(packed)+2].ID: []byte("\x00\x1b[2Jgarbage"),
		"rack1." + p.Jobs[len(packed)+2].ID: evil.signs(fleet.Run{Job: p.Jobs[len(packed)+2].ID, Agent: "rack1",
			Testbed: "rack1", State: fleet.Done}),
	} {
		if _, err := c.Runs.Put(t.Context(), key, data); err != nil {
			t.Fatal(err)
		}
	}
	l.Agent(l.Config(l.Pass("rack1", "rack1"), "rack1", 0))
	for id, r := range l.Follow(c, p, out, time.Minute) {
		if r.Agent != "rack1" {
			t.Errorf("%s is of agent %s", id, r.Agent)
		}
	}
	fleettest.CheckResults(t, p, out)
}
