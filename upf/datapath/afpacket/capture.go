package afpacket

import (
	"errors"
	"io"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/mirror"
)

var _ datapath.Capturer = (*Datapath)(nil)

// captureRun is a capture under way, for which the kernel sees what is sent.
type captureRun struct {
	io.Closer
	datapath *Datapath
}

// Capture is datapath.Capturer's. While it is open, what is sent does not go past the
// queueing discipline, and frame by frame.
func (d *Datapath) Capture(of []datapath.WatchKey, f func(datapath.Seen)) (io.Closer, error) {
	c, err := mirror.Open(mirror.Config{N3: d.config.N3, N6: d.config.N6, N3Address: d.config.N3Address, Of: of, To: f})
	if err != nil {
		return nil, err
	}
	run := captureRun{c, d}
	if err := d.watch(true); err != nil {
		return nil, errors.Join(err, run.Close())
	}
	return run, nil
}

// Close is io.Closer's.
func (c captureRun) Close() error { return errors.Join(c.datapath.watch(false), c.Closer.Close()) }

func (d *Datapath) watch(on bool) error {
	var errs []error
	for _, w := range d.workers {
		w.trains.watched.Store(on)
		errs = append(errs, w.out.Bypass(!on))
	}
	return errors.Join(errs...)
}
