package fleet

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/scenario"
)

// TestEveryKeyIsJudged: each key of a scenario, whatever its type, is a decision whether a
// testbed's owner has to allow its values. testdata/within.txt has those that stay within what a run
// makes and removes, or, of testbeds, are the operator's to grant.
func TestEveryKeyIsJudged(t *testing.T) {
	text, err := os.ReadFile("testdata/within.txt")
	if err != nil {
		t.Fatal(err)
	}
	within, kinds := map[string]bool{}, map[string]bool{}
	for key := range strings.Lines(string(text)) {
		if key = strings.TrimSpace(key); key != "" && key[0] != '#' {
			within[key] = true
		}
	}
	var walk func(ty reflect.Type, key, kind string)
	walk = func(ty reflect.Type, key, kind string) {
		switch {
		case ty.Kind() == reflect.Pointer, ty.Kind() == reflect.Slice && !isLeaf(ty):
			walk(ty.Elem(), key, kind)
		case isSection(ty):
			for i := range ty.NumField() {
				f := ty.Field(i)
				below := key // of fields that are written inline
				if name, _, _ := strings.Cut(f.Tag.Get("yaml"), ","); name != "" {
					below = strings.TrimPrefix(key+"."+name, ".")
				}
				walk(f.Type, below, f.Tag.Get("kind"))
			}
		case useOf[kind] != "":
			kinds[kind] = true
			if within[key] {
				t.Errorf("%s is judged twice", key)
			}
		case !within[key]:
			t.Errorf("%s is judged by nobody: give it a kind of useOf, or write it into testdata/within.txt "+
				"if no value of it leaves what a run makes", key)
		default:
			delete(within, key)
		}
	}
	walk(reflect.TypeFor[scenario.Scenario](), "", "")
	for key := range within {
		t.Errorf("testdata/within.txt has %s, which is no key, or which is judged twice", key)
	}
	for kind := range useOf {
		if !kinds[kind] {
			t.Errorf("no key is of the kind %q", kind)
		}
	}
}

// isLeaf reports whether a list is one value: it has methods that write it.
func isLeaf(ty reflect.Type) bool { return ty.NumMethod() > 0 }

// TestUses: what jobs use of a host, and which rule allows it.
func TestUses(t *testing.T) {
	for _, c := range []struct {
		scenario string
		duts     []string
		refused  string // by a policy without rules, the first
		rules    Policy // that allow it
	}{
		{"", []string{"builtin:xdp", "eupf@0.7.1"}, "", nil},
		{"container: {image: evil.example/x, program: /bin/sh, pull: true}", []string{"container:eupf"}, "image evil.example/x",
			Policy{"image=evil.example/*", "program=/bin/sh", "privileged", "pull=evil.example/x"}},
		{"", []string{"container:eupf@1"}, "image published", Policy{"image=published", "privileged=eupf"}},
		{"n3: {device: eth1, tester_device: eth3, link: physical}\nn6: {device: eth2, tester_device: eth4, " +
			"link: physical}", []string{"builtin"}, "device eth1",
			Policy{"device=eth1", "device=eth2", "device=eth3", "device=eth4"}},
		{"external: {ssh: root@upf1, process: upfd, n3_interface: a, n6_interface: b}", []string{"external"}, "device a",
			Policy{"device", "ssh=root@upf1", "process=upfd", "reach"}},
		{"external: {pid: 1, n3_interface: a, n6_interface: a}", []string{"builtin"}, "device a",
			Policy{"device=a", "process=1"}},
		{"external: {node_exporter: 'http://upf1:9100/metrics', n3_interface: a, n6_interface: a}",
			[]string{"builtin"}, "device a", Policy{"device=a", "reach=http://upf1:9100/*"}},
		{"arrivals: replay\npcap: /root/x.pcap", []string{"builtin"}, "file /root/x.pcap", Policy{"file=/root/*"}},
		{"engine: trex\ntrex: {server: '10.0.0.1:4501'}\nn3: {device: a}\nn6: {device: b}", []string{"builtin"},
			"device a", Policy{"reach=10.0.0.1:4501", "device=a", "device=b"}},
	} {
		uses, err := Job{Scenario: "name: x\n" + c.scenario, DUTs: c.duts}.Uses()
		if err != nil {
			t.Errorf("%s: %v", c.scenario, err)
			continue
		}
		err = Policy(nil).Allows(uses)
		if got := ""; err != nil {
			got = err.Error()
			if c.refused == "" || !strings.Contains(got, c.refused) || !strings.Contains(got, "upflab agent --allow ") {
				t.Errorf("%s: %s", c.scenario, got)
			}
		} else if c.refused != "" {
			t.Errorf("%s: allowed", c.scenario)
		}
		if err := c.rules.Check(); err != nil {
			t.Error(err)
		}
		if err := c.rules.Allows(uses); err != nil {
			t.Errorf("%s: %v", c.scenario, err)
		}
		for i := range c.rules {
			fewer := append(append(Policy{}, c.rules[:i]...), c.rules[i+1:]...)
			if fewer.Allows(uses) == nil {
				t.Errorf("%s: allowed without %s", c.scenario, c.rules[i])
			}
		}
	}
}

// TestRuleOfAFolder: what begins with a folder and leads out of it is not in it.
func TestRuleOfAFolder(t *testing.T) {
	for path, want := range map[string]bool{
		"/app/upf": true, "/app/v..1/upf": true, "/app/..upf": true,
		"/app/../bin/sh": false, "/app/x/../../bin/sh": false, "/app/..": false,
	} {
		uses, err := Job{Scenario: "name: x\ncontainer: {program: " + path + "}", DUTs: []string{"builtin"}}.Uses()
		if err != nil {
			t.Fatal(err)
		}
		if got := (Policy{"program=/app/*"}).Allows(uses) == nil; got != want {
			t.Errorf("program=/app/* with %s: allowed %t", path, got)
		}
	}
}

// TestPolicyFile: rules of a file, and names that there are not.
func TestPolicyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy")
	if err := os.WriteFile(path, []byte("# lab\ndevice=eth1   # the cable to rack2\n\nprivileged\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := ReadPolicy(path)
	if err != nil || !reflect.DeepEqual(p, Policy{"device=eth1", "privileged"}) {
		t.Errorf("%q %v", p, err)
	}
	if err := (Policy{"devices=eth1"}).Check(); err == nil || !strings.Contains(err.Error(), "device, ") {
		t.Errorf("%v", err)
	}
}

// TestClassSaysWhatIsNotAllowed: who looks why no testbed takes a job reads the rule that would.
func TestClassSaysWhatIsNotAllowed(t *testing.T) {
	c := Class{Uses: []Use{{"image", "localhost/eupf:1"}}}
	if why := c.Missing(Testbed{}); !strings.Contains(why, "--allow image=localhost/eupf:1") {
		t.Errorf("%q", why)
	}
	if why := c.Missing(Testbed{Allows: Policy{"image=localhost/*"}}); why != "" {
		t.Errorf("%q", why)
	}
}
