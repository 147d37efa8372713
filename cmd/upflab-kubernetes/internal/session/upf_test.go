package session

import (
	"context"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// networkStatus is what Multus 4 writes, with an SR-IOV function.
const networkStatus = `[{"name":"cbr0","interface":"eth0","ips":["10.244.1.5"],"mac":"2e:00:00:00:00:05","default":true,"dns":{}},
{"name":"core/n3","interface":"net1","ips":["fd00::2","10.100.3.2"],"mac":"02:00:00:00:03:02","dns":{},"device-info":{"type":"pci","version":"1.0.0","pci":{"pci-address":"0000:18:02.5"}}},
{"name":"core/n6","interface":"net2","mac":"02:00:00:00:06:02","dns":{}}]`

func upfPod(name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "core",
		Labels: map[string]string{"app": "upf"}, Annotations: map[string]string{statusAnnotation: networkStatus}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, PodIP: "10.244.1.5"}}
}

func TestFindUPF(t *testing.T) {
	for _, c := range []struct {
		story, upf string
		pods       int
		want       []string // settings; nil: it fails
		why        string
	}{
		{"by network", "n3: core/n3, n6: 10.100.6.2", 1,
			[]string{"n3.upf=10.100.3.2", "n4.upf=10.244.1.5", "n6.upf=10.100.6.2", "external.dialect=standard"}, ""},
		{"by its short name and by device", "n3: n3, n6: 10.100.6.2, n4: eth0, dialect: eupf", 1,
			[]string{"n3.upf=10.100.3.2", "n4.upf=10.244.1.5", "n6.upf=10.100.6.2", "external.dialect=eupf"}, ""},
		{"an interface without an address", "n3: net1, n6: net2", 1, nil, "net2 of pod upf-0 has no IPv4 address"},
		{"no such interface", "n3: net7, n6: net2", 1, nil, "it has eth0 (cbr0), net1 (core/n3)"},
		{"two of them", "n3: net1, n6: net2", 2, nil, "2 pods in namespace core"},
		{"none", "n3: net1, n6: net2", 0, nil, "no pod with the labels app=upf"},
	} {
		x := newCluster(t)
		for i := range c.pods {
			if err := x.Tracker().Add(upfPod("upf-" + string(rune('0'+i)))); err != nil {
				t.Fatal(err)
			}
		}
		s, _ := x.session(t, "namespace: lab\nimage: x\nlead: {n3: a, n6: b}\nupf: {selector: app=upf, namespace: core, "+c.upf+"}\n", "quick")
		f, err := s.findUPF(context.Background())
		if c.want == nil {
			if err == nil || !strings.Contains(err.Error(), c.why) {
				t.Errorf("%s: %v", c.story, err)
			}
			continue
		}
		if err != nil || !slices.Equal(f.settings(), c.want) {
			t.Errorf("%s: %v, %v", c.story, f.settings(), err)
		}
	}
	if i := interfaces(upfPod("x")); len(i) != 3 || i[1].Device != "0000:18:02.5" {
		t.Errorf("%+v", i)
	}
}

// TestUPFThatEnds: a pod in phase Running whose container is started again and again is no UPF.
func TestUPFThatEnds(t *testing.T) {
	for _, c := range []struct {
		story, container string
		state            corev1.ContainerState
		want             string // "": it answers
	}{
		{"runs", "", corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}, ""},
		{"ends and ends", "", corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}},
			"its container bess is waiting: CrashLoopBackOff (started again 4 times)"},
		{"has ended", "", corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1}}, "its container bess has ended"},
		{"another container has", "pfcp", corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}, ""},
	} {
		p := upfPod("upf-0")
		p.Spec.Containers = []corev1.Container{{Name: "bess"}, {Name: "pfcp"}}
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "pfcp",
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}},
			{Name: "bess", State: c.state, RestartCount: 4}}
		err := answers(p, c.container)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", c.story, err)
		}
	}
}

func TestPlugin(t *testing.T) {
	for config, want := range map[string]string{`{"type":"macvlan"}`: "macvlan",
		`{"plugins":[{"type":"sriov"},{"type":"tuning"}]}`: "sriov", "": "", "x": ""} {
		if got := pluginOf(config); got != want {
			t.Errorf("%s: %q", config, got)
		}
	}
}
