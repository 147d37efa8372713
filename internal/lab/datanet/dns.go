package datanet

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// ttl of an answer, seconds.
const ttl = 60

// resolver answers for the data network's names (RFC 1035, RFC 3596).
type resolver struct {
	addresses []netip.Addr // of each name
	udp       []*net.UDPConn
	tcp       []net.Listener
	open      sync.Map // TCP connections
	more      upstream // for names that are not ours; "": they do not exist
}

func newResolver(addresses ...netip.Addr) *resolver { return &resolver{addresses: addresses} }

func (n *Network) serveDNS(context.Context) error {
	r := n.dns
	for _, a := range r.addresses {
		at := netip.AddrPortFrom(a, DNSPort)
		udp, err := n.cfg.Namespace.ListenUDP(at)
		if err != nil {
			return err
		}
		r.udp = append(r.udp, udp)
		tcp, err := n.cfg.Namespace.ListenTCP(at)
		if err != nil {
			return err
		}
		r.tcp = append(r.tcp, tcp)
		n.running.Go(func() { r.serveUDP(udp, &n.running) })
		n.running.Go(func() { r.serveTCP(tcp, &n.running) })
	}
	return nil
}

func (r *resolver) close() error {
	var errs []error
	for _, c := range r.udp {
		errs = append(errs, c.Close())
	}
	for _, l := range r.tcp {
		errs = append(errs, l.Close())
	}
	r.open.Range(func(c, _ any) bool {
		c.(net.Conn).Close()
		return true
	})
	return errors.Join(errs...)
}

func (r *resolver) serveUDP(at *net.UDPConn, running *sync.WaitGroup) {
	for {
		in := make([]byte, 4096)
		size, from, err := at.ReadFromUDPAddrPort(in)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue
		}
		running.Go(func() {
			if answer, err := r.answer(in[:size]); err == nil { // what is no question gets no answer
				at.WriteToUDPAddrPort(answer, from)
			}
		})
	}
}

func (r *resolver) serveTCP(at net.Listener, running *sync.WaitGroup) {
	for {
		c, err := at.Accept()
		if err != nil {
			return
		}
		r.open.Store(c, nil)
		running.Go(func() {
			defer func() { r.open.Delete(c); c.Close() }()
			for r.exchange(c) == nil {
			}
		})
	}
}

// exchange answers one question on a TCP connection (RFC 1035 clause 4.2.2).
func (r *resolver) exchange(c net.Conn) error {
	c.SetDeadline(time.Now().Add(10 * time.Second))
	var length [2]byte
	if _, err := io.ReadFull(c, length[:]); err != nil {
		return err
	}
	in := make([]byte, binary.BigEndian.Uint16(length[:]))
	if _, err := io.ReadFull(c, in); err != nil {
		return err
	}
	answer, err := r.answer(in)
	if err != nil {
		return err
	}
	_, err = c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...))
	return err
}

// answer gives the response to a query. A name that is not ours does not exist, unless
// there is somebody else to ask.
func (r *resolver) answer(query []byte) ([]byte, error) {
	var p dnsmessage.Parser
	h, err := p.Start(query)
	if err != nil {
		return nil, err
	}
	if h.Response {
		return nil, errors.New("a DNS response, not a query")
	}
	q, err := p.Question()
	if err != nil {
		return nil, err
	}
	known := slices.Contains(Names(), strings.TrimSuffix(strings.ToLower(q.Name.String()), "."))
	if !known && r.more != "" {
		return r.more.ask(query)
	}
	reply := dnsmessage.Header{ID: h.ID, Response: true, Authoritative: true, RecursionDesired: h.RecursionDesired, RecursionAvailable: true}
	if !known {
		reply.RCode = dnsmessage.RCodeNameError
	}
	b := dnsmessage.NewBuilder(nil, reply)
	b.EnableCompression()
	err = errors.Join(b.StartQuestions(), b.Question(q), b.StartAnswers())
	if err == nil && known {
		err = r.records(&b, q)
	}
	if err != nil {
		return nil, err
	}
	return b.Finish()
}

// records adds the addresses that a question is for.
func (r *resolver) records(b *dnsmessage.Builder, q dnsmessage.Question) error {
	head := dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET, TTL: ttl}
	var errs []error
	for _, a := range r.addresses {
		switch {
		case a.Is4() && (q.Type == dnsmessage.TypeA || q.Type == dnsmessage.TypeALL):
			errs = append(errs, b.AResource(head, dnsmessage.AResource{A: a.As4()}))
		case a.Is6() && (q.Type == dnsmessage.TypeAAAA || q.Type == dnsmessage.TypeALL):
			errs = append(errs, b.AAAAResource(head, dnsmessage.AAAAResource{AAAA: a.As16()}))
		}
	}
	return errors.Join(errs...)
}
