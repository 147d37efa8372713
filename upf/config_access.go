package upf

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

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
	if len(values) > most {
		c.bad(key, "has %d entries, %d are the most: join some", len(values), most)
	}
	var all []netip.Prefix
	for i, value := range values {
		all = append(all, c.prefix(fmt.Sprintf("%s[%d]", key, i), value))
	}
	return all
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
func (c *checker) pools(key string, values []string) (all []netip.Prefix) {
	if len(values) > maxPrefixes {
		c.bad(key, "has %d entries, %d are the most: join some", len(values), maxPrefixes)
		return nil
	}
	for i, value := range values {
		at := fmt.Sprintf("%s[%d]", key, i)
		if !strings.Contains(value, ":") {
			all = append(all, c.prefix(at, value))
			continue
		}
		p, err := netip.ParsePrefix(value)
		if err != nil || p.Addr().Is4In6() || p.Bits() < 16 || !p.Addr().IsGlobalUnicast() {
			c.bad(at, "%q is not an IPv6 prefix of global unicast addresses, of 16 bits or more: give one, such as 2001:db8:45::/48", value)
		} else {
			c.masked(at, p)
		}
		all = append(all, p)
	}
	return all
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
