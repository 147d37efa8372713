package trex

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

const (
	// answerWithin is how long the server may take for an answer.
	answerWithin = 5 * time.Second
	// lostWithin is that of one that did not answer before.
	lostWithin = time.Second
)

// Codes of JSON-RPC errors.
const (
	codeNoMethod = -32601
	codeTryAgain = -32001
	codeUnderWay = -32002
)

// RefusedError is what the server said no to.
type RefusedError struct {
	Method, Message string
	Code            int
}

// Error says what the server said.
func (e *RefusedError) Error() string {
	if e.taken() {
		return fmt.Sprintf("somebody else took the ports from this run (TRex refuses %s: %s): measure again when "+
			"they are free", e.Method, e.Message)
	}
	return fmt.Sprintf("TRex refuses %s: %s", e.Method, e.Message)
}

// taken reports whether the call was refused because the port is no longer ours.
func (e *RefusedError) taken() bool { return strings.HasPrefix(e.Message, "port is not owned by you") }

// LostError is that of a server that does not answer, or no more.
type LostError struct {
	Server string
	Err    error
}

// Error says what to look at.
func (e *LostError) Error() string {
	return fmt.Sprintf("the TRex server %s does not answer (%v): is it running with -i, and reachable?", e.Server, e.Err)
}

func (e *LostError) Unwrap() error { return e.Err }

// lost reports whether an error is that of a server that does not answer, or whose ports
// somebody else took: then nothing can be given back, and saying so again helps nobody.
func lost(err error) bool {
	var gone *LostError
	var refused *RefusedError
	return errors.As(err, &gone) || errors.As(err, &refused) && refused.taken()
}

// rpc calls methods of a server. Calls may come from several goroutines, and are made one
// after the other.
type rpc struct {
	address string
	mu      sync.Mutex
	conn    *requester // nil: the last call failed
	failed  bool       // a call was not answered, or the ports were taken
	handler string     // that api_sync_v2 gave
	id      int
}

// call is a method to be called, with its parameters.
type call struct {
	method string
	params map[string]any
}

type request struct {
	Version string         `json:"jsonrpc"`
	ID      int            `json:"id"`
	Method  string         `json:"method"`
	Params  map[string]any `json:"params"`
}

// do calls a method and decodes its result into what result points to; nil: nobody wants
// it. When the server is busy it is asked again.
func (c *rpc) do(method string, params map[string]any, result any) error {
	for tries := 0; ; tries++ {
		err := c.all([]call{{method, params}}, []any{result})
		var refused *RefusedError
		if tries < 10 && errors.As(err, &refused) && refused.Code == codeTryAgain {
			time.Sleep(300 * time.Millisecond) // the pause between two tries
			continue
		}
		return err
	}
}

// all calls several methods in one message; the server carries them out at once, in their
// order. results may be nil.
func (c *rpc) all(calls []call, results []any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	body, err := c.encode(calls)
	if err != nil {
		return err
	}
	answer, err := c.exchange(body)
	if err != nil {
		c.failed = true
		return &LostError{c.address, err}
	}
	err = decode(answer, calls, results)
	c.failed = c.failed || lost(err)
	return err
}

func (c *rpc) encode(calls []call) ([]byte, error) {
	var list []request
	for _, x := range calls {
		params := map[string]any{}
		for k, v := range x.params {
			params[k] = v
		}
		if c.handler != "" {
			params["api_h"] = c.handler
		}
		c.id++
		list = append(list, request{"2.0", c.id, x.method, params})
	}
	if len(list) == 1 {
		return json.Marshal(list[0])
	}
	return json.Marshal(list)
}

// exchange sends a request and gives the answer. A connection that failed is made anew for
// the next one.
func (c *rpc) exchange(body []byte) (answer []byte, err error) {
	if body, err = pack(body); err != nil {
		return nil, err
	}
	within := answerWithin
	if c.failed {
		within = lostWithin
	}
	if c.conn == nil {
		if c.conn, err = dial(c.address, within); err != nil {
			return nil, err
		}
	}
	if answer, err = c.conn.ask(body, within); err != nil {
		c.conn.close()
		c.conn = nil
		return nil, err
	}
	return unpack(answer)
}

func (c *rpc) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn == nil {
		return nil
	}
	err := c.conn.close()
	c.conn = nil
	return err
}
