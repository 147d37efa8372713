package netns

import (
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/machine/telemetry/droptrace"
)

// drops counts what the kernel loses in the UPF's namespace: by reason where that can
// be traced, else by the counters of its layers. The tester's namespaces are not
// counted: what the sink has counted it drops.
type drops struct {
	tracer *droptrace.Tracer // nil: counters
	ns     *netdev.Namespace
	inode  uint32
}

// OpenDrops implements site.Site: it begins to count what the kernel loses around the UPF.
func (t *Testbed) OpenDrops() (site.Drops, error) {
	inode, err := t.upf.Inode()
	if err != nil {
		return nil, err
	}
	tracer, _ := droptrace.Open(inode) // without BTF there are the counters
	return &drops{tracer, t.upf, inode}, nil
}

// Read is site.Drops'.
func (d *drops) Read() (list []telemetry.Drop, err error) {
	if d.tracer != nil {
		return d.tracer.Read(d.inode)
	}
	counts, err := telemetry.KernelDrops(d.ns)
	for _, c := range counts {
		list = append(list, telemetry.Drop{Count: c})
	}
	return list, err
}

// Close is site.Drops'.
func (d *drops) Close() error {
	if d.tracer == nil {
		return nil
	}
	return d.tracer.Close()
}
