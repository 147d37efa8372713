package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/upflab/upflab/internal/traffic/hosts"
)

// crew is an operator with agents, and a NATS server without rights: whoever broke into a hub
// can publish anything there.
type crew struct {
	t        *testing.T
	url      string
	operator *Pass
}

func newCrew(t *testing.T) *crew {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(s.Shutdown)
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server does not start")
	}
	seed, _ := newKey(t)
	return &crew{t, "nats://" + s.Addr().(*net.TCPAddr).String(), &Pass{Name: OperatorName, Operator: true, Seed: seed}}
}

func newKey(t *testing.T) (seed, public string) {
	t.Helper()
	pair, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	b, _ := pair.Seed()
	public, _ = pair.PublicKey()
	return string(b), public
}

// pass is an agent's, signed by an operator.
func (c *crew) pass(name string, with ...string) *Pass {
	c.t.Helper()
	operator, err := c.operator.Identity()
	if err != nil {
		c.t.Fatal(err)
	}
	p := &Pass{Name: name, Testbeds: []string{name}}
	var key string
	p.Seed, key = newKey(c.t)
	p.OperatorKey, _ = operator.OperatorPublic()
	if p.Grant, err = operator.SignGrant(Grant{Agent: name, Key: key, Testbeds: []string{name}, With: with}); err != nil {
		c.t.Fatal(err)
	}
	return p
}

// client is an agent's connection.
func (c *crew) client(p *Pass) *Client {
	c.t.Helper()
	a := Access{Pass: p, URL: c.url, Name: p.Name}
	self, err := a.identity()
	if err != nil {
		c.t.Fatal(err)
	}
	nc, err := a.Connect()
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(nc.Close)
	return &Client{line: line{nc}, Name: p.Name, Self: self}
}

// lent is a testbed that counts by whom it was asked, and refuses.
type lent struct {
	mu      sync.Mutex
	leaders []string
	notices []string
}

func (l *lent) count() int { l.mu.Lock(); defer l.mu.Unlock(); return len(l.leaders) }

func (c *crew) lend(p *Pass) *lent {
	c.t.Helper()
	l := &lent{}
	c.serves(p, l)
	return l
}

