package n4

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/internal/socket/n4socket"
	"github.com/upflab/upflab/internal/socket/threads"
	"github.com/upflab/upflab/upf/n4/tally"
)

// ServeAlone is Serve for a process with one CPU, which it may share with the forwarding of
// packets: one thread, which goes before others of its CPU where that is allowed, reads and
// does what is about one session.
func (s *Server) ServeAlone(ctx context.Context, socket *n4socket.Socket) error {
	stop := context.AfterFunc(ctx, socket.Stop)
	defer stop()
	return s.serve(ctx, socket.Write, func(q *queues) error {
		l := &loner{server: s, socket: socket, queues: q, start: time.Now()}
		ended := make(chan error)
		threads.Once(func() {
			_ = unix.Setpriority(unix.PRIO_PROCESS, 0, -20) // a real-time priority, where it has one, is above it
			ended <- l.run(ctx)
		})
		return l.help(ended)
	})
}

// aBatch is how many requests are handled until it is looked for heartbeats again.
const aBatch = 16

// tooLong is when a request does not keep heartbeats waiting any longer.
const tooLong = 20 * time.Millisecond

// loner reads and handles.
type loner struct {
	server *Server
	socket *n4socket.Socket
	queues *queues
	start  time.Time
	since  atomic.Int64 // ns after start, when it began to handle; 0: it reads, or waits

	mu      sync.Mutex // guards what follows, and reading
	buf     [65536]byte
	waiting []datagram
	first   int // of those that wait
	octets  int
}

func (l *loner) run(ctx context.Context) error {
	batch := make([]datagram, 0, aBatch)
	for ctx.Err() == nil {
		var err error
		if batch, err = l.next(batch); err != nil && ctx.Err() == nil {
			return fmt.Errorf("read PFCP on %v: %w", l.socket.LocalAddr(), err)
		}
		if len(batch) > 0 {
			l.handle(batch)
			continue
		}
		if err := l.socket.Wait(); err != nil && ctx.Err() == nil {
			return fmt.Errorf("wait for PFCP on %v: %w", l.socket.LocalAddr(), err)
		}
	}
	l.handle(l.rest())
	return nil
}

// rest are the requests that still wait when it is stopped.
func (l *loner) rest() []datagram {
	l.mu.Lock()
	defer l.mu.Unlock()
	rest := l.waiting[l.first:]
	l.waiting, l.first = nil, 0
	return rest
}

// help reads in the place of the thread while a request keeps that too long, until it ends.
func (l *loner) help(ended <-chan error) error {
	look := time.NewTicker(tooLong)
	defer look.Stop()
	for {
		select {
		case err := <-ended:
			return err
		case now := <-look.C:
			if since := l.since.Load(); since == 0 || now.Sub(l.start)-time.Duration(since) < tooLong {
				continue
			}
			l.mu.Lock()
			_ = l.take() // the thread meets the same error
			l.mu.Unlock()
		}
	}
}

// next reads all that is there and gives the requests that are handled next, in the place of
// those that were.
func (l *loner) next(handled []datagram) (batch []datagram, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range handled {
		l.octets -= len(d.octets)
	}
	err = l.take()
	n := min(len(l.waiting)-l.first, aBatch)
	batch = append(handled[:0], l.waiting[l.first:l.first+n]...)
	l.first += n
	if l.first >= len(l.waiting)-l.first { // what is left is moved no oftener than others came
		l.waiting, l.first = append(l.waiting[:0], l.waiting[l.first:]...), 0
	}
	return batch, err
}

func (l *loner) handle(batch []datagram) {
	l.since.Store(int64(time.Since(l.start)))
	defer l.since.Store(0)
	for _, d := range batch {
		l.server.handle(l.socket.Write, d)
	}
}

// take reads all that is there. Requests about sessions wait; what can take long has
// goroutines, and the rest is handled at once.
func (l *loner) take() error {
	for {
		n, from, _, err := l.socket.ReadNow(l.buf[:])
		switch {
		case err == unix.EAGAIN:
			return nil
		case err == unix.EINTR:
			continue
		case err != nil:
			return err
		}
		d := datagram{l.buf[:n], from}
		h, _, _, err := pfcp.Parse(d.octets)
		switch {
		case err != nil || !isQueued(h.Type):
			l.server.handle(l.socket.Write, d)
		case isOfSession(h.Type):
			l.keep(d)
		default:
			l.server.queue(l.queues, h, d)
		}
	}
}

// isOfSession is true of requests about one session.
func isOfSession(t pfcp.MessageType) bool {
	return t == pfcp.SessionEstablishmentRequest || t == pfcp.SessionModificationRequest || t == pfcp.SessionDeletionRequest
}

// keep has a copy of a datagram wait, where not too much does.
func (l *loner) keep(d datagram) {
	if len(l.waiting)-l.first >= queueCount*queueLength || l.octets+len(d.octets) > queueOctets {
		l.server.tally.Count(func(c *tally.Counters) { c.Overrun++ })
		return
	}
	l.octets += len(d.octets)
	l.waiting = append(l.waiting, datagram{slices.Clone(d.octets), d.from})
}
