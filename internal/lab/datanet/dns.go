package datanet

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// ttl of an answer, seconds.
const ttl = 60

// resolver answers for the data network's names (RFC 1035).
type resolver struct {
	names map[string]netip.Addr
	udp   *net.UDPConn
	tcp   net.Listener
	open  sync.Map // TCP connections
	more  upstream // for names that are not ours; "": they do not exist
}

func newResolver(at netip.Addr) *resolver {
	r := &resolver{names: map[string]netip.Addr{}}
	for _, name := range Names() {
		r.names[name+"."] = at
	}
	return r
}

func (n *Network) serveDNS(context.Context) (err error) {
	r, at := n.dns, netip.AddrPortFrom(n.cfg.Address, DNSPort)
	if r.udp, err = n.cfg.Namespace.ListenUDP(at); err != nil {
		return err
	}
	if r.tcp, err = n.cfg.Namespace.ListenTCP(at); err != nil {
		return err
	}
	n.running.Go(func() { r.serveUDP(&n.running) })
	n.running.Go(func() { r.serveTCP(&n.running) })
	return nil
}

func (r *resolver) close() error {
	var errs []error
	if r.udp != nil {
		errs = append(errs, r.udp.Close())
	}
	if r.tcp != nil {
		errs = append(errs, r.tcp.Close())
	}
	r.open.Range(func(c, _ any) bool {
		c.(net.Conn).Close()
		return true
	})
	return errors.Join(errs...)
}

func (r *resolver) serveUDP(running *sync.WaitGroup) {
	for {
		in := make([]byte, 4096)
		size, from, err := r.udp.ReadFromUDPAddrPort(in)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue
		}
		running.Go(func() {
			if answer, err := r.answer(in[:size]); err == nil { // what is no question gets no answer
				r.udp.WriteToUDPAddrPort(answer, from)
			}
		})
	}
}

func (r *resolver) serveTCP(running *sync.WaitGroup) {
	for {
		c, err := r.tcp.Accept()
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
	at, known := r.names[strings.ToLower(q.Name.String())]
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
	if err == nil && known && at.Is4() && (q.Type == dnsmessage.TypeA || q.Type == dnsmessage.TypeALL) {
		err = b.AResource(dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET, TTL: ttl}, dnsmessage.AResource{A: at.As4()})
	}
	if err != nil {
		return nil, err
	}
	return b.Finish()
}
