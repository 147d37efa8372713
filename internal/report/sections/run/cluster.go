package run

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Cluster is where the pods of a run were, and what they had.
func Cluster(v *view.Run) block.Section {
	c := v.Cluster
	if c == nil {
		return block.Section{}
	}
	s := block.Section{Title: "Kubernetes", Only: block.Pages,
		Hint: "Which pod ran on which node, by which networks, and which CPUs, memory and huge pages it had. A " +
			"pod has CPUs of its own only if it is of class Guaranteed, asks for whole CPUs, and the kubelet's CPU manager has the policy static.",
		Blocks: []block.Block{block.Facts{List: clusterFacts(c)}, podTable(c)}}
	if t := interfaceTable(c); len(t.Rows) > 0 {
		s.Blocks = append(s.Blocks, t)
	}
	if len(c.Nodes) > 0 {
		s.Blocks = append(s.Blocks, nodeTable(c))
	}
	return s
}

func clusterFacts(c *record.Cluster) []block.Fact {
	list := []block.Fact{{Name: "API server", Value: c.Version}, {Name: "Namespace", Value: c.Namespace},
		{Name: "Pods made by", Value: c.Made}}
	for _, n := range c.Networks {
		value := n.Type
		if n.Unread != "" {
			value = "not read: " + n.Unread
		}
		list = append(list, block.Fact{Name: "Network " + n.Name, Value: value})
	}
	if c.Unread != "" {
		list = append(list, block.Fact{Name: "Nodes", Value: "not read: " + c.Unread})
	}
	return list
}

func podTable(c *record.Cluster) block.Table {
	t := block.Table{Columns: []block.Column{block.Key("Pod"), block.Words("Node"), block.Words("Class"),
		block.Words("Requests"), block.Words("Limits"),
		block.Words("CPUs"), block.Words("NUMA nodes"), block.Number("Stopped by its CPU limit", "s"), block.Number("Started in", "s")}}
	for _, p := range c.Pods {
		t.Rows = append(t.Rows,
			block.Row{Cells: block.Cells(p.Role+" "+p.Namespace+"/"+p.Name, p.Node, p.QoS, quantities(p.Requests),
				quantities(p.Limits),
				podCPUs(&p), numaNodes(&p), throttled(&p), units.Number(p.StartSeconds, "%.1f"))})
	}
	return t
}

func quantities(list map[string]string) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(list)) {
		words = append(words, name+" "+list[name])
	}
	return strings.Join(words, ", ")
}

func podCPUs(p *record.Pod) string {
	switch {
	case p.Inside == nil:
		return "not known"
	case p.Pinned():
		return fmt.Sprintf("%s, its own", list(p.Inside.CPUs))
	}
	return fmt.Sprintf("%s, shared", list(p.Inside.CPUs))
}

func numaNodes(p *record.Pod) string {
	if p.Inside == nil {
		return "not known"
	}
	return list(p.Inside.NUMANodes)
}

func throttled(p *record.Pod) string {
	if p.Inside == nil {
		return ""
	}
	return units.Number(p.Inside.Throttled, "%.3f")
}

func list(numbers []int) string {
	var words []string
	for _, n := range numbers {
		words = append(words, fmt.Sprint(n))
	}
	return strings.Join(words, ",")
}

func interfaceTable(c *record.Cluster) block.Table {
	t := block.Table{Columns: []block.Column{block.Key("Interface of"), block.Words("Device"), block.Words("Network"),
		block.Words("Addresses"), block.Words("PCI"), block.Words("Driver")}}
	for _, p := range c.Pods {
		for _, i := range p.Interfaces {
			driver := ""
			if p.Inside != nil {
				driver = p.Inside.Drivers[i.Name]
			}
			t.Rows = append(t.Rows,
				block.Row{Cells: block.Cells(p.Role+" "+p.Name, i.Name, i.Network, strings.Join(i.Addresses, " "),
					i.Device, driver)})
		}
	}
	return t
}

func nodeTable(c *record.Cluster) block.Table {
	t := block.Table{Columns: []block.Column{block.Key("Node"), block.Words("Kernel"), block.Words("System"),
		block.Words("Runtime"), block.Words("Kubelet"), block.Words("For pods"), block.Words("Labels")}}
	for _, n := range c.Nodes {
		t.Rows = append(t.Rows,
			block.Row{Cells: block.Cells(n.Name, n.Kernel, n.OS, n.Runtime, n.Kubelet, quantities(n.Allocatable),
				quantities(n.Labels))})
	}
	return t
}
