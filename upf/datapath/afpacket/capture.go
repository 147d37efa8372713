package afpacket

import (
	"io"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/mirror"
)

var _ datapath.Capturer = (*Datapath)(nil)

// captureRun is a capture under way.
type captureRun struct {
	io.Closer
	datapath *Datapath
}

// Capture is datapath.Capturer's. While it is open, what is sent goes frame by frame.
func (d *Datapath) Capture(of []datapath.WatchKey, f func(datapath.Seen)) (io.Closer, error) {
	c, err := mirror.Open(mirror.Config{N3: d.config.N3, N6: d.config.N6, N3Address: d.config.N3Address, Of: of, To: f})
	if err != nil {
		return nil, err
	}
	d.watch(1)
	return captureRun{c, d}, nil
}

// Close is io.Closer's.
func (c captureRun) Close() error {
	c.datapath.watch(-1)
	return c.Closer.Close()
}

func (d *Datapath) watch(change int32) {
	for _, w := range d.workers {
		w.watched.Add(change)
	}
}
