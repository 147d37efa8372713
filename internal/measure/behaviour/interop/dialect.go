package interop

import (
	"bufio"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
)

// Dialect is what an SMF said in one association, and in one session of it.
type Dialect struct {
	Name     string // in the ID of its case: "open5gs"
	Source   string // which SMF, its version, and how it was read
	Messages []Message
}

// Message is a request of the SMF.
type Message struct {
	Type pfcp.MessageType
	IEs  []*IE
}

// IE is an information element: of a group the IEs, of any other the value as a template (see octets).
type IE struct {
	Type  uint16
	Value string
	IEs   []*IE
}

// Bounds of a dialect's text.
const (
	maxText     = 1 << 20
	maxMessages = 1000
)

var nameForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)

// Parse reads a dialect's text. Lines of "key: value" come first; then a line for each message and IE, indented by two
// blanks for each group that it is in. A line begins with the type's number; the name after it is for people. Errors name lines
// and do not quote them: the file may be another one, which only the reader's user may read.
func Parse(text string) (*Dialect, error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("it has %d octets, and a dialect has at most %d", len(text), maxText)
	}
	r := &reader{d: &Dialect{}}
	lines := bufio.NewScanner(strings.NewReader(text))
	lines.Buffer(nil, maxText)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimRight(lines.Text(), " \t\r")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := r.line(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	return r.d, r.d.check()
}

// reader is a dialect as far as it was read. open are the lists of IEs that a line may add to, by their depth.
type reader struct {
	d    *Dialect
	open []*[]*IE
	ies  int
}

func (r *reader) line(line string) error {
	body := strings.TrimLeft(line, " ")
	indent := len(line) - len(body)
	head, value, _ := strings.Cut(body, ":")
	number, _, _ := strings.Cut(head, " ")
	value = strings.TrimSpace(value)
	typ, err := strconv.ParseUint(number, 10, 16)
	switch {
	case err != nil && indent == 0 && len(r.d.Messages) == 0:
		return r.key(head, value)
	case err != nil:
		return errors.New("it does not begin with the number of a message or an IE")
	case indent == 0 && typ > 255:
		return fmt.Errorf("%d is not a message type", typ)
	case indent == 0 && len(r.d.Messages) == maxMessages:
		return fmt.Errorf("it has more than %d messages", maxMessages)
	case indent == 0:
		r.d.Messages = append(r.d.Messages, Message{Type: pfcp.MessageType(typ)})
		r.open = []*[]*IE{&r.d.Messages[len(r.d.Messages)-1].IEs}
		return nil
	}
	return r.ie(indent, uint16(typ), value)
}

func (r *reader) key(key, value string) error {
	switch key {
	case "name":
		r.d.Name = value
	case "source":
		r.d.Source = value
	default:
		return errors.New("its key is not known: name and source come before the messages")
	}
	return nil
}

func (r *reader) ie(indent int, typ uint16, value string) error {
	depth := indent / 2
	if indent%2 != 0 || depth > len(r.open) || depth > pfcp.MaxDepth {
		return fmt.Errorf("IE %d is indented by %d blanks: use two for each group that it is in", typ, indent)
	}
	if r.ies++; r.ies > pfcp.MaxIEs {
		return fmt.Errorf("it has more than %d IEs", pfcp.MaxIEs)
	}
	e := &IE{Type: typ, Value: value}
	list := r.open[depth-1]
	*list = append(*list, e)
	r.open = r.open[:depth]
	if pfcp.Grouped(typ) {
		if value != "" {
			return fmt.Errorf("IE %d (%s) is a group: write its IEs below it, indented by two more blanks", typ, pfcp.IEType(typ))
		}
		r.open = append(r.open, &e.IEs)
		return nil
	}
	_, err := octets(value, func(string) ([]byte, error) { return nil, nil })
	return err
}

// Message types that a dialect has.
const (
	heartbeat    = pfcp.HeartbeatRequest
	setup        = pfcp.AssociationSetupRequest
	release      = pfcp.AssociationReleaseRequest
	establish    = pfcp.SessionEstablishmentRequest
	modification = pfcp.SessionModificationRequest
	deletion     = pfcp.SessionDeletionRequest
)

// check refuses a dialect that cannot be played.
func (d *Dialect) check() error {
	if !nameForm.MatchString(d.Name) {
		return errors.New("name is missing or wrong: use small letters, digits and -, 40 at most")
	}
	stands, established := false, false
	for i, m := range d.Messages {
		switch m.Type {
		case heartbeat, setup, release:
			continue
		case establish:
			if established {
				return errors.New("it has a second Session Establishment Request: a dialect is one session")
			}
			stands, established = true, true
		case modification, deletion:
			if !stands {
				return fmt.Errorf("message %d is a %s, and there is no session: it comes after a %s", i+1, m.Type, establish)
			}
			stands = m.Type == modification
		default:
			return fmt.Errorf("message %d is of type %d (%s), which a dialect does not have", i+1, m.Type, m.Type)
		}
		if err := d.placed(m.IEs); err != nil {
			return fmt.Errorf("message %d, %s: %w", i+1, m.Type, err)
		}
	}
	if !established {
		return fmt.Errorf("it has no %s", establish)
	}
	return nil
}

// placed refuses placeholders that there are not, and rules that the lab does not read.
func (d *Dialect) placed(list []*IE) error {
	for _, e := range list {
		if err := d.placed(e.IEs); err != nil {
			return err
		}
		if e.Type == ie.TrafficEndpointID || e.Type == ie.ActivatePredefinedRules {
			return fmt.Errorf("IE %d (%s): what it refers to is not in the rules that upflab reads, so it cannot tell what becomes of packets: "+
				"use a session whose PDRs have F-TEID and UE IP Address, and FARs, of their own", e.Type, pfcp.IEType(e.Type))
		}
		if _, err := octets(e.Value, known); err != nil {
			return fmt.Errorf("IE %d (%s): %w", e.Type, pfcp.IEType(e.Type), err)
		}
	}
	return nil
}

// String writes the text that Parse reads.
func (d *Dialect) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "name: %s\nsource: %s\n", d.Name, d.Source)
	for _, m := range d.Messages {
		fmt.Fprintf(&b, "\n%d %s\n", m.Type, m.Type)
		write(&b, m.IEs, "  ")
	}
	return b.String()
}

func write(b *strings.Builder, list []*IE, indent string) {
	for _, e := range list {
		fmt.Fprintf(b, "%s%d %s", indent, e.Type, pfcp.IEType(e.Type))
		if !pfcp.Grouped(e.Type) {
			fmt.Fprintf(b, ": %s", e.Value)
		}
		b.WriteString("\n")
		write(b, e.IEs, indent+"  ")
	}
}
