package scenario

import (
	"testing"

	"github.com/upflab/upflab/internal/scenario/schema"
)

// TestEveryKeyIsDescribed holds that the comments and tags say enough for errors and for
// the reference.
func TestEveryKeyIsDescribed(t *testing.T) {
	base, err := DefaultTree()
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range schema.Keys() {
		if key.Doc == "" || (!key.Section && (key.Type == "" || key.Example == "")) {
			t.Errorf("%s lacks a description, type or example: %+v", key.Path, key)
		}
		if written := base.Find(key.Path); !key.Section && written != nil && written.Short() != key.Default {
			t.Errorf("%s: the default is %s in the schema, %s in the catalog", key.Path, key.Default, written.Short())
		}
		if key.Section {
			continue
		}
		if _, err := magnitude(key, key.Example); key.RangeFor != "" && !key.List && err != nil {
			t.Errorf("%s: its range is not checked: %v", key.Path, err)
		}
	}
}

// TestRangesHoldAtTheirEnds tries the first value inside and outside.
func TestRangesHoldAtTheirEnds(t *testing.T) {
	for _, c := range []struct {
		key     string
		in, out []string
	}{
		{"payload", []string{"32", "1528"}, []string{"31", "8901"}},
		{"mtu", []string{"1472", "9200"}, []string{"575", "9201", "1471"}},
		{"sessions", []string{"1", "65533"}, []string{"0", "-1", "65534", "1000001"}},
		{"qfi", []string{"1", "63"}, []string{"0", "64"}},
		{"duration", []string{"100ms", "24h"}, []string{"99ms", "24h1s"}},
		{"warmup", []string{"0s", "0", "10m"}, []string{"-1ms", "11m"}},
		{"loads", []string{"1", "1G", "max"}, []string{"0.5", "1.1G", "150k,150k"}},
		{"latency.rate", []string{"1", "1G"}, []string{"max", "0", "2G"}},
		{"teid.uplink", []string{"1", "4294967295"}, []string{"0", "4294967296"}},
		{"ue.first", []string{"10.45.0.1", "10.45.255.254"}, []string{"10.45.0.0", "10.45.255.255", "10.46.0.1"}},
		{"ue.pool", []string{"10.45.0.0/30", "10.45.0.2/32", "10.45.0.2/31", "10.0.0.0/8"},
			[]string{"10.45.0.0/33", "2001:db8::/32", "10.45.0.4/30", "0.0.0.0/0", "224.0.0.0/4"}},
		{"n3.prefix", []string{"25", "24"}, []string{"7", "32", "30"}},
		{"n4.network_instance", []string{"ims.mnc001.mcc001"}, []string{"a b", ".", "a..b", "-a"}},
		{"external.n3_interface", nil, []string{"eth/1", "sixteencharacter"}},
	} {
		for _, value := range c.in {
			if _, err := Open("load-latency", []string{c.key + "=" + value}, false); err != nil {
				t.Errorf("%s=%s is refused: %v", c.key, value, err)
			}
		}
		for _, value := range c.out {
			if _, err := Open("load-latency", []string{c.key + "=" + value}, false); err == nil {
				t.Errorf("%s=%s is taken", c.key, value)
			}
		}
	}
}
