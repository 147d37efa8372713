package appflow

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/upflab/upflab/internal/lab/apps/web"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/wait"
)

// pageTimeout is how long a page may take.
const pageTimeout = 10 * time.Second

// pages lets each UE fetch pages one after the other, as many at once as the flow has
// streams, with its interval between them.
func (e *Ends) pages(ctx context.Context, f scenario.Flow, out *flow) error {
	if e.UE.Remote != nil {
		return errRemote
	}
	server, err := e.serveWeb()
	if err != nil {
		return err
	}
	defer server.Close()
	start := time.Now()
	end := start.Add(f.Duration.Duration)
	var got fetched
	var readers sync.WaitGroup
	for ue := range f.UEs {
		for range f.Streams {
			readers.Go(func() { e.read(ctx, ue, f, end, &got) })
		}
	}
	readers.Wait()
	out.DurationS = time.Since(start).Seconds()
	got.add(out)
	return nil
}

// serveWeb starts the server of the pages in the data network.
func (e *Ends) serveWeb() (*web.Server, error) {
	var l net.Listener
	err := e.DN.Namespace.Do(func() (err error) {
		l, err = net.Listen("tcp", netip.AddrPortFrom(e.Server, webPort).String())
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("serve pages in the data network: %w", err)
	}
	return web.Serve(l), nil
}

// read is one reader of pages.
func (e *Ends) read(ctx context.Context, ue int, f scenario.Flow, end time.Time, got *fetched) {
	dial := func(ctx context.Context, from netip.Addr, to netip.AddrPort) (net.Conn, error) {
		return e.dial(ctx, from, e.device(ue), to)
	}
	path, server := web.Path(e.octets(f)), netip.AddrPortFrom(e.Server, webPort)
	for time.Now().Before(end) && ctx.Err() == nil {
		page, cancel := context.WithTimeout(ctx, pageTimeout)
		got.keep(web.Fetch(page, dial, e.UEs[ue], server, path))
		cancel()
		_ = wait.Pause(ctx, f.Interval.Duration)
	}
}

// dial connects from a UE.
func (e *Ends) dial(ctx context.Context, from netip.Addr, device string, to netip.AddrPort) (conn net.Conn, err error) {
	d := net.Dialer{LocalAddr: net.TCPAddrFromAddrPort(netip.AddrPortFrom(from, 0)), Control: netdev.BindToDevice(device)}
	err = e.UE.Namespace.Do(func() error {
		conn, err = d.DialContext(ctx, "tcp", to.String())
		return err
	})
	return conn, err
}

// fetched collects pages.
type fetched struct {
	mu              sync.Mutex
	first, complete []time.Duration
	octets          int64
	pages, failed   uint64
	why             error // of the first that failed
}

func (x *fetched) keep(f web.Fetched) {
	if errors.Is(f.Err, context.Canceled) {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.pages++
	if f.Err != nil {
		x.failed++
		if x.why == nil {
			x.why = f.Err
		}
		return
	}
	x.octets += f.Octets
	x.first, x.complete = append(x.first, f.FirstByte), append(x.complete, f.Complete)
}

func (x *fetched) add(out *flow) {
	out.Packets, out.Lost = x.pages, x.failed
	out.RTT, out.FirstByte = times(x.complete), times(x.first)
	if out.DurationS > 0 {
		out.GoodputBPS = float64(x.octets) * 8 / out.DurationS
	}
	if x.pages > 0 {
		out.LossRatio = float64(x.failed) / float64(x.pages)
	}
	if x.failed > 0 {
		out.doubt("%d of %d pages failed; the first: %v", x.failed, x.pages, x.why)
	}
}
