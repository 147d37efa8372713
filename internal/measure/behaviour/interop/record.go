package interop

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pcap"
	"github.com/upflab/upflab/internal/proto/pfcp"
)

// Record makes a dialect from a capture of N4, pcap or pcapng: of the SMF of its first Session Establishment Request, with
// the n-th session, from 1, of that SMF and UPF.
func Record(name, source string, capture io.Reader, n int) (*Dialect, error) {
	t := &tape{}
	if err := t.read(capture); err != nil {
		return nil, err
	}
	list, err := t.session(n)
	if err != nil {
		return nil, err
	}
	d := &Dialect{Name: name, Source: source}
	f := &forms{smf: t.smf}
	for _, m := range list {
		if err := f.find(m.ies); err != nil {
			return nil, fmt.Errorf("packet %d, %s: %w", m.packet, m.head.Type, err)
		}
	}
	for _, m := range list {
		ies, err := f.ies(m.ies)
		if err != nil {
			return nil, fmt.Errorf("packet %d, %s: %w", m.packet, m.head.Type, err)
		}
		d.Messages = append(d.Messages, Message{m.head.Type, ies})
	}
	return d, d.check()
}

// said is a PFCP message of a capture.
type said struct {
	packet   int // from 1
	from, to netip.Addr
	head     pfcp.Header
	ies      []byte
}

// tape is what a capture has.
type tape struct {
	said         []said
	smf, upf     netip.Addr
	packets, esp int
	fragment     int // the first such packet, from 1; 0: none
}

// read reads a capture.
func (t *tape) read(from io.Reader) error {
	r, err := pcap.NewReader(from)
	if err != nil {
		return fmt.Errorf("it is not a capture: %w; write one by tcpdump -w FILE udp port 8805", err)
	}
	for {
		p, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return t.find()
		case err != nil:
			return fmt.Errorf("the capture is cut off or damaged after packet %d: %w; capture again", t.packets, err)
		}
		t.packets++
		if err := t.packet(r.LinkType(), &p); err != nil {
			return fmt.Errorf("packet %d: %w", t.packets, err)
		}
	}
}

func (t *tape) packet(link pcap.LinkType, p *pcap.Packet) error {
	ip, err := network(link, p.Data)
	if err != nil {
		return err
	}
	d := datagramOf(ip)
	t.esp += d.esp
	switch {
	case d.fragment && t.fragment == 0:
		t.fragment = t.packets
	case d.pfcp == nil:
		return nil
	}
	if len(p.Data) < p.Length && d.pfcp != nil {
		return fmt.Errorf("only %d of %d octets of a PFCP message were captured; capture again with tcpdump -s 0", len(p.Data), p.Length)
	}
	for rest := d.pfcp; len(rest) > 0; {
		h, ies, after, err := pfcp.Parse(rest)
		if err == nil {
			err = pfcp.Check(ies)
		}
		if err != nil {
			return fmt.Errorf("UDP port %d has what is not PFCP: %w; N4 may be encrypted", pfcp.Port, err)
		}
		if h.Type == 0 || len(t.said) == 1<<16 {
			return fmt.Errorf("there are more than %d messages, or one of type 0", 1<<16)
		}
		t.said = append(t.said, said{t.packets, d.from, d.to, h, bytes.Clone(ies)})
		if rest[0]&1 == 0 { // no message follows (FO, clause 7.2.2.1)
			return nil
		}
		if rest = after; len(rest) < 8 {
			return nil
		}
	}
	return nil
}

// find finds who the SMF is, and says what a capture lacks.
func (t *tape) find() error {
	at := slices.IndexFunc(t.said, func(s said) bool { return s.head.Type == establish })
	switch {
	case t.fragment > 0:
		return fmt.Errorf("packet %d is a fragment of an IP packet: raise the MTU of N4, and capture again", t.fragment)
	case len(t.said) == 0 && t.esp > 0:
		return fmt.Errorf("N4 is encrypted: %d of %d packets are ESP; capture inside of IPsec, or without it", t.esp, t.packets)
	case len(t.said) == 0:
		return fmt.Errorf("none of its %d packets is PFCP, which is UDP port %d: capture N4", t.packets, pfcp.Port)
	case at < 0:
		return fmt.Errorf("it has %d PFCP messages, and no %s: capture while a UE attaches", len(t.said), establish)
	}
	t.smf, t.upf = t.said[at].from, t.said[at].to
	if !t.smf.Is4() {
		return fmt.Errorf("N4 is IPv6 (SMF %s), which dialects do not have: capture with IPv4", t.smf)
	}
	if !slices.ContainsFunc(t.said[:at], func(s said) bool { return s.head.Type == setup && t.between(&s) }) {
		return fmt.Errorf("there is no %s before packet %d: begin the capture before the SMF and the UPF start", setup, t.said[at].packet)
	}
	return nil
}

