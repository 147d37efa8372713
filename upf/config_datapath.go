package upf

import (
	"cmp"
	"fmt"
	"net/netip"
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
func kindNames(others []Kind) []string {
	names := slices.Clone(kinds)
	for _, k := range others {
		names = append(names, k.Name)
	}
	return names
}

// kindNamed returns the kind from outside with the name, nil when there is none.
func kindNamed(name string, others []Kind) *Kind {
	if i := slices.IndexFunc(others, func(k Kind) bool { return k.Name == name }); i >= 0 {
		return &others[i]
	}
	return nil
}

func readDatapath(r *reader, f *file, others []Kind) Datapath {
	names := kindNames(others)
	d := Datapath{
		Kind:      r.oneOf("datapath.kind", f.Datapath.Kind, names...),
		Mode:      r.oneOf("datapath.mode", f.Datapath.Mode, "auto", "native", "generic"),
		Calibrate: f.Datapath.Calibrate,
		Workers:   r.number("datapath.workers", f.Datapath.Workers, 0, 1, n3socket.MaxWorkers),
		Device:    f.Datapath.Device,
		CPUs:      readCPUs(r, f.Datapath.CPUs),
	}
	if d.Device != "" {
		r.name("datapath.device", d.Device)
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
		{"datapath.calibrate", cmp.Or(strings.Join(names[len(kinds):], " or "), "another"), d.Calibrate != "", kindNamed(d.Kind, others) != nil},
		{"datapath.mode", "xdp", f.Datapath.Mode != "", d.Kind == "xdp"},
		{"datapath.cpus", "xdp", len(d.CPUs) > 0, d.Kind == "xdp"},
		{"datapath.device", "tun or tap", d.Device != "", device},
		{"datapath.workers", "afpacket, tun or tap", d.Workers != 0, userSpace},
	} {
		if x.given && !x.wants {
			r.bad(x.key, "means nothing to datapath.kind %s: set that to %s", d.Kind, x.of)
		}
	}
	if userSpace {
		checkUserSpace(r, f, d.Kind)
	}
	if len(f.Allow.Plain) > 0 && d.Kind == "afpacket" {
		r.bad("allow.plain", "is not done by datapath.kind afpacket: leave it out, or set that to xdp, tun or tap")
	}
	return d
}

// maxCPUs is how many CPUs packets are spread among at most, maxCPU the highest number.
const (
	maxCPUs = 64
	maxCPU  = 8191
)

func readCPUs(r *reader, values []string) (list []int) {
	if len(values) > maxCPUs {
		r.bad("datapath.cpus", "has %d CPUs: 64 are the most", len(values))
	}
	for _, v := range values {
		n := r.number("datapath.cpus", v, 0, 0, maxCPU)
		if slices.Contains(list, n) {
			r.bad("datapath.cpus", "has CPU %s twice", v)
		}
		list = append(list, n)
	}
	return list
}

// checkUserSpace checks what a datapath in user space does not do.
func checkUserSpace(r *reader, f *file, kind string) {
	if len(f.UEPool) == 0 {
		r.bad("ue_pool", "is missing: datapath.kind %s finds the UEs' packets by it", kind)
	}
	if len(f.Allow.Local) > 0 {
		r.bad("allow.local", "is not done by datapath.kind %s: leave it out, or set that to xdp", kind)
	}
	if len(f.Allow.Interfaces) > 0 {
		r.bad("allow.interfaces", "is not done by datapath.kind %s: leave it out, or set that to xdp", kind)
	}
}

// The most entries that the lists of a configuration may have.
const (
	maxPrefixes   = 16
	maxSMFs       = 1024
	maxInterfaces = 7
)

func readAllow(r *reader, f *file) Allow {
	a := Allow{
		Local:     r.prefixes("allow.local", f.Allow.Local, maxPrefixes),
		NestedGTP: r.oneOf("allow.nested_gtp", f.Allow.NestedGTP, "false", "true") == "true",
	}
	if len(f.Allow.Interfaces) > maxInterfaces {
		r.bad("allow.interfaces", "has %d names, %d are the most", len(f.Allow.Interfaces), maxInterfaces)
	}
	for i, name := range f.Allow.Interfaces {
		a.Interfaces = append(a.Interfaces, r.name(fmt.Sprintf("allow.interfaces[%d]", i), name))
	}
	for i, side := range f.Allow.Plain {
		switch side {
		case "n3":
			a.PlainN3 = true
		case "n6":
			a.PlainN6 = true
		default:
			r.bad(fmt.Sprintf("allow.plain[%d]", i), "%q is none of: n3, n6", side)
		}
	}
	return a
}

func readN4Interface(r *reader, value string) string {
	if value == "" {
		return ""
	}
	return r.name("n4.interface", value)
}

// readAllocated reads the prefixes that UE addresses are given out of. With a ue_pool they are
// parts of it, because packets for UEs are known by it.
func readAllocated(r *reader, f *file) []netip.Prefix {
	const key = "allocate_ue"
	all, pools := r.pools(key, f.AllocateUE), (&reader{}).pools("", f.UEPool)
	for i, p := range all {
		within := slices.ContainsFunc(pools, func(of netip.Prefix) bool { return of.Bits() <= p.Bits() && of.Contains(p.Addr()) })
		overlaps := slices.ContainsFunc(all[:i], p.Overlaps)
		switch at := fmt.Sprintf("%s[%d]", key, i); {
		case !p.IsValid():
		case p.Addr().Is6() && p.Bits() > 64:
			r.bad(at, "%v is longer than the 64 bits that a UE gets", p)
		case overlaps:
			r.bad(at, "%v overlaps another one: give each address once", p)
		case len(pools) > 0 && !within:
			r.bad(at, "%v is not within ue_pool: add it there", p)
		}
	}
	return all
}
