package afpacket

import (
	"io"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/mirror"
)

// captureRun is a capture under way.
type captureRun struct {
	io.Closer
	datapath *Datapath
}

// Capture copies packets as they arrive and leave. While it is open, packets are sent frame by
// frame, not merged.
func (d *Datapath) Capture(of []datapath.WatchKey, f func(datapath.Seen)) (io.Closer, error) {
	c, err := mirror.Open(mirror.Config{N3: d.config.N3, N6: d.config.N6, N3Address: d.config.N3Address, Of: of, To: f})
	if err != nil {
		return nil, err
	}
	d.watch(1)
	return captureRun{c, d}, nil
}

// Close implements io.Closer.
func (c captureRun) Close() error {
	c.datapath.watch(-1)
	return c.Closer.Close()
}

func (d *Datapath) watch(change int32) {
	for _, w := range d.workers {
		w.watched.Add(change)
	}
}
