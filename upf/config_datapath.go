package upf

import (
	"cmp"
	"slices"
	"strings"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/n3socket"
)

// kinds of datapaths that the library has; the first is the default.
var kinds = []string{"xdp", "afpacket", "tun", "tap"}

// Kind is a kind of datapath from outside the library: datapath.kind may be its name, and
// datapath.calibrate is its own key.
type Kind struct {
	Name string
	// Check returns a key of the configuration that the datapath cannot carry out and what is wrong
	// with it, or two empty strings.
	Check func(Config) (key, problem string)
	// Open opens the datapath.
	Open func(Config) (datapath.Datapath, error)
}

// kindNames are the kinds that datapath.kind may name.
func (c *checker) kindNames() []string {
	names := slices.Clone(kinds)
	for _, k := range c.others {
		names = append(names, k.Name)
	}
	return names
}

// other returns the kind from outside with the name, nil when there is none.
func (c *checker) other(name string) *Kind {
	if i := slices.IndexFunc(c.others, func(k Kind) bool { return k.Name == name }); i >= 0 {
		return &c.others[i]
	}
	return nil
}

func (c *checker) datapath(f *file) Datapath {
	names := c.kindNames()
	d := Datapath{
		Kind:      c.oneOf("datapath.kind", f.Datapath.Kind, names...),
		Mode:      c.oneOf("datapath.mode", f.Datapath.Mode, "auto", "native", "generic"),
		Calibrate: f.Datapath.Calibrate,
		Workers:   c.number("datapath.workers", f.Datapath.Workers, 0, 1, n3socket.MaxWorkers),
		Device:    f.Datapath.Device,
		CPUs:      c.cpus(f.Datapath.CPUs),
	}
	if d.Device != "" {
		c.name("datapath.device", d.Device)
	}
	if !slices.Contains(names, d.Kind) {
		return d
	}
	device := d.Kind == "tun" || d.Kind == "tap"
	userSpace := device || d.Kind == "afpacket"
	for _, x := range []struct {
		key, of      string
		given, wants bool
	}{
		{"datapath.calibrate", cmp.Or(strings.Join(names[len(kinds):], " or "), "another"), d.Calibrate != "", c.other(d.Kind) != nil},
		{"datapath.mode", "xdp", f.Datapath.Mode != "", d.Kind == "xdp"},
		{"datapath.cpus", "xdp", len(d.CPUs) > 0, d.Kind == "xdp"},
		{"datapath.device", "tun or tap", d.Device != "", device},
		{"datapath.workers", "afpacket, tun or tap", d.Workers != 0, userSpace},
	} {
		if x.given && !x.wants {
			c.bad(x.key, "means nothing to datapath.kind %s: set that to %s", d.Kind, x.of)
		}
	}
	if userSpace {
		c.userSpace(f, d.Kind)
	}
	if len(f.Allow.Plain) > 0 && d.Kind == "afpacket" {
		c.bad("allow.plain", "is not done by datapath.kind afpacket: leave it out, or set that to xdp, tun or tap")
	}
	return d
}

// maxCPUs is how many CPUs packets are spread among at most, maxCPU the highest number.
const (
	maxCPUs = 64
	maxCPU  = 8191
)

func (c *checker) cpus(values []string) (list []int) {
	if len(values) > maxCPUs {
		c.bad("datapath.cpus", "has %d CPUs: 64 are the most", len(values))
	}
	for _, v := range values {
		n := c.number("datapath.cpus", v, 0, 0, maxCPU)
		if slices.Contains(list, n) {
			c.bad("datapath.cpus", "has CPU %s twice", v)
		}
		list = append(list, n)
	}
	return list
}

// userSpace checks what a datapath in user space does not do.
func (c *checker) userSpace(f *file, kind string) {
	if len(f.UEPool) == 0 {
		c.bad("ue_pool", "is missing: datapath.kind %s finds the UEs' packets by it", kind)
	}
	if len(f.Allow.Local) > 0 {
		c.bad("allow.local", "is not done by datapath.kind %s: leave it out, or set that to xdp", kind)
	}
	if len(f.Allow.Interfaces) > 0 {
		c.bad("allow.interfaces", "is not done by datapath.kind %s: leave it out, or set that to xdp", kind)
	}
}