// serves has an agent lend its testbed, and counts that.
func (c *crew) serves(p *Pass, l *lent) *Client {
	c.t.Helper()
	part := &hosts.Follower{Admit: func(leader, _ string) (func(), error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.leaders = append(l.leaders, leader)
		return nil, errors.New("it is in use")
	}}
	client := c.client(p)
	err := client.ServeParts(p.Name, part, func(text string) { l.mu.Lock(); defer l.mu.Unlock(); l.notices = append(l.notices, text) })
	if err == nil {
		err = client.NATS.Flush()
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return client
}

// opens asks a testbed to take part, as a leader does.
func (c *crew) opens(p *Pass, testbed string) error {
	parts, err := OpenParts(Access{Pass: p, URL: c.url, Name: p.Name})
	if err != nil {
		c.t.Fatal(err)
	}
	defer parts.Close()
	ctx, stop := context.WithTimeout(c.t.Context(), 2*time.Second)
	defer stop()
	_, err = hosts.Open(ctx, parts, p.Name, []hosts.Member{{Testbed: testbed, Device: "lo"}}, hosts.Member{Testbed: testbed, Device: "lo"})
	return err
}

// TestPartsAreSigned: a testbed takes part for a leader whom the operator let lead it, and for
// nobody else; the refusal says what is missing.
func TestPartsAreSigned(t *testing.T) {
	c := newCrew(t)
	l := c.lend(c.pass("rack1"))
	strangers := &crew{t, c.url, &Pass{Name: OperatorName, Operator: true}}
	strangers.operator.Seed, _ = newKey(t)
	stranger := strangers.pass("rack3", "rack1")
	stranger.OperatorKey = c.pass("x").OperatorKey
	for name, p := range map[string]*Pass{"without the right": c.pass("evil"), "of another operator": stranger} {
		if err := c.opens(p, "rack1"); err == nil || strings.Contains(err.Error(), "in use") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := c.opens(c.pass("evil"), "rack1"); err == nil || !strings.Contains(err.Error(), "upflab hub add evil --with rack1") {
		t.Errorf("the refusal: %v", err)
	}
	if n := l.count(); n > 0 {
		t.Fatalf("it was lent %d times", n)
	}
	for name, p := range map[string]*Pass{"a leader": c.pass("rack2", "rack1"), "the operator": c.operator} {
		if err := c.opens(p, "rack1"); err == nil || !strings.Contains(err.Error(), "in use") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPartsAreNotReplayed: what a leader asked is not done again when it is sent again, to that
// testbed or to another, under another method, changed, late, or with a reply subject that is
// another's.
func TestPartsAreNotReplayed(t *testing.T) {
	c := newCrew(t)
	leader := c.pass("rack2", "rack1", "rack3")
	one, three := c.lend(c.pass("rack1")), c.lend(c.pass("rack3"))
	spy := c.client(c.pass("spy"))
	questions, err := spy.NATS.SubscribeSync("upflab.part.>")
	if err != nil {
		t.Fatal(err)
	}
	_ = spy.NATS.Flush()
	_ = c.opens(leader, "rack1")
	if _, err := questions.NextMsg(5 * time.Second); err != nil { // this one's answer is the agent's number
		t.Fatal(err)
	}
	m, err := questions.NextMsg(5 * time.Second)
	if err != nil || one.count() != 1 {
		t.Fatalf("lent %d times: %v", one.count(), err)
	}
	everything, err := spy.NATS.SubscribeSync(">")
	if err != nil {
		t.Fatal(err)
	}
	self, _ := leader.Identity()
	sign := func(change func(*partAsked)) []byte {
		body, by, err := self.verify(kindPart, m.Data)
		var asked partAsked
		question, err2 := Unpack(body, &asked)
		if err != nil || err2 != nil || by.Name() != "rack2" {
			t.Fatal(err, err2)
		}
		asked.ID += "x"
		change(&asked)
		body, _ = Pack(asked, question)
		signed, err := self.sign(kindPart, body)
		if err != nil {
			t.Fatal(err)
		}
		return signed
	}
	fresh := func(a *partAsked) {}
	for story, again := range map[string]*nats.Msg{
		"again":                  {Subject: m.Subject, Reply: m.Reply, Data: m.Data},
		"to another testbed":     {Subject: PartSubject("rack3", "open"), Reply: m.Reply, Data: m.Data},
		"as another method":      {Subject: PartSubject("rack1", "load"), Reply: m.Reply, Data: sign(fresh)},
		"changed":                {Subject: m.Subject, Reply: m.Reply, Data: append(slices.Clone(m.Data), ' ')},
		"late":                   {Subject: m.Subject, Reply: m.Reply, Data: sign(func(a *partAsked) { a.At = a.At.Add(-time.Hour) })},
		"ahead":                  {Subject: m.Subject, Reply: m.Reply, Data: sign(func(a *partAsked) { a.At = a.At.Add(time.Hour) })},
		"to a subject of others": {Subject: m.Subject, Reply: "$JS.API.STREAM.DELETE.UPFLAB_JOBS", Data: sign(fresh)},
		"to nobody":              {Subject: m.Subject, Data: sign(fresh)},
		"empty":                  {Subject: m.Subject, Reply: m.Reply},
		"without a signature":    {Subject: m.Subject, Reply: m.Reply, Data: m.Data[slices.Index(m.Data, '\n'):]},
	} {
		if err := spy.NATS.PublishMsg(again); err != nil {
			t.Fatal(story, err)
		}
	}
	_ = spy.NATS.Flush()
	_ = c.opens(leader, "rack1") // after all of these
	if one.count() != 2 || three.count() != 0 {
		t.Errorf("lent %d and %d times", one.count(), three.count())
	}
	for {
		got, err := everything.NextMsg(200 * time.Millisecond)
		if err != nil {
			break
		}
		if got.Subject == "$JS.API.STREAM.DELETE.UPFLAB_JOBS" {
			t.Error("it answered to a subject of others")
		}
	}
}

// TestPartsAfterRestart: what a leader asked an agent is not done again by the agent that serves the
// testbed after it, although that one does not remember the question; what the leader asks then is.
func TestPartsAfterRestart(t *testing.T) {
	c := newCrew(t)
	leader, pass := c.pass("rack2", "rack1"), c.pass("rack1")
	first := &lent{}
	old := c.serves(pass, first)
	watcher := c.client(c.pass("spy")).NATS
	spy, err := watcher.SubscribeSync("upflab.part.>")
	if err == nil {
		err = watcher.Flush() // the server has it before the first question
	}
	if err != nil {
		t.Fatal(err)
	}
	parts, err := OpenParts(Access{Pass: leader, URL: c.url, Name: "rack2"})
	if err != nil {
		t.Fatal(err)
	}
	defer parts.Close()
	asks := func() error {
		ctx, stop := context.WithTimeout(t.Context(), 5*time.Second)
		defer stop()
		_, err := hosts.Open(ctx, parts, "rack2", []hosts.Member{{Testbed: "rack1", Device: "lo"}}, hosts.Member{Testbed: "rack1", Device: "lo"})
		return err
	}
	if err := asks(); err == nil || !strings.Contains(err.Error(), "in use") || first.count() != 1 {
		t.Fatalf("lent %d times: %v", first.count(), err)
	}
	old.NATS.Close()
	second := &lent{}
	c.serves(pass, second)
	replay := c.client(c.pass("replay"))
	var asked []*nats.Msg
	for {
		m, err := spy.NextMsg(200 * time.Millisecond)
		if err != nil {
			break
		}
		asked = append(asked, m)
	}
	for _, m := range asked {
		if err := replay.NATS.PublishMsg(&nats.Msg{Subject: m.Subject, Reply: m.Reply, Data: m.Data}); err != nil {
			t.Fatal(err)
		}
	}
	_ = replay.NATS.Flush()
	time.Sleep(200 * time.Millisecond) // an answer would have come by then
	if n := second.count(); n != 0 {
		t.Errorf("the agent after it was lent %d times", n)
	}
	if len(asked) < 2 {
		t.Errorf("%d questions were seen", len(asked))
	}
	if err := asks(); err == nil || !strings.Contains(err.Error(), "in use") || second.count() != 1 {
		t.Errorf("asked anew it was lent %d times: %v", second.count(), err)
	}
}

// TestForgedAnswers: a leader passes over answers that the testbed's agent did not sign for its
// question.
func TestForgedAnswers(t *testing.T) {
	c := newCrew(t)
	evil := c.client(c.pass("evil"))
	var forged atomic.Int32
	if _, err := evil.NATS.Subscribe("upflab.part.rack1.*", func(m *nats.Msg) {
		body, _, _ := evil.Self.verify(kindPart, m.Data)
		var asked partAsked
		_, _ = Unpack(body, &asked)
		answer, _ := Pack(partAnswered{ID: asked.ID, Testbed: "rack1"}, []byte("forged"))
		signed, _ := evil.Self.sign(kindAnswer, answer)
		for _, data := range [][]byte{answer, signed, nil, []byte("\n"), []byte("{}\n{}")} {
			_ = m.Respond(data)
			forged.Add(1)
		}
	}); err != nil {
		t.Fatal(err)
	}
	_ = evil.NATS.Flush()
	p := c.pass("rack2", "rack1")
	parts, err := OpenParts(Access{Pass: p, URL: c.url, Name: p.Name})
	if err != nil {
		t.Fatal(err)
	}
	defer parts.Close()
	ctx, stop := context.WithTimeout(t.Context(), time.Second)
	defer stop()
	if answer, err := parts.Call(ctx, "rack1", "open", []byte("q")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%q, %v", answer, err)
	}
	if forged.Load() == 0 {
		t.Error("nothing was forged")
	}
}

// TestJobsExpire: a job is good for 30 days, and for clocks that differ by a day.
func TestJobsExpire(t *testing.T) {
	c := newCrew(t)
	operator, err := c.operator.Identity()
	if err != nil {
		t.Fatal(err)
	}
	agent, err := c.pass("rack1").Identity()
	if err != nil {
		t.Fatal(err)
	}
	job := Job{ID: "j1", Campaign: "c", Scenario: "name: x\n", DUTs: []string{"builtin"}, Limit: time.Minute, Attempts: 1}
	for age, good := range map[time.Duration]bool{0: true, 29 * 24 * time.Hour: true, 31 * 24 * time.Hour: false,
		-23 * time.Hour: true, -48 * time.Hour: false} {
		job.Issued = time.Now().Add(-age)
		body, _ := json.Marshal(job)
		signed, err := operator.sign(kindJob, body)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := DecodeJob(agent, signed); (err == nil) != good {
			t.Errorf("%s old: %v", age, err)
		}
		asPlan, _ := operator.sign(kindPlan, body)
		if _, err := DecodeJob(agent, asPlan); !errors.Is(err, ErrUnsigned) {
			t.Errorf("a plan as a job: %v", err)
		}
	}
}

// TestPlansAreSigned: a client makes jobs of the operator's plans alone.
func TestPlansAreSigned(t *testing.T) {
	c := newCrew(t)
	operator, _ := c.operator.Identity()
	evil, _ := c.pass("evil").Identity()
	p := &Plan{Campaign: "c", Jobs: []Job{{ID: "j1"}}}
	good, err := p.Pack(operator)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := UnpackPlan(operator, good); err != nil || len(got.Jobs) != 1 {
		t.Errorf("%v %v", got, err)
	}
	bad, err := p.Pack(evil)
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range [][]byte{bad, nil, good[slices.Index(good, '\n')+1:], append(slices.Clone(good), 'x')} {
		if _, err := UnpackPlan(operator, data); !errors.Is(err, ErrUnsigned) {
			t.Errorf("%v", err)
		}
	}
}

// BenchmarkSigned is what a message of a measurement over several hosts takes: signing, and
// verifying with the grant.
func BenchmarkSigned(b *testing.B) {
	seed, _ := nkeys.CreateUser()
	operatorSeed, _ := seed.Seed()
	operator, _ := (&Pass{Operator: true, Seed: string(operatorSeed)}).Identity()
	pair, _ := nkeys.CreateUser()
	agentSeed, _ := pair.Seed()
	key, _ := pair.PublicKey()
	public, _ := operator.OperatorPublic()
	grant, _ := operator.SignGrant(Grant{Agent: "rack1", Key: key})
	self, err := (&Pass{Seed: string(agentSeed), OperatorKey: public, Grant: grant}).Identity()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		signed, err := self.sign(kindPart, make([]byte, 100))
		if err == nil {
			_, _, err = self.verify(kindPart, signed)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
