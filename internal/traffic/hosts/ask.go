package hosts

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// answerIn is how long an answer may take.
	answerIn = 4 * time.Second
	// loadIn is the same for what is more work: to load programs, and to read a million sessions.
	loadIn = 2 * time.Minute
)

// patience is how long the answer to a question may take.
func patience(method string) time.Duration {
	switch method {
	case methodOpen, methodFind, methodLoad, methodPrepare, methodSource, methodSink, methodBegin, methodWindows, methodClose, methodStop:
		return loadIn
	}
	return answerIn
}

// ask asks a host. Without an answer the host is lost.
func ask[A any](ctx context.Context, h *Host, method string, body any) (a A, err error) {
	asked, err := h.question(body)
	if err != nil {
		return a, err
	}
	limited, stop := context.WithTimeout(ctx, patience(method))
	defer stop()
	defer context.AfterFunc(h.ctx, stop)()
	var data []byte
	if err = limited.Err(); err == nil {
		data, err = h.session.caller.Call(limited, h.Testbed, method, asked)
	}
	if err != nil {
		return a, h.noAnswer(ctx, method, err)
	}
	var r reply
	if err := decode(data, &r); err != nil {
		return a, fmt.Errorf("host %s: %w", h.Testbed, err)
	}
	if r.Gone {
		return a, h.session.lose(h, errors.New(r.Failed))
	}
	if r.Failed != "" {
		return a, fmt.Errorf("host %s: %s", h.Testbed, r.Failed)
	}
	if err := decode(r.Answer, &a); err != nil {
		return a, fmt.Errorf("host %s: %w", h.Testbed, err)
	}
	return a, nil
}

// question is one of this measurement.
func (h *Host) question(body any) ([]byte, error) {
	data, err := encode(body)
	if err != nil {
		return nil, err
	}
	return envelope(question{Session: h.session.id, Body: data})
}

// noAnswer says why there is none.
func (h *Host) noAnswer(ctx context.Context, method string, err error) error {
	switch {
	case ctx.Err() != nil && h.ctx.Err() == nil:
		return ctx.Err() // the user's wish
	case h.ctx.Err() != nil && h.session.Lost() == nil:
		return h.ctx.Err() // the session is closed
	case method == methodOpen:
		return err // it does not take part yet
	case errors.Is(err, context.DeadlineExceeded):
		err = fmt.Errorf("no answer to %q within %s", method, patience(method))
	}
	return h.session.lose(h, err)
}
