package upf

import (
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
)

// reader turns text into values and collects what is wrong with it.
type reader struct {
	problems []problem
}

type problem struct {
	key  string // dotted
	text string
}

func (r *reader) bad(key, format string, args ...any) {
	r.problems = append(r.problems, problem{key, fmt.Sprintf(format, args...)})
}

// problemsMost is how many problems are listed: to find the line of each, the file is parsed
// once more.
const problemsMost = 40

// error joins the problems, each with the line of the file that it is about
// where there is one.
func (r *reader) error(text []byte) error {
	all := make([]error, min(len(r.problems), problemsMost))
	for i, p := range r.problems[:len(all)] {
		all[i] = errors.New(p.key + ": " + p.text)
		path, err := yaml.PathString("$." + p.key)
		if err != nil {
			continue
		}
		if where, err := path.AnnotateSource(text, false); err == nil {
			all[i] = fmt.Errorf("%w\n%s", all[i], marked(string(where)))
		}
	}
	if more := len(r.problems) - len(all); more > 0 {
		all = append(all, fmt.Errorf("%d more problems are not listed", more))
	}
	return errors.Join(all...)
}

// excerptMost is the length, bytes, of a line that an error shows.
const excerptMost = 300

// marked keeps of an annotated source the line meant and the caret below it.
func marked(source string) string {
	lines := strings.Split(source, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ">") && len(line) > excerptMost {
			return line[:excerptMost] + " ..."
		}
		if strings.HasPrefix(line, ">") {
			return strings.Join(lines[i:min(i+2, len(lines))], "\n")
		}
	}
	return source
}

// oneOf takes one of the values; the first is the default.
func (r *reader) oneOf(key, value string, values ...string) string {
	switch {
	case value == "":
		return values[0]
	case !slices.Contains(values, value):
		r.bad(key, "%q is none of: %s", value, strings.Join(values, ", "))
	}
	return value
}

func (r *reader) ipv4(key, value string) netip.Addr {
	address, err := netip.ParseAddr(value)
	switch {
	case value == "":
		r.bad(key, "is missing: give an IPv4 address of this machine, such as 198.18.0.1")
	case err != nil || !address.Is4() || address.IsUnspecified():
		r.bad(key, "%q is not an IPv4 address of this machine: give one, such as 198.18.0.1", value)
	}
	return address
}

// ipv6 reads an address that may be absent.
func (r *reader) ipv6(key, value string) netip.Addr {
	if value == "" {
		return netip.Addr{}
	}
	address, err := netip.ParseAddr(value)
	if err != nil || !address.Is6() || address.Is4In6() || !address.IsGlobalUnicast() || address.Zone() != "" {
		r.bad(key, "%q is not a global IPv6 address of this machine: give one, such as 2001:db8:3::1", value)
		return netip.Addr{}
	}
	return address
}

// maxInterfaceName is IFNAMSIZ without the terminating zero.
const maxInterfaceName = 15

func (r *reader) name(key, value string) string {
	switch {
	case value == "":
		r.bad(key, "is missing: give the name of a network interface, as `ip link` shows it")
	case len(value) > maxInterfaceName || strings.ContainsAny(value, "/ \t"):
		r.bad(key, "%q cannot be the name of a network interface", value)
	}
	return value
}

func (r *reader) number(key, value string, absent, low, high int) int {
	if value == "" {
		return absent
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < low || n > high {
		r.bad(key, "%s is not a number in %d..%d", value, low, high)
	}
	return n
}

func (r *reader) duration(key, value string, absent time.Duration) time.Duration {
	if value == "" {
		return absent
	}
	d, err := time.ParseDuration(value)
	if err != nil || d < 0 || d > 0 && d < minInterval {
		r.bad(key, "%q is not a duration of %v or more: write it like 10s or 500ms", value, minInterval)
	}
	return d
}

// maxPath is what fits sockaddr_un.
const maxPath = 107

func (r *reader) path(key, value string) string {
	if value != "" && (!filepath.IsAbs(value) || len(value) > maxPath) {
		r.bad(key, "%q is not an absolute path of at most %d octets: give one below /run/upflab-upf", value, maxPath)
	}
	return value
}

// prefixes reads IPv4 prefixes; an address stands for itself alone.
func (r *reader) prefixes(key string, values []string, most int) []netip.Prefix {
	return r.each(key, values, most, r.prefix)
}

// peers reads prefixes of either family; an address stands for itself alone.
func (r *reader) peers(key string, values []string, most int) []netip.Prefix {
	return r.each(key, values, most, r.peer)
}

// each reads a list.
func (r *reader) each(key string, values []string, most int, read func(key, value string) netip.Prefix) []netip.Prefix {
	if len(values) > most {
		r.bad(key, "has %d entries, %d are the most: join some", len(values), most)
		return nil
	}
	var all []netip.Prefix
	for i, value := range values {
		all = append(all, read(fmt.Sprintf("%s[%d]", key, i), value))
	}
	return all
}

func (r *reader) peer(key, value string) netip.Prefix {
	a, err := netip.ParseAddr(value)
	p := netip.PrefixFrom(a, a.BitLen())
	if err != nil {
		p, err = netip.ParsePrefix(value)
	}
	if err != nil || p.Addr().Is4In6() || p.Addr().Zone() != "" {
		r.bad(key, "%q is not an IPv4 or IPv6 address or prefix: give one, such as 10.100.4.0/24 or 2001:db8:4::/64", value)
		return p
	}
	r.masked(key, p)
	return p
}

func (r *reader) prefix(key, value string) netip.Prefix {
	text := value
	if !strings.Contains(text, "/") {
		text += "/32"
	}
	p, err := netip.ParsePrefix(text)
	switch {
	case err != nil || !p.Addr().Is4():
		r.bad(key, "%q is not an IPv4 prefix: give one, such as 10.45.0.0/16", value)
	default:
		r.masked(key, p)
	}
	return p
}

func (r *reader) masked(key string, p netip.Prefix) {
	if p != p.Masked() {
		r.bad(key, "%q has bits beyond its length: write %v", p, p.Masked())
	}
}

// pools reads prefixes of UE addresses of both families.
func (r *reader) pools(key string, values []string) []netip.Prefix {
	return r.each(key, values, maxPrefixes, r.pool)
}

func (r *reader) pool(key, value string) netip.Prefix {
	if !strings.Contains(value, ":") {
		return r.prefix(key, value)
	}
	p, err := netip.ParsePrefix(value)
	if err != nil || p.Addr().Is4In6() || p.Bits() < 16 || !p.Addr().IsGlobalUnicast() {
		r.bad(key, "%q is not an IPv6 prefix of global unicast addresses, of 16 bits or more: give one, such as 2001:db8:45::/48", value)
	} else {
		r.masked(key, p)
	}
	return p
}
