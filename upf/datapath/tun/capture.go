package tun

import (
	"io"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/mirror"
)

// Capture copies packets as they arrive and leave. Packets that the kernel sends or receives
// merged count as one.
func (d *Datapath) Capture(of []datapath.WatchKey, f func(datapath.Seen)) (io.Closer, error) {
	return mirror.Open(mirror.Config{N3: d.config.N3, N6: d.config.N6, N3Address: d.config.N3Address, Of: of, To: f})
}
