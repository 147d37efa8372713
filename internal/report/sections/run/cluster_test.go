package run

import (
	"fmt"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/sections/view"
)

func TestCluster(t *testing.T) {
	if s := Cluster(&view.Run{Result: &record.Result{}}); len(s.Blocks) > 0 {
		t.Error("a section of a run outside of Kubernetes")
	}
	own := &record.PodInside{CPUs: []int{2, 3}, NodeCPUs: 8, NUMANodes: []int{1}, Throttled: 0.5, Drivers: map[string]string{"net1": "iavf"}}
	c := &record.Cluster{Version: "v1.34.4", Namespace: "lab", Made: "Job", Unread: "forbidden",
		Pods: []record.Pod{
			{Role: record.RoleLead, Name: "l", Namespace: "lab", Node: "w1", QoS: "Guaranteed",
				Limits: map[string]string{"cpu": "2", "memory": "1Gi"}, Inside: own,
				Interfaces: []record.PodInterface{{Name: "net1", Network: "core/n3", Addresses: []string{"10.0.0.1"}, Device: "0000:18:02.5"}}},
			{Role: record.RoleUPF, Name: "u", Namespace: "core", Node: "w1", QoS: "Burstable", Limits: map[string]string{"cpu": "1"}},
		},
		Networks: []record.PodNetwork{{Name: "core/n3", Type: "sriov"}, {Name: "core/n6", Unread: "no such"}}}
	text := fmt.Sprint(Cluster(&view.Run{Result: &record.Result{Cluster: c}}).Blocks)
	for _, want := range []string{"lead lab/l", "cpu 2, memory 1Gi", "2,3, its own", "not known", "0.500", "iavf",
		"0000:18:02.5", "sriov", "not read: no such", "not read: forbidden"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %s", want, text)
		}
	}
	if limited := c.LimitedCPU(record.RoleUPF); len(limited) != 1 || len(c.LimitedCPU(record.RoleLead)) != 0 {
		t.Errorf("limited: %+v", limited)
	}
}