// between reports whether a message is one of the SMF and its UPF.
func (t *tape) between(s *said) bool {
	return s.from == t.smf && s.to == t.upf || s.from == t.upf && s.to == t.smf
}

// session are the SMF's requests of its n-th session, and of the association around it.
func (t *tape) session(n int) (list []said, err error) {
	var theirs uint64
	type request struct {
		typ      pfcp.MessageType
		sequence uint32
	}
	count, within, seen := 0, false, map[request]bool{}
	for i := range t.said {
		s := &t.said[i]
		mine := s.from == t.smf && s.to == t.upf
		this := request{s.head.Type, s.head.Sequence}
		if !mine || seen[this] { // what is repeated counts once
			continue
		}
		seen[this] = true
		take := false
		switch s.head.Type {
		case establish:
			if count++; count == n {
				theirs, within, take = t.answered(i), true, true
			}
		case modification, deletion:
			take = within && s.head.SEID == theirs
		case setup:
			take = count == 0 && len(list) == 0
		case release:
			take = within
		case heartbeat:
			take = len(list) == 1 // that of the association
		}
		if take {
			list = append(list, *s)
		}
	}
	switch {
	case count < n:
		return nil, fmt.Errorf("it has %d sessions of SMF %s at UPF %s, and no session %d", count, t.smf, t.upf, n)
	case theirs == 0:
		return nil, fmt.Errorf("the UPF did not accept session %d, or its answer is not in the capture: choose another by --session", n)
	}
	return list, nil
}

// answered is the UP F-SEID in the answer to the establishment at a place; 0: there is none.
func (t *tape) answered(at int) uint64 {
	for i := at + 1; i < len(t.said); i++ {
		s := &t.said[i]
		if s.from != t.upf || s.to != t.smf || s.head.Type != establish+1 || s.head.Sequence != t.said[at].head.Sequence {
			continue
		}
		for b := s.ies; len(b) >= 4; b = b[4+binary.BigEndian.Uint16(b[2:]):] {
			if binary.BigEndian.Uint16(b) == ie.FSEID && binary.BigEndian.Uint16(b[2:]) >= 9 {
				return binary.BigEndian.Uint64(b[5:])
			}
		}
		return 0
	}
	return 0
}

// forms puts placeholders in place of what is of the capture's network. gnbs and tunnels are those met so far.
type forms struct {
	smf     netip.Addr
	ue      netip.Addr
	n3      []byte       // TEID and address of the UPF's tunnel
	remote  netip.Prefix // the narrowest of the prefixes of the data network so far, which contains the lab's host
	gnbs    []netip.Addr
	tunnels []uint32
}

// find finds the UE's address and the UPF's tunnel. A dialect has one of each: two of them would become the same.
func (f *forms) find(ies []byte) error {
	for b := ies; len(b) >= 4; {
		typ, v := binary.BigEndian.Uint16(b), b[4:4+int(binary.BigEndian.Uint16(b[2:]))]
		b = b[4+len(v):]
		switch {
		case pfcp.Grouped(typ):
			if err := f.find(v); err != nil {
				return err
			}
		case typ == ie.UEIPAddress && len(v) >= 5 && v[0]&3 == 2:
			a := netip.AddrFrom4([4]byte(v[1:5]))
			if f.ue.IsValid() && a != f.ue {
				return errors.New("the session has a second UE IP Address, and a dialect has one: capture a session with one, or choose another by --session")
			}
			f.ue = a
		case typ == ie.FTEID && len(v) >= 9 && v[0]&7 == 1:
			if f.n3 != nil && !bytes.Equal(f.n3, v[1:9]) {
				return errors.New("the session has a second F-TEID that the SMF chose, and a dialect has one: capture a session with one, or choose another by --session")
			}
			f.n3 = v[1:9]
		}
	}
	return nil
}

