package deploy

import (
	"errors"
	"maps"
	"slices"

	"github.com/upflab/upflab/internal/lab/dut/process"
	"github.com/upflab/upflab/internal/lab/site"
)

// recorder is a testbed in which nothing is started: what a driver asks for is made, and
// what it would start is taken down together with what its namespace has then.
type recorder struct {
	site.Site
	parts        []process.Part
	pidNamespace bool
	silent       []string // devices whose frames the kernel's protocols do not get
	hugePages    int
	settings     map[string]string // below /proc/sys/net; read again when all are made
	network      network
}

var _ process.Recorder = (*recorder)(nil)

// errRecorded ends a driver's start.
var errRecorded = errors.New("taken down, and not started")

// Record implements process.Recorder: it takes down the programs, in the order of their start, instead
// of starting them.
func (r *recorder) Record(parts []process.Part, pidNamespace bool) (err error) {
	r.parts, r.pidNamespace = parts, pidNamespace
	if r.network, err = readNetwork(r.UPF(), slices.Sorted(maps.Keys(r.settings))); err != nil {
		return err
	}
	return errRecorded
}

// Provide implements site.Site: it writes down what the UPF needs instead of making it.
func (r *recorder) Provide(n site.Needs) error {
	if err := r.Site.Provide(n); err != nil {
		return err
	}
	l := r.Links()
	if n.SilentKernel {
		r.silent = append(r.silent, l.UPFN3.Name, l.UPFN6.Name)
	}
	if n.SilentN4 {
		r.silent = append(r.silent, l.UPFN4.Name)
	}
	r.hugePages += n.HugePages
	maps.Copy(r.settings, n.Sysctls)
	return nil
}
