package behaviour

import (
	"fmt"
	"strings"

	"github.com/upflab/upflab/internal/measure/behaviour/fail"
)

// further is how many packets follow the first one.
const further = 3

// First sends a packet, the first of its kind in a session, and then others like it. The first one has to arrive. If
// none arrives, that is the finding of another case.
func First(p Packet) Step {
	expected := p.Describe() + ", the first of its session, arrives"
	return Step{Text: fmt.Sprintf("send %s, and %d others after it: the first arrives %s", p.Describe(), further, wording(p.Wants)), Do: func(t *T) error {
		sent, err := t.transmit([]Packet{p}, pace)
		if err != nil {
			return err
		}
		t.Inbox.Await(t.Ctx, arriveWithin, func() bool { return t.complete(sent) })
		more, err := t.transmit([]Packet{p.Times(further)}, pace)
		if err != nil {
			return err
		}
		t.Inbox.Await(t.Ctx, arriveWithin, func() bool { return t.complete(more) })
		arrived := 0
		for i := range more {
			arrived += min(1, len(t.Inbox.Of(more[i].Number)))
		}
		t.book(append(sent, more...))
		switch {
		case len(t.Inbox.Of(sent[0].Number)) > 0:
			return nil
		case arrived == 0:
			return fail.Repeated(fail.Inapplicable("%s does not arrive, nor do those after it", p.Describe()))
		}
		return fail.Because(p.firstLost(), fail.Repeated(fail.NotEnforcedf(expected, "it did not arrive, and of the %d after it %d did", further, arrived)))
	}}
}

// firstLost is the symptom of a session's first packet that alone is lost.
func (p *Packet) firstLost() string { return fail.First + strings.TrimPrefix(p.lost(), fail.Lost) }