func (f *forms) ies(b []byte) (list []*IE, err error) {
	for len(b) >= 4 {
		e := &IE{Type: binary.BigEndian.Uint16(b)}
		v := b[4 : 4+int(binary.BigEndian.Uint16(b[2:]))]
		b = b[4+len(v):]
		if pfcp.Grouped(e.Type) {
			e.IEs, err = f.ies(v)
		} else {
			e.Value, err = f.value(e.Type, v)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
}

// value is the template of a value.
func (f *forms) value(typ uint16, v []byte) (string, error) {
	octet := func(i int) string { return hex.EncodeToString(v[i : i+1]) }
	short := fmt.Errorf("IE %d (%s) has %d octets, too few, or an address of IPv6", typ, pfcp.IEType(typ), len(v))
	switch {
	case typ == ie.RecoveryTimeStamp && len(v) >= 4:
		return "{recovery}", nil
	case typ == ie.NodeID && len(v) > 1 && v[0]&15 == 2: // a name, which stays
		return hex.EncodeToString(v), nil
	case typ == ie.NodeID && len(v) == 5:
		return "00 {smf}", nil
	case typ == ie.FSEID && len(v) >= 13 && v[0]&3 == 2:
		return octet(0) + " {seid} {smf}", nil
	case typ == ie.FTEID && len(v) > 0 && v[0]&4 != 0: // CHOOSE
		return hex.EncodeToString(v), nil
	case typ == ie.FTEID && len(v) >= 9 && v[0]&3 == 1:
		return octet(0) + " {teid} {n3}", nil
	case typ == ie.UEIPAddress && len(v) >= 5 && v[0]&3 == 2:
		return joined(octet(0), "{ue}", hex.EncodeToString(v[5:])), nil
	case typ == ie.NodeID, typ == ie.FSEID, typ == ie.FTEID, typ == ie.UEIPAddress:
		return "", short
	case typ == ie.OuterHeaderCreation && len(v) >= 10 && v[0] == 1:
		return joined(hex.EncodeToString(v[:2]), f.tunnel(v[2:10]), hex.EncodeToString(v[10:])), nil
	case typ == ie.NetworkInstance && labelled(v):
		return "{instance.labels}", nil
	case typ == ie.NetworkInstance && len(v) > 0:
		return "{instance}", nil
	case typ == ie.SDFFilter && len(v) >= 4 && v[0]&1 != 0:
		return f.filter(v), nil
	}
	return hex.EncodeToString(v), nil
}

func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}

// labelled reports whether a name is written as DNS labels, each after its length.
func labelled(v []byte) bool {
	for len(v) > 0 {
		n := int(v[0])
		if n == 0 || 1+n > len(v) {
			return false
		}
		v = v[1+n:]
	}
	return true
}

// tunnel is the placeholders of a TEID and an address: those of a gNB, unless the address is the SMF's. 0 stays.
func (f *forms) tunnel(v []byte) string {
	id, a := binary.BigEndian.Uint32(v), netip.AddrFrom4([4]byte(v[4:8]))
	if a == f.smf {
		return hex.EncodeToString(v[:4]) + " {smf}"
	}
	teid, peer := hex.EncodeToString(v[:4]), hex.EncodeToString(v[4:8])
	if id != 0 {
		teid = place(tunnelN, &f.tunnels, id)
	}
	if !a.IsUnspecified() {
		peer = place(gnbN, &f.gnbs, a)
	}
	return teid + " " + peer
}

// place is the numbered placeholder of something that may have been met before.
func place[T comparable](name string, met *[]T, one T) string {
	at := slices.Index(*met, one)
	if at < 0 {
		at, *met = len(*met), append(*met, one)
	}
	if at == 0 {
		return "{" + name + "}"
	}
	return fmt.Sprintf("{%s%d}", name, at+1)
}

// remoteForm and localForm are the address or prefix of the data network, and of the UE, in a flow description.
var (
	remoteForm = regexp.MustCompile(`from ([0-9.]+)(/[0-9]+)?( |$)`)
	localForm  = regexp.MustCompile(`to ([0-9.]+)(/[0-9]+)?( |$)`)
)

// filter is the template of an SDF Filter with a flow description.
func (f *forms) filter(v []byte) string {
	n := int(binary.BigEndian.Uint16(v[2:]))
	if 4+n > len(v) || strings.ContainsFunc(string(v[4:4+n]), func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '{' }) {
		return hex.EncodeToString(v)
	}
	text := string(v[4 : 4+n])
	if p, ok := prefixIn(remoteForm, text); ok && f.isRemote(p) {
		text = remoteForm.ReplaceAllString(text, "from {dn}$2$3")
	}
	if p, ok := prefixIn(localForm, text); ok && p.Contains(f.ue) {
		text = localForm.ReplaceAllString(text, "to {ue}$2$3")
	}
	return joined(hex.EncodeToString(v[:2]), `flow "`+text+`"`, hex.EncodeToString(v[4+n:]))
}

// prefixIn is the prefix in the one place of a flow description that has a form; that of all addresses stays as it is.
func prefixIn(form *regexp.Regexp, text string) (netip.Prefix, bool) {
	m := form.FindAllStringSubmatch(text, 2)
	if len(m) != 1 {
		return netip.Prefix{}, false
	}
	p, ok := prefixOf(m[0][1] + m[0][2])
	return p, ok && p.Bits() > 0
}

// isRemote reports whether a prefix can be one around the lab's host: it contains the narrowest so far, or is in it. Any other
// stays, because what tells it from those would be lost.
func (f *forms) isRemote(p netip.Prefix) bool {
	if f.remote.IsValid() && !f.remote.Overlaps(p) {
		return false
	}
	if !f.remote.IsValid() || p.Bits() > f.remote.Bits() {
		f.remote = p
	}
	return true
}
