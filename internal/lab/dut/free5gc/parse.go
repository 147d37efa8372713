package free5gc

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/upflab/upflab/internal/record"
)

// notSent is what gtp5g counts as TX errors of its device: it found no session for
// a downlink packet, or a rule dropped it.
const notSent = "gtp5g: downlink packet with no session, or dropped by a rule"

// parse reads what the guest wrote down: /proc/net/dev, softnet_stat and snmp.
func parse(text string) ([]record.Count, error) {
	p := parser{}
	for line := range strings.Lines(text) {
		if err := p.line(strings.TrimSpace(line)); err != nil {
			return nil, fmt.Errorf("counters of the guest: %w", err)
		}
	}
	return p.list, nil
}

type parser struct {
	list  []record.Count
	names []string // the header of a line of snmp
}

func (p *parser) add(place string, packets uint64) {
	p.list = append(p.list, record.Count{Place: record.Place(place), Packets: packets})
}

func (p *parser) line(line string) error {
	name, rest, found := strings.Cut(line, ":")
	fields := strings.Fields(rest)
	switch {
	case strings.Contains(line, "|"): // dev's headers
		return nil
	case found && (name == "Ip" || name == "Udp"):
		return p.snmp(name, fields)
	case found && strings.ToLower(name) == name: // a device
		return p.device(strings.TrimSpace(name), fields)
	case !found && line != "":
		return p.softnet(strings.Fields(line))
	}
	return nil
}

// points are the reference points of the guest's devices.
var points = map[string]string{"vec0": "N3", "vec1": "N6"}

// device reads a line of /proc/net/dev: bytes, packets, errs, drop, fifo, frame,
// compressed, multicast received, then bytes, packets, errs, drop ... sent.
func (p *parser) device(name string, fields []string) error {
	const rxDropped, txErrors, txDropped, columns = 3, 10, 11, 16
	if len(fields) != columns {
		return fmt.Errorf("device %s has %d columns, want %d", name, len(fields), columns)
	}
	v, err := numbers(fields, 10)
	if err != nil {
		return err
	}
	if name == device {
		p.add(notSent, v[txErrors])
	}
	if point, ok := points[name]; ok {
		p.add("guest: "+point+" received and dropped", v[rxDropped])
		p.add("guest: "+point+" transmit queue full", v[txDropped])
	}
	return nil
}

// softnet reads a CPU's line of softnet_stat, in hexadecimal: processed, dropped ...
func (p *parser) softnet(fields []string) error {
	const atLeast = 2
	if len(fields) < atLeast {
		return fmt.Errorf("softnet_stat has a line of %d columns", len(fields))
	}
	v, err := numbers(fields[:atLeast], 16)
	if err != nil {
		return err
	}
	p.add("guest: backlog behind gtp5g full (netdev_max_backlog)", v[1])
	return nil
}

// lossy are the counters of RFC 4293 and RFC 4113 that count lost packets.
var lossy = map[string][]string{
	"Ip":  {"InHdrErrors", "InAddrErrors", "InDiscards", "OutDiscards", "OutNoRoutes"},
	"Udp": {"InErrors"},
}

// snmp reads the two lines of a protocol: names, then values.
func (p *parser) snmp(protocol string, fields []string) error {
	if p.names == nil {
		p.names = fields
		return nil
	}
	names := p.names
	p.names = nil
	if len(names) != len(fields) {
		return fmt.Errorf("%s has %d names and %d values", protocol, len(names), len(fields))
	}
	for i, name := range names {
		if !slices.Contains(lossy[protocol], name) {
			continue
		}
		n, err := strconv.ParseUint(fields[i], 10, 64)
		if err != nil {
			return fmt.Errorf("%s %s: %w", protocol, name, err)
		}
		p.add("guest: "+protocol+" "+name, n)
	}
	return nil
}

func numbers(fields []string, base int) ([]uint64, error) {
	list := make([]uint64, len(fields))
	for i, f := range fields {
		n, err := strconv.ParseUint(f, base, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is no number", f)
		}
		list[i] = n
	}
	return list, nil
}
