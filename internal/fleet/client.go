package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
)

// Client is an agent's connection to a hub: what it wants it asks the hub's front for.
type Client struct {
	line
	Name     string
	Self     *Identity
	Settings Settings
}

// Join connects an agent, which is to serve a testbed.
func Join(ctx context.Context, a Access, testbed string, options ...nats.Option) (*Client, error) {
	self, err := a.identity()
	if err != nil {
		return nil, err
	}
	nc, err := a.Connect(options...)
	if err != nil {
		return nil, err
	}
	c := &Client{line: line{nc}, Name: a.Name, Self: self}
	limited, stop := context.WithTimeout(ctx, Each)
	defer stop()
	c.Settings, err = Question[Settings](limited, c, MethodHello, Hello{Protocol: Protocol, Testbed: testbed})
	if err == nil && c.Settings.Protocol != Protocol {
		err = ProtocolError{c.Settings.Protocol, Protocol}
	}
	if err != nil {
		nc.Close()
		return nil, err
	}
	return c, nil
}

// Question asks the hub's front. A DeniedError is final.
func Question[A any](ctx context.Context, c *Client, method string, question any) (A, error) {
	return QuestionWith[A](ctx, c, method, question, nil)
}

// QuestionWith is Question with octets.
func QuestionWith[A any](ctx context.Context, c *Client, method string, question any, octets []byte) (answer A, err error) {
	data, err := Pack(question, octets)
	if err != nil {
		return answer, err
	}
	m, err := c.NATS.RequestWithContext(ctx, AskSubject(c.Name, method), data)
	if errors.Is(err, nats.ErrNoResponders) {
		return answer, fmt.Errorf("no hub answers agent %s: does `upflab hub run` run, and know its pass? (%w)", c.Name, err)
	}
	if err != nil {
		return answer, fmt.Errorf("ask the hub: %w", err)
	}
	var a Answered
	switch err := json.Unmarshal(m.Data, &a); {
	case err != nil:
		return answer, fmt.Errorf("the hub's answer cannot be read: %w", err)
	case a.Denied:
		return answer, DeniedError{a.Failed}
	case a.Failed != "":
		return answer, errors.New(a.Failed)
	case len(a.Value) == 0:
		return answer, nil
	}
	err = json.Unmarshal(a.Value, &answer)
	return answer, err
}

// Tell tells the front something without waiting for an answer.
func (c *Client) Tell(method string, what any) error {
	data, err := Pack(what, nil)
	if err != nil {
		return err
	}
	return c.NATS.Publish(AskSubject(c.Name, method), data)
}
