package fakeupf

import (
	"net"

	"github.com/wmnsk/go-pfcp/message"
)

func (u *UPF) serve() {
	buf := make([]byte, 1<<16)
	for {
		n, from, err := u.conn.ReadFrom(buf)
		if err != nil {
			return
		}
		m, err := message.Parse(append([]byte(nil), buf[:n]...))
		if err == nil {
			u.take(m, from)
		}
	}
}

// take answers a request, or keeps an answer for Ask.
func (u *UPF) take(m message.Message, from net.Addr) {
	u.mu.Lock()
	defer u.mu.Unlock()
	answer, ok := u.respond(m)
	switch {
	case !ok:
		select {
		case u.answers <- m:
		default:
		}
		return
	case u.ignores(m.Sequence()):
		return
	}
	u.requests = append(u.requests, m)
	if u.script.NoRelease && m.MessageType() == message.MsgTypeAssociationReleaseRequest {
		return
	}
	b := make([]byte, answer.MarshalLen())
	if answer.MarshalTo(b) != nil {
		return
	}
	u.reply(b, from)
}

// ignores plays the losses that the script asks for.
func (u *UPF) ignores(seq uint32) bool {
	u.seen[seq]++
	return u.script.Silent || u.seen[seq] <= u.script.DropFirst
}

func (u *UPF) reply(b []byte, to net.Addr) {
	if u.script.Mangle != nil {
		b = u.script.Mangle(b)
	}
	from := net.PacketConn(u.conn)
	if u.script.Elsewhere != nil && b[0]&1 != 0 {
		from = u.script.Elsewhere
	}
	from.WriteTo(b, to)
	if u.script.Twice {
		from.WriteTo(b, to)
	}
}
