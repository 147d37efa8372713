package fleet

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"

	"github.com/upflab/upflab/internal/text/loglimit"
	"github.com/upflab/upflab/internal/traffic/hosts"
)

// PartSubject is where a testbed is asked to take part in a measurement that another one
// leads, "*" for all methods.
func PartSubject(testbed, method string) string { return "upflab.part." + testbed + "." + method }

// answerSubject is where a testbed answers a leader's question. Only an agent of that testbed
// may publish there, and only the leader listens.
func answerSubject(leader, testbed, question string) string {
	return "upflab.answer." + leader + "." + testbed + "." + question
}

// partAsked is signed with a question: for whom it is and when it was asked. Each ID is used once.
type partAsked struct {
	ID      string    `json:"id"`
	Testbed string    `json:"testbed"`
	Method  string    `json:"method"`
	At      time.Time `json:"at"`
	// Agent is the number that the testbed's agent gave itself when it started, so that questions
	// to one before it, of which it remembers nothing, are not asked again. "": not known yet.
	Agent string `json:"agent"`
}

// partAnswered is signed with an answer: which question it answers, and the agent's number.
type partAnswered struct {
	ID      string `json:"id"`
	Testbed string `json:"testbed"`
	Agent   string `json:"agent"`
	Failed  string `json:"failed,omitempty"` // the question was refused
}

// Parts asks testbeds to take part in a measurement.
type Parts struct {
	conn *nats.Conn
	self *Identity
	name string // the leader's

	mu      sync.Mutex
	refused error             // what the hub does not allow
	told    chan struct{}     // closed with it
	agents  map[string]string // the numbers of agents, by testbed
}

var _ hosts.Caller = (*Parts)(nil)

// OpenParts connects to a hub for that. A hub that is gone does not come back for it: hosts
// let go when they are not asked for a while.
func OpenParts(a Access) (*Parts, error) {
	p := &Parts{told: make(chan struct{}), agents: map[string]string{}, name: a.Name}
	if p.name == "" {
		p.name = OperatorName
	}
	var err error
	if p.self, err = a.identity(); err != nil {
		return nil, err
	}
	p.conn, err = a.Connect(nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { p.refuse(err) }))
	if err != nil {
		return nil, err
	}
	return p, nil
}

// refuse notes what the hub does not allow: no answer says so.
func (p *Parts) refuse(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refused == nil && errors.Is(err, nats.ErrPermissionViolation) {
		p.refused = err
		close(p.told)
	}
}

// Close ends the connection.
func (p *Parts) Close() { p.conn.Close() }

// Call implements hosts.Caller: it asks the agent of a testbed and waits for its answer.
func (p *Parts) Call(ctx context.Context, testbed, method string, question []byte) ([]byte, error) {
	limited, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		select {
		case <-p.told:
			stop()
		case <-limited.Done():
		}
	}()
	asked := partAsked{Testbed: testbed, Method: method, Agent: p.agent(testbed)}
	answer, err := p.ask(limited, asked, question)
	if now := p.agent(testbed); err != nil && now != asked.Agent { // it has told its number, or another one
		asked.Agent = now
		answer, err = p.ask(limited, asked, question)
	}
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return nil, errors.New("no agent of the hub serves this testbed")
	case errors.Is(err, nats.ErrMaxPayload):
		return nil, fmt.Errorf("a message of %d octets: the hub takes %d; measure with fewer sessions", len(question), p.conn.MaxPayload())
	case err != nil && p.isRefused():
		return nil, fmt.Errorf("the hub does not allow it: `upflab hub add NAME --with %s` makes a pass for a testbed that leads it", testbed)
	}
	return answer, err
}

// agent is the number of the agent that serves a testbed, "" before it has answered.
func (p *Parts) agent(testbed string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.agents[testbed]
}

// ask signs a question and waits for its answer, by which alone the testbed's agent can have
// meant this question. Others are passed over.
func (p *Parts) ask(ctx context.Context, asked partAsked, question []byte) ([]byte, error) {
	asked.ID, asked.At = nuid.Next(), time.Now().UTC()
	body, err := Pack(asked, question)
	if err != nil {
		return nil, err
	}
	signed, err := p.self.sign(kindPart, body)
	if err != nil {
		return nil, err
	}
	inbox := answerSubject(p.name, asked.Testbed, asked.ID)
	sub, err := p.conn.SubscribeSync(inbox)
	if err != nil {
		return nil, err
	}
	defer func() { _ = sub.Unsubscribe() }()
	if err := p.conn.PublishRequest(PartSubject(asked.Testbed, asked.Method), inbox, signed); err != nil {
		return nil, err
	}
	for {
		m, err := sub.NextMsgWithContext(ctx)
		if err != nil {
			return nil, err
		}
		answer, refused, err := p.open(asked, m.Data)
		if err == nil {
			return answer, refused
		}
	}
}

