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

// The most entries that the lists of a configuration may have.
const (
	maxPrefixes   = 16
	maxSMFs       = 1024
	maxInterfaces = 7
)

func (c *checker) allow(f *file) Allow {
	a := Allow{
		Local:     c.prefixes("allow.local", f.Allow.Local, maxPrefixes),
		NestedGTP: c.oneOf("allow.nested_gtp", f.Allow.NestedGTP, "false", "true") == "true",
	}
	if len(f.Allow.Interfaces) > maxInterfaces {
		c.bad("allow.interfaces", "has %d names, %d are the most", len(f.Allow.Interfaces), maxInterfaces)
	}
	for i, name := range f.Allow.Interfaces {
		a.Interfaces = append(a.Interfaces, c.name(fmt.Sprintf("allow.interfaces[%d]", i), name))
	}
	for i, side := range f.Allow.Plain {
		switch side {
		case "n3":
			a.PlainN3 = true
		case "n6":
			a.PlainN6 = true
		default:
			c.bad(fmt.Sprintf("allow.plain[%d]", i), "%q is none of: n3, n6", side)
		}
	}
	return a
}

func (c *checker) n4Interface(value string) string {
	if value == "" {
		return ""
	}
	return c.name("n4.interface", value)
}

// prefixes reads IPv4 prefixes; an address stands for itself alone.
func (c *checker) prefixes(key string, values []string, most int) []netip.Prefix {
	return c.each(key, values, most, c.prefix)
}

// peers reads prefixes of either family; an address stands for itself alone.
func (c *checker) peers(key string, values []string, most int) []netip.Prefix {
	return c.each(key, values, most, c.peer)
}

// each reads a list.
func (c *checker) each(key string, values []string, most int, read func(key, value string) netip.Prefix) []netip.Prefix {
	if len(values) > most {
		c.bad(key, "has %d entries, %d are the most: join some", len(values), most)
		return nil
	}
	var all []netip.Prefix
	for i, value := range values {
		all = append(all, read(fmt.Sprintf("%s[%d]", key, i), value))
	}
	return all
}

func (c *checker) peer(key, value string) netip.Prefix {
	a, err := netip.ParseAddr(value)
	p := netip.PrefixFrom(a, a.BitLen())
	if err != nil {
		p, err = netip.ParsePrefix(value)
	}
	if err != nil || p.Addr().Is4In6() || p.Addr().Zone() != "" {
		c.bad(key, "%q is not an IPv4 or IPv6 address or prefix: give one, such as 10.100.4.0/24 or 2001:db8:4::/64", value)
		return p
	}
	c.masked(key, p)
	return p
}

func (c *checker) prefix(key, value string) netip.Prefix {
	text := value
	if !strings.Contains(text, "/") {
		text += "/32"
	}
	p, err := netip.ParsePrefix(text)
	switch {
	case err != nil || !p.Addr().Is4():
		c.bad(key, "%q is not an IPv4 prefix: give one, such as 10.45.0.0/16", value)
	default:
		c.masked(key, p)
	}
	return p
}

func (c *checker) masked(key string, p netip.Prefix) {
	if p != p.Masked() {
		c.bad(key, "%q has bits beyond its length: write %v", p, p.Masked())
	}
}

// pools reads prefixes of UE addresses of both families.
func (c *checker) pools(key string, values []string) []netip.Prefix {
	return c.each(key, values, maxPrefixes, c.pool)
}

func (c *checker) pool(key, value string) netip.Prefix {
	if !strings.Contains(value, ":") {
		return c.prefix(key, value)
	}
	p, err := netip.ParsePrefix(value)
	if err != nil || p.Addr().Is4In6() || p.Bits() < 16 || !p.Addr().IsGlobalUnicast() {
		c.bad(key, "%q is not an IPv6 prefix of global unicast addresses, of 16 bits or more: give one, such as 2001:db8:45::/48", value)
	} else {
		c.masked(key, p)
	}
	return p
}

// allocate reads the prefixes that UE addresses are given out of. With a ue_pool they are
// parts of it, because packets for UEs are known by it.
func (c *checker) allocate(f *file) []netip.Prefix {
	const key = "allocate_ue"
	all, pools := c.pools(key, f.AllocateUE), (&checker{}).pools("", f.UEPool)
	for i, p := range all {
		within := slices.ContainsFunc(pools, func(of netip.Prefix) bool { return of.Bits() <= p.Bits() && of.Contains(p.Addr()) })
		overlaps := slices.ContainsFunc(all[:i], p.Overlaps)
		switch at := fmt.Sprintf("%s[%d]", key, i); {
		case !p.IsValid():
		case p.Addr().Is6() && p.Bits() > 64:
			c.bad(at, "%v is longer than the 64 bits that a UE gets", p)
		case overlaps:
			c.bad(at, "%v overlaps another one: give each address once", p)
		case len(pools) > 0 && !within:
			c.bad(at, "%v is not within ue_pool: add it there", p)
		}
	}
	return all
}
