package objects

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/upflab/upflab/cmd/upflab-kubernetes/internal/plan"
)

var update = flag.Bool("update", false, "write the golden files")

func maker(t *testing.T, text string) Maker {
	t.Helper()
	p, err := plan.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return Maker{Plan: p, Run: "abc123",
		Owner: &metav1.OwnerReference{APIVersion: "coordination.k8s.io/v1", Kind: "Lease", Name: "upflab-abc123",
			UID: "u1"}}
}

const apart = `
namespace: lab
image: registry.lab/upflab:1
imagePullSecrets: [pull]
lead: {node: w1, hostNetwork: true, n3: n3, n6: n6}
generators:
- {device: net1, cpus: "4", memory: 1Gi, networks: [{name: core/n3, device: net1, ips: [10.0.0.1/24]}], resources: {hugepages-1Gi: 1Gi, intel.com/sriov_n3: "1"}}
sink: {device: net1}
`

// TestGolden compares each object with the file that was looked at.
func TestGolden(t *testing.T) {
	m := maker(t, apart)
	set, err := m.JobSet([]*batchv1.Job{m.HostJob(0), m.HostJob(1)})
	if err != nil {
		t.Fatal(err)
	}
	for name, object := range map[string]any{"hub": m.HubJob(), "generator": m.HostJob(0), "jobset": set.Object,
		"lead": m.LeadJob([]string{"quick", "--dut", "external"}, []string{"n3.gnb=net1"}, true)} {
		b, err := yaml.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", name+".yaml")
		if *update {
			if err := os.WriteFile(path, b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil || string(want) != string(b) {
			t.Errorf("%s is not as in %s (%v); go test -update writes it", name, path, err)
		}
	}
}

func TestPrivileges(t *testing.T) {
	for _, c := range []struct {
		story, plan string
		args        []string
		privileged  bool
	}{
		{"starts the default UPF", "image: x\nlead: {}", []string{"quick"}, true},
		{"starts one of two", "image: x\nlead: {n3: a, n6: b}", []string{"quick", "--dut", "external", "--dut", "builtin:xdp"}, true},
		{"measures one elsewhere", "image: x\nlead: {n3: a, n6: b}", []string{"quick", "--dut", "external"}, false},
		{"spelled in one word", "image: x\nlead: {n3: a, n6: b}", []string{"quick", "--dut=external"}, false},
		{"with a mode", "image: x\nlead: {n3: a, n6: b}", []string{"quick", "--dut=external:true"}, false},
		{"one word, and starts one", "image: x\nlead: {n3: a, n6: b}", []string{"quick", "--dut=external", "--dut=eupf:native"}, true},
		{"the flag as another's value", "image: x\nlead: {n3: a, n6: b}",
			[]string{"quick", "--dut=external", "--set", "--dut", "--set", "builtin:xdp"}, false},
		{"after the flags' end", "image: x\nlead: {n3: a, n6: b}", []string{"--dut=external", "--", "--dut=builtin"}, false},
		{"refused arguments", "image: x\nlead: {n3: a, n6: b}", []string{"quick", "--dat=external"}, false},
		{"measures one of the cluster", "image: x\nlead: {n3: a, n6: b}\nupf: {selector: app=upf, n3: x, n6: y}", []string{"quick"}, false},
		{"may not", "image: x\nlead: {privileged: false}", []string{"quick"}, false},
	} {
		j := maker(t, c.plan).LeadJob(c.args, nil, false)
		s := j.Spec.Template.Spec.Containers[0].SecurityContext
		if got := s.Privileged != nil && *s.Privileged; got != c.privileged {
			t.Errorf("%s: privileged %v", c.story, got)
		}
		if !c.privileged && (len(s.Capabilities.Drop) != 1 || *s.AllowPrivilegeEscalation) {
			t.Errorf("%s: it may more than it needs", c.story)
		}
	}
}

// TestNames wants each object to be of the run, and no pod to have a token of the API.
func TestNames(t *testing.T) {
	m := maker(t, apart)
	for _, j := range []*batchv1.Job{m.HubJob(), m.HostJob(0), m.HostJob(1), m.LeadJob([]string{"quick"}, nil, false)} {
		if !strings.HasPrefix(j.Name, "upflab-abc123-") || j.Spec.Template.Labels[RunLabel] != "abc123" || j.Labels[RoleLabel] == "" {
			t.Errorf("%s: labels %v", j.Name, j.Spec.Template.Labels)
		}
		if len(j.OwnerReferences) != 1 || *j.Spec.BackoffLimit != 0 || *j.Spec.ActiveDeadlineSeconds != 3600 ||
			*j.Spec.Template.Spec.AutomountServiceAccountToken {
			t.Errorf("%s: %+v", j.Name, j.Spec)
		}
	}
}