// open verifies an answer. refused is why the testbed did not take the question.
func (p *Parts) open(asked partAsked, data []byte) (answer []byte, refused, err error) {
	body, by, err := p.self.verify(kindAnswer, data)
	if err != nil {
		return nil, nil, err
	}
	var a partAnswered
	answer, err = Unpack(body, &a)
	switch {
	case err != nil:
		return nil, nil, err
	case !by.Serves(asked.Testbed), a.Testbed != asked.Testbed, a.ID != asked.ID:
		return nil, nil, ErrUnsigned
	}
	p.mu.Lock()
	p.agents[asked.Testbed] = a.Agent
	p.mu.Unlock()
	switch {
	case a.Failed != "":
		return nil, errors.New(a.Failed), nil
	}
	return answer, nil, nil
}

func (p *Parts) isRefused() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refused != nil
}

// ServeParts answers the questions that come for a testbed, until the connection ends. notice
// is told of those that are refused.
func (c *Client) ServeParts(testbed string, p *hosts.Follower, notice func(string)) error {
	s := &parts{client: c, testbed: testbed, part: p, number: nuid.Next(), lines: &loglimit.Kinds{}, seen: map[string]time.Time{}}
	_, err := c.NATS.Subscribe(PartSubject(testbed, "*"), func(m *nats.Msg) {
		asked, leader, question, err := s.open(m)
		if err != nil && !errors.Is(err, errOtherAgent) {
			s.lines.Say(notice, "refused", "a question of another host was refused: "+err.Error())
		}
		if leader == "" || m.Reply != answerSubject(leader, testbed, asked.ID) {
			return // nobody's, or for somebody else to read
		}
		go func() { s.answer(m, asked, question, err) }() // who asked waits no longer than it wants to
	})
	if err != nil {
		return fmt.Errorf("listen for measurements that others lead: %w", err)
	}
	return nil
}

// parts verifies questions for a testbed.
type parts struct {
	client  *Client
	testbed string
	part    *hosts.Follower
	number  string               // of this agent, since it started
	lines   *loglimit.Kinds      // of refusals
	seen    map[string]time.Time // questions, by ID: when they were signed; of one goroutine
}

// errOtherAgent is a question to an agent that served the testbed before, or from a leader that
// does not know this agent's number yet. The answer has it.
var errOtherAgent = errors.New("the testbed's agent was restarted")

// askedFor is how old a question may be, or ahead of this host's clock: clocks differ. For as
// long it is remembered, so that it is answered once.
const askedFor = 10 * time.Minute

// open verifies a question. leader is who signed it; "": nobody whom the operator let in.
func (s *parts) open(m *nats.Msg) (asked partAsked, leader string, question []byte, err error) {
	body, by, err := s.client.Self.verify(kindPart, m.Data)
	if err == nil {
		question, err = Unpack(body, &asked)
	}
	if err != nil {
		return asked, "", nil, err
	}
	now := time.Now()
	leader, method := by.Name(), m.Subject[strings.LastIndexByte(m.Subject, '.')+1:]
	switch age := now.Sub(asked.At); {
	case !by.Leads(s.testbed):
		err = fmt.Errorf("the operator did not let agent %s lead measurements with testbed %s: `upflab hub add %s "+
			"--with %s` does", leader, s.testbed, leader, s.testbed)
	case asked.Testbed != s.testbed, asked.Method != method:
		err = fmt.Errorf("it was signed for %q on testbed %s", asked.Method, asked.Testbed)
	case asked.Agent != s.number:
		err = errOtherAgent
	case age > askedFor:
		err = fmt.Errorf("agent %s signed it %s ago by this host's clock: set the clocks of both hosts, unless it is "+
			"an old question that was sent again", leader, age.Round(time.Second))
	case age < -askedFor:
		err = fmt.Errorf("agent %s signed it %s ahead of this host's clock: set the clocks of both hosts",
			leader, -age.Round(time.Second))
	case !s.seen[asked.ID].IsZero():
		return asked, "", nil, fmt.Errorf("a question of agent %s came twice", leader) // it has its answer
	}
	if err != nil {
		return asked, leader, nil, err
	}
	s.remember(asked, now)
	return asked, leader, question, nil
}

// manySeen is how many questions are remembered before old ones are forgotten.
const manySeen = 1 << 14

func (s *parts) remember(asked partAsked, now time.Time) {
	if len(s.seen)%manySeen == manySeen-1 {
		for id, at := range s.seen {
			if now.Sub(at) > askedFor {
				delete(s.seen, id)
			}
		}
	}
	s.seen[asked.ID] = asked.At
}

// answer signs an answer. What was refused is answered with the reason.
func (s *parts) answer(m *nats.Msg, asked partAsked, question []byte, refused error) {
	a := partAnswered{ID: asked.ID, Testbed: s.testbed, Agent: s.number}
	var answer []byte
	if refused != nil {
		a.Failed = refused.Error()
	} else {
		answer = s.part.Answer(asked.Method, question)
	}
	body, err := Pack(a, answer)
	if err == nil {
		body, err = s.client.Self.sign(kindAnswer, body)
	}
	if err == nil {
		err = m.Respond(body)
	}
	_ = err // who asked hears nothing, and says so
}
