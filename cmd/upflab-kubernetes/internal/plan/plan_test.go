package plan

import (
	"slices"
	"strings"
	"testing"
)

const apart = `
namespace: lab
image: registry.lab/upflab:1
lead: {node: w1, hostNetwork: true, n3: n3, n6: n6}
generators:
- {node: w2, device: net1, sendCPUs: "2-3", cpus: "4", memory: 1Gi, networks: [{name: core/n3}], resources: {hugepages-1Gi: 1Gi}}
- {device: net1}
sink: {device: net1}
`

func TestSettings(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{apart, []string{"hosts.generators=generator-0:net1@2-3,generator-1:net1", "hosts.sink=sink:net1", "n3.device=n3", "n6.device=n6"}},
		{"image: x\nlead: {n3: net1, n6: net2}\n", []string{"external.n3_interface=net1", "external.n6_interface=net2"}},
		{"image: x\nlead: {}\n", nil},
	} {
		p, err := Parse([]byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got := p.Settings(); !slices.Equal(got, c.want) {
			t.Errorf("settings %q, want %q", got, c.want)
		}
	}
}

func TestBestEffort(t *testing.T) {
	p, err := Parse([]byte(apart))
	if got := strings.Join(p.BestEffort(), " "); err != nil || got != "lead generator-1 sink" {
		t.Errorf("%s, %v", got, err)
	}
	p.Lead.CPUs, p.Generators, p.Sink = "2", nil, nil
	if got := p.BestEffort(); got != nil {
		t.Error(got)
	}
}

func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"lead: {}":                            "image",
		"image: x\n---\nimage: y\n":           "second document",
		"image: x\nled: {}":                   "led",
		"image: x\ngenerators: [{device: a}]": "go together",
		"image: x\ngenerators: [{device: a}]\nsink: {device: b}\n":              "lead.n3",
		"image: x\nlead: {n3: a, n6: b}\ngenerators: [{}]\nsink: {device: b}\n": "generator-0: device",
		"image: x\nlead: {n3: a}":                                           "go together",
		"image: x\nlead: {cpus: two, memory: 1Gi}":                          "no quantity",
		"image: x\nlead: {cpus: \"2\"}":                                     "class Guaranteed",
		"image: x\nlead: {}\nupf: {selector: app=upf, n3: a, n6: b}":        "lead.n3",
		"image: x\nlead: {n3: a, n6: b}\nupf: {selector: '', n3: a, n6: b}": "upf.selector",
		"image: x\nlead: {n3: a, n6: b}\nupf: {selector: app=upf}":          "upf.n3",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q in it", text, err, want)
		}
	}
}
