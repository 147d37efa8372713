package scenario

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/upflab/upflab/internal/analysis/threshold"
	"github.com/upflab/upflab/internal/scenario/document"
	"github.com/upflab/upflab/internal/scenario/schema"
)

// compileSchema builds the embedded schema once.
var compileSchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(schema.Text()))
	if err != nil {
		return nil, fmt.Errorf("the embedded schema of scenarios is not JSON: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	for name, parse := range textFormats() {
		c.RegisterFormat(&jsonschema.Format{Name: name, Validate: scalarFormat(parse)})
	}
	if err := c.AddResource(schema.Name, doc); err != nil {
		return nil, fmt.Errorf("reading the embedded schema of scenarios: %w", err)
	}
	return c.Compile(schema.Name)
})

// textFormats are the formats of the schema. ipv4 is JSON Schema's own, read
// strictly: the library would take "+10.0.0.1".
func textFormats() map[string]func(string) error {
	return map[string]func(string) error{
		"ipv4":             func(s string) error { _, err := parseIPv4(s); return err },
		"upflab-ipv6":      func(s string) error { _, err := parseIPv6(s); return err },
		"upflab-load":      func(s string) error { _, err := ParseLoad(s); return err },
		"upflab-rate":      func(s string) error { _, err := ParseRate(s); return err },
		"upflab-duration":  func(s string) error { _, err := ParseDuration(s); return err },
		"upflab-size":      func(s string) error { _, err := ParseSize(s); return err },
		"upflab-sizes":     func(s string) error { _, err := parsePacketSize(s); return err },
		"upflab-cpus":      func(s string) error { _, err := parseCPUs(s); return err },
		"upflab-threshold": func(s string) error { _, err := threshold.Parse(s); return err },
		"upflab-subnet":    func(s string) error { _, err := parseSubnet(s, parseIPv4); return err },
		"upflab-subnet6":   func(s string) error { _, err := parseSubnet(s, parseIPv6); return err },
	}
}

// scalarFormat lets a format see numbers as they are written; what is neither
// text nor number fails by its type.
func scalarFormat(check func(string) error) func(any) error {
	return func(v any) error {
		switch v.(type) {
		case nil, bool, map[string]any, []any:
			return nil
		}
		return check(fmt.Sprint(v))
	}
}

func parseIPv4(text string) (netip.Addr, error) {
	a, err := netip.ParseAddr(text)
	if err != nil || !a.Is4() {
		return a, fmt.Errorf("%q is not an IPv4 address", text)
	}
	return a, nil
}

func parseIPv6(text string) (netip.Addr, error) {
	a, err := netip.ParseAddr(text)
	if err != nil || !a.Is6() || a.Is4In6() || a.Zone() != "" {
		return a, fmt.Errorf("%q is not an IPv6 address", text)
	}
	return a, nil
}

// parseSubnet reads a subnet of the family that parse reads addresses of.
func parseSubnet(text string, parse func(string) (netip.Addr, error)) (netip.Prefix, error) {
	address, length, _ := strings.Cut(text, "/")
	if _, err := parse(address); err != nil {
		return netip.Prefix{}, err
	}
	p, err := netip.ParsePrefix(text)
	if err != nil {
		return p, fmt.Errorf("%q is not a subnet: %q is not the length of a prefix", text, length)
	}
	if p != p.Masked() {
		return p, fmt.Errorf("%q has bits set beyond its length; the subnet is %s", text, p.Masked())
	}
	return p, nil
}

// validate checks a tree against the schema.
func validate(root *document.Node) []document.Problem {
	compiled, err := compileSchema()
	if err != nil {
		return []document.Problem{document.ProblemAt(root.At, "", "%v", err)}
	}
	err = compiled.Validate(root.Plain())
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return nil
	}
	return schema.Explain(nil, schema.All(), root, invalid)
}
