package upf

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestDatapath(t *testing.T) {
	c, err := ParseConfig("upf.yaml", []byte(minimal+"ue_pool: [10.45.0.0/16]\ndatapath: {kind: tap, device: tap9, workers: 3}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if want := (Datapath{Kind: "tap", Mode: "auto", Device: "tap9", Workers: 3}); !reflect.DeepEqual(c.Datapath, want) {
		t.Errorf("%+v, want %+v", c.Datapath, want)
	}
}

func TestSpreadCPUs(t *testing.T) {
	c, err := ParseConfig("upf.yaml", []byte(minimal+"datapath: {cpus: [1, 3]}\n"))
	if err != nil || !slices.Equal(c.Datapath.CPUs, []int{1, 3}) {
		t.Errorf("%v, %v", c.Datapath.CPUs, err)
	}
}

// theirs is a kind of datapath from outside the library.
var theirs = Kind{Name: "theirs", Check: func(c Config) (key, problem string) {
	if c.Datapath.Calibrate == "" {
		return "n3", "is not theirs"
	}
	return "", ""
}}

// TestDatapathFromOutside: a kind that is registered may be named, with its own key; one that is not
// may not.
func TestDatapathFromOutside(t *testing.T) {
	text := []byte(minimal + "datapath: {kind: theirs, calibrate: a=1}\n")
	if c, err := ParseConfig("upf.yaml", text, theirs); err != nil || c.Datapath.Kind != "theirs" || c.Datapath.Calibrate != "a=1" {
		t.Errorf("%+v, %v", c.Datapath, err)
	}
	if _, err := ParseConfig("upf.yaml", text); err == nil || !strings.Contains(err.Error(), "datapath.kind") {
		t.Errorf("without the kind: %v", err)
	}
}

func TestDatapathRefuses(t *testing.T) {
	const pool = "ue_pool: [10.45.0.0/16]\n"
	for text, want := range map[string]string{
		"datapath: {kind: tun}": "ue_pool: is missing",
		pool + "datapath: {kind: tun, mode: native}": "datapath.mode: means nothing " +
			"to datapath.kind tun: set that to xdp",
		pool + "datapath: {workers: 2}": "datapath.workers: means " +
			"nothing to datapath.kind xdp: set that to afpacket, tun or tap",
		pool + "datapath: {kind: tun, workers: 65}": "datapath.workers: 65 is not a number in 1..64",
		pool + "datapath: {kind: tun, cpus: [0]}": "datapath.cpus: means nothing " +
			"to datapath.kind tun: set that to xdp",
		"datapath: {cpus: [0, 0]}":                                "datapath.cpus: has CPU 0 twice",
		"datapath: {cpus: [-1]}":                                  "datapath.cpus: -1 is not a number",
		"datapath: {kind: afpacket}":                              "ue_pool: is missing",
		pool + "datapath: {kind: afpacket}\nallow: {plain: [n3]}": "allow.plain: is not done by datapath.kind afpacket",
		pool + "datapath: {device: t}":                            "datapath.device: means nothing to datapath.kind xdp",
		pool + "datapath: {kind: tun, device: a/b}":               "datapath.device: \"a/b\" cannot be the name",
		pool + "datapath: {calibrate: loss=1}": "datapath.calibrate: means " +
			"nothing to datapath.kind xdp: set that to theirs",
		pool + "datapath: {kind: tap}\nallow: {local: [10.0.0.1]}":               "allow.local: is not done by datapath.kind tap",
		pool + "datapath: {kind: tap}\nallow: {interfaces: [eth9]}":              "allow.interfaces: is not done by datapath.kind tap",
		"datapath: {kind: theirs}":                                               "n3: is not theirs",
		"datapath: {kind: other}":                                                "xdp, afpacket, tun, tap, theirs",
		"ue_pool: [198.51.100.0/24]\nn6: {interface: n6, address: 198.51.100.1}": "n6.address: 198.51.100.1 is in ue_pool's 198.51.100.0/24",
		"n6: {interface: n6, port: 7}": "n6.port: is of tunnels on N6: " +
			"give n6.address or n6.address6, too",
		"n6: {interface: n6, address: 198.51.100.1, port: 2152}": "n6.port: 2152 is GTP-U's",
	} {
		base := minimal
		if strings.Contains(text, "n6: {") {
			base = strings.Replace(base, "n6: {interface: n6}\n", "", 1)
		}
		_, err := ParseConfig("upf.yaml", []byte(base+text+"\n"), theirs)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
